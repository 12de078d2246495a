"""Another one is wanted: "capitals except Oslo"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule
from logic_retrievers.queries.rules.words import AUXILIARY

EXCEPT = Rule(
    "except",
    r"with the (?:sole |only )?(?:exc?epti?ons?|exclusion) of|ex?c?ept(?:ing)?(?: for| from| in|"
    r" by| with)?",
    not_before=r"python|java|try|sql|an|no",
    not_after=r"as|that|when|where|if|clause|block|statement|handl\w+|keyword",
    examples=(
        Example("vegan soups except tomato", ("tomato",), "vegan soups"),
        Example(
            "Every Nordic capital with the exception of Oslo and Helsinki",
            ("Oslo", "Helsinki"),
            "Every Nordic capital",
        ),
        Example("try except finally in python"),
        Example("except as otherwise provided by law"),
    ),
)

OTHER_THAN = Rule(
    "other than",
    r"oth(?:e)?r th[ae]n(?: (?:by (?:means|way) of|by using|by|through|via))?|"
    r"(?<=\belse\s)(?:than|but)",
    not_before=rf"none|no|more often|{AUXILIARY}|makes? \w+|makes it|look|looks|how",
    not_after=r"honou?rable|dishonou?rable|that|expected|temporary",
    examples=(
        Example(
            "Danish designers other than Arne Jacobsen", ("Arne Jacobsen",), "Danish designers"
        ),
        Example(
            "Other than the Louvre, which museums does Paris have?",
            ("Louvre",),
            "which museums does Paris have?",
        ),
        Example("How is malaria spread other than through bites?", ("bites",)),
        Example("it is none other than the king"),
    ),
)

APART_FROM = Rule(
    "apart from",
    r"(?:app?art|ass?ide) from",
    not_before=(
        r"(?:set|sets|setting|tell|tells|telling|told|stand|stands|stood|live|lives|lived|living|"
        r"grow|grew|keep|kept|move|moved|drift|drifted|pull|pulled|come|far)(?: \S+){0,5}"
    ),
    examples=(
        Example("seas apart from the Baltic", ("Baltic",), "seas"),
        Example(
            "Aside from rice, what do people in Laos eat?", ("rice",), "what do people in Laos eat?"
        ),
        Example("how to tell butter apart from margarine"),
    ),
)

BESIDES = Rule(
    "besides",
    r"besides",
    not_before=r"and|but",
    not_after=r"that|the point|this|which|being said|[.?!]|$",
    examples=(
        Example("fibres besides cotton", ("cotton",), "fibres"),
        Example("Who besides Amundsen reached the pole?", ("Amundsen",), "Who reached the pole?"),
        Example("and besides, it was late"),
    ),
)

OTHER_IN_ADDITION = Rule(
    "other ... in addition to",
    r"in addition to|on top of",
    before=r"\b(?:other|else|another)\b[^.?!]{0,150}",
    examples=(
        Example("what other games did he play in addition to chess?", ("chess",)),
        Example("does he play go in addition to chess?"),
    ),
)

ANYTHING_BUT = Rule(
    "anything but",
    r"(?:anything|everything|everywhere|anywhere|anyone|everyone|all|any \w+) (?:but|except)",
    before=(
        r"^\s*|[,;:.!?(-]\s*|\b(?:with|for|about|from|in|by|to|on|show|find|play|recommend|"
        r"suggest|want)\s*"
    ),
    not_before=rf"(?:{AUXILIARY})(?: \w+)?|it's|lost",
    not_after=(
        r"certain|one|over|gone|dead|impossible|forgotten|disappeared|not|nothing|no|never|it|he|"
        r"she|they|i"
    ),
    examples=(
        Example("sandwich fillings, anything but tuna", ("tuna",), "sandwich fillings"),
        Example("why is he anything but happy"),
    ),
)

BAR = Rule(
    "all bar",
    r"bar|barring|save(?: for)?|but(?: for)?(?= (?:the )?(?-i:[A-Z]))",
    before=(
        r"\b(?:all|any|every|each|everything|everyone|everybody|anything|anyone|anybody|anywhere|"
        r"everywhere|whole|who|which)\b(?: \S+){0,8},?\s*"
    ),
    not_before=(
        r"granola|chocolate|snack|candy|protein|the|a|an|to|can|could|i|we|you|they|menu|tool|"
        r"side|search|task|space|wine|tapas|sushi|pull[- ]up|chin[- ]up|cash|open|gold|it|salad|"
        r"snow|cold|mini|juice|best|coffee|cocktail|karaoke|rooftop|not|does|do|did|is|are|which|"
        r"who|every time"
    ),
    not_after=(
        r"\d|money|charts?|graphs?|exam|stools?|code|the date|up|not|also|only|it|how|what|is|"
        r"was|are|i|you|they|we|he|she|then|never|no|still|can|in|energy|time|lives|counter|on|"
        r"or|and|near|association|soap|prep|by|has|have|had|of|to|a file|files?|data|me|as"
    ),
    opening=False,
    examples=(
        Example("every continent bar Antarctica", ("Antarctica",), "every continent"),
        Example("all of his operas save for Aida", ("Aida",), "all of his operas"),
        Example("how can everyone save for retirement"),
        Example("which cash bar prices are usual"),
    ),
)

NAME_BAR = Rule(
    "bar Name",
    r"(?:bar|barring|save(?: for)?)(?= (?:the )?(?-i:[A-Z_0-9]))|barring|"
    r"(?<=\S\s)save for(?! (?:the|a|an|my|your|our|his|her|it|retirement|college|later|me)\b)",
    before=r"\w,?\s*|,\s*",
    not_before=(
        r"grades?|how|us|this|is|was|does|snacks|helps|jesus|[a-z]+ (?:can|to)|tapas|rooftop|"
        r"cocktail|wine|sushi|snack|coffee|karaoke|sports|best|to"
    ),
    opening=False,
    examples=(
        Example("Baltic states, barring Latvia", ("Latvia",), "Baltic states"),
        Example("his plays save Faust in order", ("Faust",), "his plays in order"),
        Example("how birds save energy"),
    ),
)

RATHER_THAN = Rule(
    "rather than",
    r"rather than|instead of|as opposed to|in place of|in lieu of",
    not_before=(
        r"(?:why|difference between|should|better|when to|what if|what happens|is it|can (?:i|we|"
        r"be)|could (?:i|we)|(?:can|could) you (?:use|eat|take|make|put|cook)|replace|substitute|"
        r"choose|chose|cause|caused|causes|vs|versus|how does|did|was|were|advantages|"
        r"pros and cons|benefits|reasons|what makes|cost of|use|used)\b.{0,150}|or"
    ),
    not_after=r"or|vs|versus|just",
    examples=(
        Example("herbal teas rather than coffee", ("coffee",), "herbal teas"),
        Example("Instead of beef, show me bean burgers", ("beef",), "show me bean burgers"),
        Example("can I use oil instead of butter"),
    ),
)

UNLIKE = Rule(
    "unlike",
    r"unlike|in contrast to|contrary to",
    before=(
        r"^\s*|[.!?;]\s*|,\s*|^(?!.*\b(?:is|are|was|were|not|how|why|quite|much|no|"
        r"so)\b).*\w\s*(?=$)"
    ),
    not_after=r"(?:other|most|many|popular|the rest|any other)\b|charges|terms|poles|buttons?|sign",
    examples=(
        Example(
            "Unlike Rust, which languages collect garbage?",
            ("Rust",),
            "which languages collect garbage?",
        ),
        Example("unlike charges attract"),
    ),
)

NEITHER = Rule(
    "neither ... nor",
    r"(?:(?:with|containing|using|that's|that (?:is|are|was|were|has|have|contain|contains|use|"
    r"uses|involve|involves)|who (?:is|are|was|were)|which (?:is|are)) )?neither(?: (?:of|in|by|"
    r"from|about|with|a|an|the))?(?=[^.?!]{1,80}\bnor\b)",
    not_before=rf"{AUXILIARY}|it|me|why",
    examples=(
        Example("desserts with neither eggs nor milk", ("eggs", "milk"), "desserts"),
        Example("why can neither he nor she swim"),
    ),
)

MID_OUTSIDE_OF = Rule(
    "... outside of",
    r"(?:that (?:is|are) )?outside(?: of)?(?: the)?(?= (?-i:[A-Z]))|outside of(?! (?:the|a|an|my|"
    r"your|his|her|their|our|it)\b)",
    before=r"\w{3,},?\s*",
    not_before=(
        rf"{AUXILIARY}|lives?|living|goes|go|works?|exists?|born|used|occur|occurs|just|right|"
        rf"step|from|towns? just|died|play(?:ed|s)?"
    ),
    opening=False,
    examples=(
        Example("ski resorts outside of Austria", ("Austria",), "ski resorts"),
        Example("the dog sits outside of the house"),
    ),
)

BEYOND = Rule(
    "beyond",
    r"(?:going |that go |that goes )?(?:beyond|past(?= (?-i:[A-Z])))",
    before=(
        r"\b(?:anything|something|else|other \w+|more|[a-z]{4,}(?<!s)s(?: [^.?!]{0,60})?),?\s*|"
        r"^(?!.*\b(?:can|could|how|why|life|go|going)\b)(?:\S+ ){1,6}"
    ),
    not_before=(
        rf"{AUXILIARY}|lies|goes|us|extends|exists|looks|minus|travels|drives|plus|years|days|"
        rf"hours|weeks|months|minutes|stars|hits|runs|this|times|galaxies|planets|objects|"
        rf"numbers|life"
    ),
    not_after=(
        r"\d|a|an|our|your|my|reasonable|repair|belief|earth|good|all|compare|words|control|"
        r"limits|due|it|that|human|expiration|which|recognition|what|life|pluto|"
        r"the(?! (?:(?-i:[A-Z])|usual|obvious))"
    ),
    opening=False,
    examples=(
        Example("board games beyond Monopoly", ("Monopoly",), "board games"),
        Example("is there life beyond earth"),
    ),
)
