"""A second clause that denies: "who likes A and does not like B", "which film with A was not by B".

Only where what remains is a request of its own: the same thing is said of A that is denied of B, or
the noun that is asked for has a description of its own.
"""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule, Scope

_JOINED = (
    r"(?:(?:and|but|yet|though|while|whereas)(?: (?:who|that|which|they|he|she|it))?|who|that)"
)

_DENIED = (
    r"(?:(?:do|does|did|must|should|can|may|will|would)(?: not|n't)|cannot|can't|don't|doesn't|"
    r"didn't|mustn't|shouldn't|won't|dont|doesnt|didnt|never)"
)

_NO_OBJECT = (
    r"to|it|them|him|her|us|me|you|that|this|what|how|why|when|if|as|at all|so|too|either|anything|"
    r"anyone|anybody|in|on|at|by|for|from|with|up|down|out|off|over|away|and|or|but|[.?!,;]|$"
)

_REASON = (
    r"\b(?:why|if|when|whether|because|how|differ(?:s|ence|ences)?|compared?|versus|vs)\b.{0,150}"
)
"""Before a denial that is part of what is explained or compared."""

_ASKED = r"\b(?:who|which|that)\b[^.?!;]{2,140}"
"""Before a denial: somebody or something that is asked for, and what is said of it."""

_PLEASED = (
    r"\b(?:who|which|that)\b[^.?!;]{0,60}\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy(?:s|ed|ing)?|ador(?:e|es|ed|ing)|"
    r"prefer(?:s|red|ring)?|(?:fans?|lovers?) of|fond of|keen on|into)\b[^.?!;]{1,120}\s"
)

_NAME = r"(?:the )?(?-i:[A-Z_\d])"

_PLACED = r"(?:by|from|in|at|on|of|to|with|for)"

_DESCRIBED = (
    rf"^\W*(?:which|what)(?: [\w'-]+){{1,3}} (?:(?-i:[a-z]{{2,}}ing)(?: {_PLACED})?"
    rf"|(?:(?-i:[a-z]+(?:ed|en))|set|made|shot|held|sung|built|born|grown) {_PLACED}) {_NAME}"
    r"[^.?!,;:]{0,80} "
)
"""Before a denial: the noun that is asked for, with a name that describes it."""

NOT_THE_SAME = Rule(
    "and does not do the same",
    rf"{_JOINED} {_DENIED} (?P<verb>[a-z]{{2,}})",
    before=_ASKED,
    not_before=_REASON,
    not_after=_NO_OBJECT,
    opening=False,
    again=True,
    examples=(
        Example("Who plays the oboe and does not play the harp?", ("harp",), "Who plays the oboe?"),
        Example(
            "I need somebody who speaks Dutch, but they must not speak French. Who is it?",
            ("French",),
            "I need somebody who speaks Dutch. Who is it?",
        ),
        Example("Who lives in Oslo and does not like winter?"),
        Example("Why does he like tea and does not like coffee?"),
    ),
)

WITHOUT_THE_SAME = Rule(
    "without doing the same",
    r"without (?:also )?(?P<verb>[a-z]{2,}ing)",
    before=_ASKED,
    not_before=_REASON,
    not_after=_NO_OBJECT,
    opening=False,
    again=True,
    examples=(
        Example(
            "Who collects stamps without collecting coins?", ("coins",), "Who collects stamps?"
        ),
        Example("Who can sing without reading music?"),
        Example("ways to lose fat without losing muscle"),
    ),
)

NO_FAN = Rule(
    "and is no fan of",
    rf"{_JOINED} (?:(?:is|are) (?:no|not an?|not) (?:(?:great|big) )?"
    rf"(?:fans? of|lovers? of|fond of|keen on|into)|"
    rf"{_DENIED} (?:like|love|enjoy|adore|care for)|dislikes?|hates?|detests?|loathes?)",
    before=_PLEASED,
    not_before=_REASON,
    not_after=_NO_OBJECT,
    opening=False,
    examples=(
        Example(
            "Which neighbour loves opera and is no fan of jazz?",
            ("jazz",),
            "Which neighbour loves opera?",
        ),
        Example("who enjoys hiking but hates camping", ("camping",), "who enjoys hiking"),
        Example("Who is no fan of jazz?"),
    ),
)

DESCRIBED_IS_NOT = Rule(
    "which X doing A is not by B",
    r"(?:(?:is|are|was|were) not|isn't|aren't|wasn't|weren't) (?P<trap>(?:(?-i:[a-z]+(?:ed|en|own|"
    rf"ade|et|ot|un|uilt)) )?{_PLACED} {_NAME}[^.?!,;:]{{0,80}})",
    scope=Scope.BETWEEN,
    before=_DESCRIBED,
    opening=False,
    examples=(
        Example(
            "Which novel set in Paris was not written by Victor Hugo?",
            ("written by Victor Hugo",),
            "Which novel set in Paris?",
        ),
        Example(
            "What opera starring Callas is not from 1953?", ("1953",), "What opera starring Callas?"
        ),
        Example("Which novel was not written by Victor Hugo?"),
        Example("Which plants grown in Peru are not eaten raw?"),
    ),
)

DESCRIBED_DOES_NOT = Rule(
    "which X doing A does not B",
    rf"(?:(?:do|does|did) not|don't|doesn't|didn't) (?P<trap>(?-i:[a-z]+)(?: {_PLACED})? {_NAME}"
    r"[^.?!,;:]{0,80})",
    scope=Scope.BETWEEN,
    before=_DESCRIBED,
    opening=False,
    examples=(
        Example(
            "Which ferry leaving from Bergen does not call at Haugesund?",
            ("call at Haugesund",),
            "Which ferry leaving from Bergen?",
        ),
        Example("Which mammal does not lay eggs?"),
    ),
)

LEADING_WHO = Rule(
    "except those who ..., ...",
    r"(?:excluding|except(?:ing)?(?: for)?|apart from|aside from|other than|besides|leaving out|"
    r"leaving aside|ignoring|disregarding|not counting)"
    r" (?:everyone|everybody|anyone|anybody|(?:all )?(?:of )?(?:those|people|persons)|"
    r"(?:the )?ones|all) (?P<trap>(?:who|that|which) [^,.?!;:\n]{2,100}),",
    scope=Scope.BETWEEN,
    opening=True,
    examples=(
        Example(
            "Excluding everyone who likes tea, who likes chess?",
            ("who likes tea",),
            "who likes chess?",
        ),
        Example("everyone who likes tea, who likes chess"),
    ),
)
