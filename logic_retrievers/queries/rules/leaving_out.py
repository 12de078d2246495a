"""Something is to be left out: "leave Rome out", "ignoring price"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule, Scope
from logic_retrievers.queries.rules.words import AUXILIARY, BREAK, PERSON, PREPOSITION

_TO_A_COMMA = r"(?![^,.!?]{1,100}(?:,|[.!] \w)).{0,160}"

EXCLUDING = Rule(
    "excluding",
    r"exc?l?u[a-z]{0,2}ing|omitting|discounting|excl\.?(?= )|eliminating|filtering out|ruling out",
    before=r"\w{2}\s*|[,;:.!?)(\"'-]\s*|^\s*",
    not_before=(
        rf"{PREPOSITION}|or|never|{AUXILIARY}|tests?|(?:does|do) \w+|ways?|tool|app|steps|best|"
        rf"stain"
    ),
    not_after=r"outliers|or|criteria|from|paint|stains?|duplicates|wallpaper",
    examples=(
        Example(
            "rock bands of the 1970s, excluding British ones",
            ("British ones",),
            "rock bands of the 1970s",
        ),
        Example("effects of excluding dairy"),
    ),
)

EXCLUDE = Rule(
    "exclude",
    r"(?:exc?lud+es?|refrain from|omit|filter out|rule out|leave (?:out|aside)|skip(?: over)?|"
    r"ignore|disregard|drop|avoid|steer clear of|set aside|stay away from|keep off|remove|"
    r"strip out|hide|pass over|spare me|weed out|leave off|forget(?: about)?)",
    before=(
        rf"{BREAK}|^(?!.*\b(?:how|ways|what|why|should|foods|can|you|people|things|who|that|tips|"
        rf"best)\b)"
        r"(?:\S+ ){4,}"
    ),
    not_before=(
        r"(?:how|ways?|tips?|try|trying|foods|best|safe|okay|ok|why|reasons?|should|benefits?|"
        r"effects?|when|what|which|who|is it|things|whether|was|were|did|"
        r"didn't)(?: (?!and\b)[^\s,;:.!?]+){0,3}|will|who|they|does|do|it"
    ),
    not_after=(
        r"\d|if|it|or|and|them|this|button|intro|a grade|on|infinity|off|out|down|from|[.?!]|$"
    ),
    opening=None,
    examples=(
        Example("List moons of Saturn and exclude Titan", ("Titan",), "List moons of Saturn"),
        Example("noodle soups. Skip anything with pork.", ("pork",), "noodle soups."),
        Example("how to exclude a folder from a backup"),
        Example("ways to avoid jet lag"),
    ),
)

LEAVING_OUT = Rule(
    "leaving out",
    r"leav(?:es|ing) (?:out|aside)|skip(?:ping|s)(?: over)?|ignor(?:es|ing)|disregarding|"
    r"dropping|avoid(?:s|ing)|steering clear of|setting aside|removing|staying away from",
    before=BREAK,
    not_before=(
        r"(?:how|ways?|tips?|try|trying|foods|best|safe|why|reasons?|should|benefits?|effects?|"
        r"when|what|which|who|is it|things|if)(?: [^\s,;:.!?]+){0,3}|will|who|they|does|do|it"
    ),
    not_after=r"\d|if|it|or|and|them|this|rope|stones?|symptoms|[.?!]|$",
    examples=(
        Example(
            "a route to the coast, avoiding toll roads", ("toll roads",), "a route to the coast"
        ),
        Example("why he was late, and skipping it"),
    ),
)

LEAVING_OUT_GERUND = Rule(
    "... leaving out",
    r"leaving (?:out|aside)|omitting|ignoring|disregarding|skipping|avoiding|not counting|"
    r"not incl\.?|not including|setting aside",
    before=r"\w+\W+\w{2,}\s*",
    not_before=(
        rf"{PREPOSITION}|{AUXILIARY}|{PERSON}|keeps?|stop|stopped|start|started|intermittent|tax|"
        rf"risk|harm|conflict|i|we|you|ends? up"
    ),
    not_after=(
        r"it|them|or|and|someone|you|me|him|her|rope|stones?|symptoms|a period|your|my|class|"
        r"school|breakfast|meals|lunch|[.?!]|$"
    ),
    opening=False,
    examples=(
        Example("album reviews ignoring the bonus tracks", ("bonus tracks",), "album reviews"),
        Example("benefits of ignoring the news"),
        Example("why is my cat ignoring me"),
    ),
)

OPENING = Rule(
    "ignoring ..., ...",
    r"ignoring|disregarding|excluding|leaving (?:aside|out)|setting aside|skipping|avoiding|"
    r"not counting|not including|discounting|omitting|barring|forgetting|with no|not (?:about|"
    r"the)|not(?= [^,.!?]{1,30}[,!.] (?:what|which|who|where|how|show|find|list|give)\b)|minus|"
    r"bar|save(?: for)?(?= (?:the )?(?-i:[A-Z]))|short of|in addition to|on top of|"
    r"outside(?: of)?|beyond(?: just)?",
    opening=True,
    not_after=rf"{_TO_A_COMMA}|reasonable",
    examples=(
        Example(
            "Ignoring price, which tent is the lightest?", ("price",), "which tent is the lightest?"
        ),
        Example(
            "In addition to chess, what other games did he play?",
            ("chess",),
            "what other games did he play?",
        ),
        Example(
            "Outside of Tokyo, where can I see cherry blossom?",
            ("Tokyo",),
            "where can I see cherry blossom?",
        ),
        Example("ignoring chest pain"),
        Example("beyond the horizon meaning"),
    ),
)

HOLD = Rule(
    "hold",
    r"hold",
    before=r"[,;.!?] ",
    not_after=r"on|hands|it|my|your|that",
    opening=None,
    examples=(
        Example("a cheeseburger, hold the onions", ("onions",), "a cheeseburger"),
        Example("relax, hold on"),
    ),
)

EXCLUDED = Rule(
    "... excluded",
    r"(?:(?:being|is|are) )?(?:excluded|exempted|excepted|not included|not counted|left out|"
    r"aside|notwithstanding|omitted|not wanted|unwanted)|(?:is|are|has been|"
    r"have been) (?:ruled out|off the list|off the table|out of the question)",
    scope=Scope.BEFORE,
    before=r"(?:[,;:(.!?-]|\bwith|\bbut)\s*(?:[\w'.&-]+ ){1,6}|^(?:[\w'.&-]+ ){1,6}",
    not_before=(
        rf"{AUXILIARY}|get|gets|got|who|not|why|what|people|often|feel|feels|feeling|set|step|put|"
        r"brush|push|move|stand|look|turn|cast|lay|joking|kidding|money|present company"
    ),
    not_after=r"\w[\w-]*",
    examples=(
        Example("train museums in Britain, York excluded", ("York",), "train museums in Britain"),
        Example("Cost aside, which school is best?", ("Cost",), "which school is best?"),
        Example("who is excluded from jury duty"),
        Example("html aside tag"),
    ),
)

LEAVE_OUT = Rule(
    "leave ... out",
    r"(?:leav(?:e|es|ing)|keep(?:s|ing)?|putting|put|setting|"
    r"set)(?P<trap> [^.?!;:\n]{1,60}?) (?:out(?: of (?:it|this|the (?:list|discussion|answer|"
    r"picture|results|mix)))?|aside|to one side|off the list)",
    scope=Scope.BETWEEN,
    before=rf"^\s*|{BREAK}|\bif (?:i|you|we)\s*|\w{(3,)} $",
    not_before=(
        rf"{AUXILIARY}|of|by|for|when|with|from|about|meat|food|how to|how (?:do|can) (?:i|you|"
        rf"we)|who|which|to"
    ),
    not_after=r"in the|of (?:the|my|your)|for|overnight|money",
    examples=(
        Example("gifts for a cook. Leave knives out.", ("knives",), "gifts for a cook."),
        Example(
            "Leaving Rome out, where is good pizza made?", ("Rome",), "where is good pizza made?"
        ),
        Example("how to keep cats out of the garden"),
    ),
)
