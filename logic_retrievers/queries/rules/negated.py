"""A negation that speaks of the results: "not by Bach", "don't mention it"."""

from __future__ import annotations

from logic_retrievers.queries.rules.base import Example, Rule
from logic_retrievers.queries.rules.words import AUXILIARY, BREAK

_ABOUT = (
    r"(?: (?:about|in|by|from|on|for|with|at|near|of|above|below|under|over|involving|related to|"
    r"including|limited to|when it comes to|any of|concerning|regarding|necessarily|counting|"
    r"just|only|due to|during|after|before)\b)?"
)

DO_NOT_MENTION = Rule(
    "don't mention",
    r"(?:that |which )?(?:(?:do not|don't|dont|doesn't|does not|doesnt|didn't|did not|"
    r"(?:you )?needn't|need not) (?:mention|discuss|cover|consider|have (?:anything )?to do with|"
    r"include|involve|show(?: me)?|give me|tell me|talk about|bring up|want(?: any|"
    r" anything)?(?: to (?:hear|read|see|know|use|buy))?(?: about)?|care (?:about|for)|list|"
    r"suggest|recommend|focus on|refer to|relate to|pertain to|deal with|concern|feature|send me|"
    r"go into|go on about|bother with|send us|touch on|use the word|point me to|return|stem from|"
    r"result from)|(?:not |isn't |aren't )associated with|never (?:mention|discuss|talk about|"
    r"refer to|involve)s?)",
    not_before=(
        r"why|what|things|people who|(?:reasons?|when|if|what|why|who)(?: \S+){0,2}|they|you|he|"
        r"she|it|dogs|cats|men|women|kids|children|people|who|movies that|countries that|"
        r"what (?:happens|happened|to do)\b.{0,60}"
    ),
    not_after=r"to|it|me|[.?!]|$",
    examples=(
        Example(
            "Movies about the sea. Please don't mention sharks.",
            ("sharks",),
            "Movies about the sea.",
        ),
        Example(
            "what causes an itch but doesn't involve nettles?", ("nettles",), "what causes an itch?"
        ),
        Example("why don't you want to work here"),
        Example("what happens to letters that do not mention an address"),
    ),
)

NOT_INTERESTED_IN = Rule(
    "not interested in",
    r"(?:i am |i'm |im |we are |we're )?(?:not (?:really )?(?:interested in|looking for|"
    r"talking about|asking about|referring to|thinking of)|no interest in)|(?:i )?(?:do not|"
    r"don't|dont) mean|(?:i )?(?:could not|couldn't|do not|don't|could) care less about|"
    r"never mind(?: about)?|nevermind",
    before=rf"^\s*|{BREAK}|\w\)?\s*",
    not_before=r"why(?: \S+){0,2}|when|what|you|they|who|people|he|she|is|are|was",
    not_after=r"it|me|you|that i|anymore|[.?!]|$",
    examples=(
        Example("Mercury, I do not mean the planet", ("planet",), "Mercury"),
        Example("What is Phoenix? I am not talking about the city.", ("city",), "What is Phoenix?"),
        Example("why am I not interested in anything"),
    ),
)

HAD_ENOUGH = Rule(
    "had enough of",
    r"(?:i've |ive |i have |we've |we have |i )?already (?:know(?: all)?(?: about)?|have|own|"
    r"read|saw|seen|tried|watched|visited|got|did|done|been to)|(?:i'm |im |i am |"
    r"we're )?(?:sick of|fed up with|tired of|done with|bored (?:of|with)|allergic to)|(?:i'm|im|"
    r"i am|we're|we are) out of(?= \w+,)|(?:i )?can't stand|(?:i've |i have )?(?:read|heard|"
    r"seen) enough (?:of|on|about)|enough (?:of|about)|(?:zero|no) interest in|(?:i've|we've|"
    r"i have|we have) ruled out|who can't have|if (?:i|we|you) can't (?:use|eat|have)|"
    r"no more(?! than)",
    before=(
        r"^\s*|[,;.!?(-]\s*|\b(?:and|but|i|we|i'm|i've|dad|mum|mom|friend|for someone|party|"
        r"who)\s*|\w\s*(?=$)"
    ),
    not_before=(
        r"why|what|how|when|was|were|what to do when|people(?: \S+)?|dogs?|babies|"
        r"if you(?: \S+)?|are you|if|have|he|she|feeling|is|being|become|am i|so"
    ),
    not_after=r"it|me|you|life|myself|everything|work|[.?!]|$|crying|being|feeling|dogs$",
    examples=(
        Example(
            "Fed up with curry, what else is good with lentils?",
            ("curry",),
            "what else is good with lentils?",
        ),
        Example("what are people allergic to"),
    ),
)

NOTHING_ABOUT = Rule(
    "nothing about",
    r"(?:nothing|not anything) (?:about|on|with|from|by|to do with|related to|in|involving|"
    r"containing|like|mentioning|that (?:involves|is|has|contains|mentions|uses|needs|includes))|"
    r"nothing(?: too)?",
    before=r"^\s*|[,;:.!?(-]\s*|\b(?:but|please|has|have|with|though|that have|that has)\s*",
    not_before=(
        rf"know|knows|knew|{AUXILIARY.replace('has|have|', '')}|there is|means|almost|says|said|"
        rf"for|from|cost|to|into|like|feel|in|if|when|do|or|and|i|we|you|they|she|he|"
        rf"(?:do|does|did|if|whether|that|why)(?: \S+){{1,6}}(?<!\s(?:and|but))(?<!should) "
        r"(?:has|have)"
    ),
    not_after=(
        r"it|me|you|we|i|else|more|less|but|happens|happened|works|matters|is|was|to|special|"
        r"wrong|new|helps?|hurts?|shows?|phone|in the fridge|in common|[.?!]|$"
    ),
    examples=(
        Example("Polish novels, nothing about the war", ("war",), "Polish novels"),
        Example("why do I know nothing about wine"),
        Example("who said that art has nothing to do with morals"),
    ),
)

BUT_NOT = Rule(
    "but not",
    rf"(?:but|yet|and(?: definitely| certainly| preferably)?|just|please|definitely|"
    rf"preferably) not{_ABOUT}|as long as (?:it's|it is|they're|they are) not{_ABOUT}",
    not_before=r"only|not just|not only|last|why|both|is|are|was|were|of|also",
    not_after=(
        r"least|only|just|yet|sure|really|always|be|been|have|has|to|why|vice|one|longer|matter|"
        r"way|such|too|so|all|enough|quite|if|when|how|others?|pain|more|less|\w+ed(?= (?:by|to|"
        r"for|in|with|at|on)\b|[.?!,)]|$)|\w+[ai]ble|losing|working"
    ),
    examples=(
        Example(
            "Hotels near the harbour, but not above a nightclub.",
            ("nightclub",),
            "Hotels near the harbour.",
        ),
        Example(
            "What do B cells do in the body but not their origin?",
            ("origin",),
            "What do B cells do in the body?",
        ),
        Example("fast but not yet furious"),
    ),
)

NOT_ONE = Rule(
    "but not one with",
    r"(?:(?:(?:but|yet|and|just) |(?<=[,;.(]\s))not (?:the )?(?:one|ones|any|those)|(?:but|yet) "
    r"none) (?:(?:that|which|who) "
    r"(?:is|are|was|were|has|have|had|uses?|contains?|includes?|involves?|needs?|features?|allows?|"
    r"serves?|sells?|plays?|comes? with)|made (?:by|of|from|in|with)|owned by|written by|run by|"
    r"with|by|from|in|on|at|near|above|below|under|over|about|containing|using|involving)",
    not_before=rf"{AUXILIARY}|why|if|whether|or|only",
    not_after=r"it|them|us|me|us all|the above|[.?!]|$",
    opening=False,
    examples=(
        Example(
            "A hotel by the sea, but not one with a nightclub",
            ("nightclub",),
            "A hotel by the sea",
        ),
        Example("a campsite but none near a motorway", ("motorway",), "a campsite"),
        Example("a phone, not one made by Nokia", ("Nokia",), "a phone"),
        Example("I asked at all the inns, and none in town has a bath"),
    ),
)

COMMA_NOT = Rule(
    "X, not Y",
    rf"(?:not|never){_ABOUT}",
    before=r"\w[)\"']*(?:[,;:.?!]| \(|\s?[-])\s*",
    not_after=(
        r"just|only|because|to mention|yet|sure|really|always|be|been|have|has|to|surprisingly|"
        r"least|that|if|one|unlike|all|so|too|even|long|knowing|being|having|wanting|able|"
        r"working|interested|looking|talking|\w+[ai]ble|(?-i:[a-z]+ed)(?= (?:by|to|for|in|with|"
        r"at|on)\b|[.?!,)]|$)"
    ),
    opening=None,
    examples=(
        Example("python, not the programming language", ("programming language",), "python"),
        Example("boots for winter, not leather", ("leather",), "boots for winter"),
        Example("Venus (not the goddess)", ("goddess",), "Venus"),
        Example("she came, not knowing why"),
    ),
)

TERSE_NOT = Rule(
    "terse not",
    r"(?-i:not)",
    before=(
        r"^(?!.*\b(?:wh\w+|is|are|was|were|has|have|had|why|can|could|do|does|did|will|would|how|"
        r"if|to|or|should|must|may|i|you|we|they|he|she|it|that|who|module|error|"
        r"why)\b)(?:\S+ ){1,9}[\w)'-]+\s*"
    ),
    not_before=r"and|or|but|of|is|why|just|art of",
    not_after=(
        r"(?:\w+ing|\w+ed|allowed|found|guilty|enough|available|responding|yet|only|just|so|very|"
        r"too|to|at|on|in)\b.*|(?:\S+ ){3,}.*"
    ),
    opening=False,
    examples=(
        Example("street food in Hanoi not noodles", ("noodles",), "street food in Hanoi"),
        Example("laptop screen not working"),
    ),
)

NOUN_NOT_BY = Rule(
    "not by",
    r"(?:(?:that|which|who) (?:is|are|was|were) )?not (?:about|by|from|made (?:by|of|in|from)|"
    r"written by|directed by|set in|located in|based on|involving|starring|featuring|owned by|"
    r"published by|composed by|sung by|played by|hosted by|restricted to|limited to|made with|"
    r"produced by|involved in|part of|including|counting|mentioning|covering|in the|"
    r"in(?= (?-i:[A-Z])))",
    before=r"\w+\)?,?\s*",
    not_before=(
        rf"{AUXILIARY}|if|or|whether or|why|it|they|who|which|what|come|comes|came|that|came|"
        rf"(?:is|are|was|were) \w+"
    ),
    not_after=r"scratch|us|it",
    opening=False,
    examples=(
        Example("thrillers not set in London", ("London",), "thrillers"),
        Example("brass bands not from Yorkshire", ("Yorkshire",), "brass bands"),
        Example("which rivers are not from glaciers"),
    ),
)

THAT_IS_NOT = Rule(
    "that isn't",
    r"(?:(?:that|which|who) (?:(?:is|are|was|were) not|(?:isn't|aren't|wasn't|weren't|isnt|"
    r"arent))|that's not|thats not)(?: (?:in|on|at|about|by|from|made of|due to|"
    r"caused by|set in|based on|owned by)\b)?(?: (?:a|an|the)(?= ))?",
    not_before=r"why|one|thing|one thing",
    not_after=(
        r"(?!(?:Germans?|chicken|kitchen|garden|linen|children|women|men|wooden|golden|Nissan|"
        r"football|skiing|camping|fishing|boxing|wedding|pudding|parking|Boeing|"
        r"red)\b)(?-i:[a-z]+)(?:ed|en|able|ible|ing|ful|less|ive|ous|al|ic|ly)|real|safe|true|"
        r"good|too|very|so|as|easy|hard|sweet|spicy|expensive|one|toxic|afraid|human|your|his|"
        r"her|their|my|covered|subject|considered|known|part|allowed|legal|native|divisible|"
        r"prime|visible|present|part|fully|yet|at"
    ),
    opening=False,
    examples=(
        Example("a laptop that isn't an Apple", ("Apple",), "a laptop"),
        Example(
            "What causes a cough that's not due to allergies?",
            ("allergies",),
            "What causes a cough?",
        ),
        Example("an animal that is not afraid"),
    ),
)
