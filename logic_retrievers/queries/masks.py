"""Names, quotations and idioms, in which a cue rules nothing out: "Doctors Without Borders"."""

from __future__ import annotations

import re

FILL = "_"

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2014": ";",
    }
)

_QUOTED = re.compile(r'"[^"\n]{1,200}"|(?<!\w)\'[^\'\n]{2,80}\'(?!\w)')

_CUES = (
    "Without|Not|No|Nothing|Never|Nobody|None|Neither|Nor|Except|Beyond|Minus|Save|Bar|Besides|"
    "Apart|Aside|Other|Outside|"
    "Unlike|Avoid|Avoiding|Ignore|Ignoring|Skip|Skipping|Excluded|Exclusion|But|Don't|Less|Leave|"
    "Leaving|Drop|Hold|Instead|Rather|Sans|Wasn't|Isn't|Aren't|Won't|Can't"
)
_NAME_WITH_CUE = re.compile(
    rf"(?<=[\w,'\")] )(?:[A-Z][\w'&-]*\s+(?:(?:of|the|for|a|in|and|"
    rf"to)\s+){{0,2}})?(?:{_CUES})\b(?:\s+(?:(?:of|the|for|a|in|and|to|"
    rf"than)\s+){{0,2}}[A-Z][\w'-]*){{0,5}}"
)
_TITLE = re.compile(
    r"(?<=[a-z,'\")] )(?!The\b|An?\b)[A-Z][\w'-]*(?:\s+(?:(?:of|the|in|on|to|a|for|with|at|"
    r"from)\s+)*[A-Z][\w'-]*){2,}"
)
"""Three capitals in a row: one name, whatever words it holds."""
_OPENING_NAME = re.compile(
    r"(?:^|(?<=[.!?] ))(?:No|Nothing|Never|Nobody|Without|Don't|Can't|Won't|Ain't)(?:\s+(?:(?:of|"
    r"the|for|a|in|and|to)\s+){0,2}[A-Z][\w'-]*){2,5}"
)
_WORD = re.compile(r"\b\w{3,}")

_IDIOMS = re.compile(
    r"(?<![\w-])(?:doctors without borders|reporters without borders|without (?:a doubt|doubt|"
    r"fail|further ado|loss of generality|prejudice|recourse|exception)|with or without(?: you)?|"
    r"no country for old men|no man'?s land|no man'?s sky|no way home|no time to die|"
    r"no woman no cry|no man is an island|no scalpel|no balls?|dr\.? no|no matter|no doubt|"
    r"no brainer|no fly (?:zone|list)|no[- ]show|no strings attached|no[- ]win|no pain,? no gain|"
    r"no child left behind|no win,? no fee|no fault|no claims?|no contact|no deal|no code|"
    r"no reply|no problem|no worries|no offen[cs]e|no confidence|no rush|no hurry|no contest|"
    r"no reserve|no knead|no bake|no churn|no dig|no till|no poo|no objection|no parking|"
    r"no smoking|no trespassing|no entry|no cap|no carb|no\. ?\d+|no \d+|yes or no|"
    r"say(?:ing)? no|not for profits?|not safe for work|not guilty|not only|not just|not yet|"
    r"not necessarily|whether or not|or not|if not|why not|not applicable|not a number|not null|"
    r"not found|not equal|waste not,? want not|touch me not|forget[- ]me[- ]nots?|"
    r"last but not least|more often than not|believe it or not|to be or not to be|"
    r"not in my back ?yard|love me not|never mind the (?:buzzcocks|bollocks)|never have i ever|"
    r"never ?land|nevermind album|never again|never ending|neverending|none of the above|"
    r"none other than|second to none|bar none|nothing gold|nothing compares|nothing but|"
    r"much ado about nothing|nothing phone|all or nothing|good for nothing|double or nothing|"
    r"sweet nothings?|absence of evidence(?: is not evidence of absence)?|"
    r"no taxation without representation|no hitters?|leave no trace|left out in|"
    r"besides the point|beside the point|above and beyond|bed bath (?:and|&) beyond|beyond (?:a |"
    r"any )?reasonable doubt|beyond meat|beyond burgers?|beyond repair|beyond belief|"
    r"beyond good and evil|save (?:the date|for later|for retirement|for college|for a|for my|"
    r"for your)|save the (?:children|whales|planet|world|day|last dance|environment|cat)|"
    r"excluded middle|excluded volume|exclusion criteria|exclusion zones?|exclusion principle|"
    r"social exclusion|(?:rope )?skipping rope|skipping stones?|stone skipping|skip (?:list|bin|"
    r"hire|tracing|to content|connections?|logic|bo|intro|rope)|rope skipping|ignore list|"
    r"ignore case|gitignore|avoidance|tax avoidance|obstacle avoidance|collision avoidance|"
    r"avoid plagiarism|minus sign|plus (?:or )?minus|plus/minus|minus \d+|\d+ minus|"
    r"surplus minus|minus times minus|minus the bear|other than honou?rable|apart of|"
    r"worlds apart|fall(?:ing)? apart|take apart|taking apart|exception handling|"
    r"except(?:ion)? clause|try except|exceptions? to the rule|no exceptions?|"
    r"with few exceptions|leave (?:in|no|me|policy|of absence)|drop (?:shipping|ceiling|down|"
    r"table|column|box|out|off|tower|bear)|hold(?:ing)? (?:hands|on|em|the line)|i (?:don't|"
    r"do not) know|(?:i'm |i am )?not sure|don't worry|not too much trouble|can't remember|"
    r"(?:wasn't|isn't|aren't) (?:it|there|the right place)|no idea|no news is good news|"
    r"nothing ventured|not in handle|can't see the wood|all hat and no cattle|do no harm|"
    r"know[- ]nothings?|know nothing|do not (?:disturb|resuscitate|pass go)|"
    r"don't repeat yourself|don't ask,? don't tell|don't stop believin'?|"
    r"don't you forget about me|is no excuse|thou shalt not|not like us|not another teen movie|"
    r"and then there were none|neither a borrower nor a lender be|neither[ ,/-]+nor|(?:use|"
    r"using) other than|not gate|(?:not|minus|except) operator|operator not|logical not|"
    r"it ain't much|going [a-z]+[- ]free)(?![\w-])",
    re.IGNORECASE,
)


def mask(text: str) -> str:
    """The text with names, quotations and idioms filled, signs made plain; offsets stay."""
    masked = text.translate(_PLAIN)
    masked = _QUOTED.sub(_fill, masked)
    if not _is_title_case(masked):
        masked = _NAME_WITH_CUE.sub(_fill, masked)
        masked = _OPENING_NAME.sub(_fill, masked)
        masked = _TITLE.sub(_fill, masked)
    return _IDIOMS.sub(_fill, masked)


def _fill(found: re.Match[str]) -> str:
    return FILL * len(found.group())


def _is_title_case(text: str) -> bool:
    """Most words are capitalised, so that a capital tells nothing."""
    words = _WORD.findall(text)
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.85 * len(words)
