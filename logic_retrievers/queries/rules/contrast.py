"""A denial behind what is wanted: "but are not by Bach", "but do not address taxes"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule, Scope
from logic_retrievers.queries.rules.words import ADVERB, CONTRAST

_IS_NOT = r"(?:(?:is|are|was|were) not|isn't|aren't|wasn't|weren't|isnt|arent|wasnt|werent)"

_DOES_NOT = (
    r"(?:(?:do|does|did|can|should|must) not|cannot|don't|doesn't|didn't|can't|dont|doesnt|didnt)"
)

_NAME = r"(?:the |those (?:of|in|from) |that of )?(?-i:[A-Z_])"

_NO_CONTRAST = (
    r"\b(?:why|if|when|whether|because)\b.{0,150}|^\W*(?:the|this|that|my|his|her|their|our|an?|it|"
    r"he|she|they)(?: (?!(?:that|which|who)\b)\S+){0,4} (?:is|are|was|were|has|have|had)\b.{0,150}"
)
"""Before a denial that is part of what is asked or told: "why is it round but is not a planet"."""

_OF_PERSONS = r"\b(?:who|whose|someone|somebody|anyone|a person|people|he|she|they)\b.{0,150}"
"""A person who is not this or that is described: "who works here but is not a citizen"."""

BUT_IS_NOT_OF = Rule(
    "but is not by",
    rf"{CONTRAST} {_IS_NOT}{ADVERB} (?:about|part of|one of|an? (?:example|part|type|kind|form|"
    r"member) of|made (?:by|of|in|from|with)|set in|based (?:on|in)|located in|"
    r"involved (?:in|with)|related to|limited to|specific to|confined to|focused on|concerned with|"
    r"(?:written|directed|produced|published|composed|painted|designed|owned|run|caused|played|"
    r"sung|hosted|sponsored) by|(?:(?:\w+(?:ed|en) )?by|from|in|on|at|near)"
    r"(?= (?:the )?(?-i:[A-Z_])))",
    not_before=_NO_CONTRAST,
    not_after=r"it|them|him|her|us|me|you|each|[.?!]|$",
    opening=False,
    examples=(
        Example(
            "Which symphonies end quietly but were not written by Mahler?",
            ("Mahler",),
            "Which symphonies end quietly?",
        ),
        Example(
            "What is Delft known for and is not about Vermeer?",
            ("Vermeer",),
            "What is Delft known for?",
        ),
        Example("parcels that were sent but were not delivered by the post"),
    ),
)

BUT_IS_NOT_ONE = Rule(
    "but is not a",
    rf"{CONTRAST} {_IS_NOT}{ADVERB}(?: (?:an?|any|the(?= (?-i:[A-Z_])))|"
    r"(?= (?!(?:always|sometimes|this|yours|theirs|ours|hers)\b|\w*(?:ous|ss)\b)(?-i:[a-z]{3,}s)"
    r"(?:[.?!,]|$| or | and )))",
    not_before=rf"{_NO_CONTRAST}|{_OF_PERSONS}",
    not_after=(
        r"same|good|bad|big|real|true|must|problem|requirement|solution|threat|danger|concern|"
        r"priority|match|(?:\w+ )?(?:option|issue|reason|excuse|guarantee|substitute|replacement)|"
        r"more|less|better|longer"
    ),
    opening=False,
    examples=(
        Example("What stings swimmers but is not a jellyfish?", ("jellyfish",)),
        Example("Which drugs ease hay fever but aren't antihistamines?", ("antihistamines",)),
        Example("can someone who works here but is not a citizen vote"),
        Example("Why is Pluto round but is not a planet?"),
    ),
)

BUT_NOT_LIKE = Rule(
    "but not like Name",
    rf"{CONTRAST} (?:{_IS_NOT}|{_DOES_NOT}){ADVERB}(?: as)? (?P<trap>[^.?!,;]{{1,60}}? "
    rf"(?:like|as|similar to|such as) {_NAME}[^.?!,;]{{0,60}})",
    scope=Scope.BETWEEN,
    not_before=_NO_CONTRAST,
    opening=False,
    examples=(
        Example(
            "Which funds hold stocks but are not openly traded like the Vanguard ETF?",
            ("traded like the Vanguard ETF",),
            "Which funds hold stocks?",
        ),
        Example("fruits that are round but are not sweet like candy"),
    ),
)

BUT_DOES_NOT = Rule(
    "but does not address",
    rf"{CONTRAST} (?:{_DOES_NOT}|never){ADVERB} (?:(?:mention|discuss|cover|refer to|address|"
    r"describe|explain|examine|explore|analy[sz]e|emphasi[sz]e|highlight|reference|relate to|"
    r"pertain to|concern|involve|speak (?:of|about)|talk about|touch (?:on|upon)|go into|"
    r"focus on|cent(?:er|re) (?:on|around)|revolve around|originate (?:from|in|with)|"
    r"arise from|stem from|derive from|come from|belong to|fall under)(?:e?s)?)",
    not_before=rf"{_NO_CONTRAST}|{_OF_PERSONS}",
    not_after=r"it|them|him|her|us|me|you|themselves|itself|anyone|anybody|anything|why|[.?!]|$",
    opening=False,
    examples=(
        Example(
            "What explains dyslexia but does not address spelling?",
            ("spelling",),
            "What explains dyslexia?",
        ),
        Example("why do reports cover floods but do not address dams"),
    ),
)

NOT_CONFUSED = Rule(
    "not to be confused with",
    r"not (?:to be )?(?:confused with|mixed up with|mistaken for)",
    not_before=r"why|is|are|was|were|it|they",
    examples=(
        Example(
            "history of the viola, not to be confused with the viol",
            ("viol",),
            "history of the viola",
        ),
        Example("why are they not confused with wasps"),
    ),
)
