"""What something has no part in: "unrelated to the liver", "bears no relation to Rome"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule
from logic_retrievers.queries.rules.words import ADVERB, AUXILIARY, PEOPLE

_RELATED = (
    rf"(?:not|in no way){ADVERB} (?:related|connected|linked|tied|relevant) (?:to|with)|"
    rf"(?:isn't|aren't|wasn't|weren't){ADVERB} (?:related|connected|linked|tied|relevant) "
    r"(?:to|with)|unrelated to|irrelevant to|unconnected (?:to|with)"
)

_CAUSED = (
    rf"(?:not|isn't|aren't|wasn't|weren't){ADVERB} (?:caused by|due to|because of|"
    r"attributable to|based on|associated with)"
)

_PREDICATE = (
    r"(?:^|\bwhy )\s*(?:is|are|was|were)(?: (?!(?:there|that|which|who|but|and)\b)\S+){1,6}"
)

_MAINS = (
    r"(?:(?:the|an?|any) )?(?:\w+ )?(?:internet|sewers?|sewage|grid|mains|network|wi-?fi|power|"
    r"electricity|water|railways?|roads?|gas|server|database|outside world)"
)

UNRELATED_TO = Rule(
    "unrelated to",
    r"(?!who (?:is|are|was|were) (?:unrelated|not (?:\w+ )?related))"
    r"(?:(?:(?:that|which|who) |(?<=\bbut\s)|(?<=\band\s)|(?<=\byet\s))(?:is |are |has |have |"
    r"had |was |were )|that's |that (?=isn't|aren't|wasn't|weren't))?"
    rf"(?:nothing to do with|{_RELATED}|{_CAUSED})",
    not_before=(
        rf"why|it|this|they|\w+ (?:have|has)|the|are \w+|is \w+|{AUXILIARY}|{PEOPLE}|{_PREDICATE}"
    ),
    not_after=r"it|each|one another|\?|$",
    examples=(
        Example(
            "what causes stomach pain but is unrelated to the liver",
            ("liver",),
            "what causes stomach pain",
        ),
        Example(
            "Works of Escher that have nothing to do with birds", ("birds",), "Works of Escher"
        ),
        Example(
            "Which noises do pipes make but aren't directly caused by frost?",
            ("frost",),
            "Which noises do pipes make?",
        ),
        Example("they are not related to each other"),
        Example("a kidney from people who are not related to the patient"),
        Example("rashes that are not solely caused by soap"),
    ),
)

NO_RELATION = Rule(
    "no relation to",
    r"(?:(?:(?:that|which|who) |(?<=\bbut\s)|(?<=\band\s)|(?<=\byet\s))(?:has|have|had|bears?|"
    r"bore|makes?|made)|with|having|bearing|making) (?:absolutely )?no (?:direct |close |obvious |"
    r"known |clear |particular )?(?:connections?|relations?|relationship|links?|ties|relevance|"
    r"bearing|involvement|references?|allusions?|mention) (?:to|with|in|on|of)",
    not_before=rf"why|{PEOPLE}",
    not_after=rf"it|each|one another|{_MAINS}|[.?!]|$",
    examples=(
        Example("poems that bear no relation to the war", ("war",), "poems"),
        Example(
            "What describes the siege but makes no mention of the fleet?",
            ("fleet",),
            "What describes the siege?",
        ),
        Example("farms with no connection to the grid"),
        Example("people who have no ties to the city"),
    ),
)
