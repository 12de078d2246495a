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
    r"(?:^|(?<=[.!?] ))(?:No|Nothing|Never|Nobody|Without|Don't|Can't|"
    r"Won't|Ain't)(?:\s+(?:(?:of|the|for|a|in|and|to)\s+){0,2}[A-Z][\w'-]*){2,5}"
)
_WORD = re.compile(r"\b\w{3,}")

_IDIOMS = re.compile(
    r"(?<![\w-])(?:"
    r"doctors without borders|reporters without borders|without (?:a doubt|doubt|fail|further ado|"
    r"loss of generality|prejudice|recourse|exception)|with or without(?: you)?|"
    r"no country for old men|no man'?s land|no man'?s sky|no way home|no time to die|no woman no "
    r"cry|no man is an island|no scalpel|no balls?|dr\.? no|no matter|no "
    r"doubt|no brainer|no fly (?:zone|list)|no[- ]show|"
    r"no strings attached|no[- ]win|no pain,? no gain|no child left behind|no win,? no fee|no "
    r"fault|no claims?|no contact|no deal|no code|no reply|"
    r"no problem|no worries|no offen[cs]e|no confidence|no rush|no hurry|no contest|no reserve|no "
    r"knead|no bake|no "
    r"churn|no dig|no till|no poo|no objection|no parking|no smoking|no trespassing|no entry|no "
    r"cap|no carb|"
    r"no\. ?\d+|no \d+|yes or no|say(?:ing)? no|"
    r"not for profits?|not safe for work|not guilty|not only|not just|not yet|not necessarily|"
    r"whether or not|or not|if not|why not|not applicable|not a number|not null|not found|not "
    r"equal|"
    r"waste not,? want not|touch me not|forget[- ]me[- ]nots?|last but not least|more often than "
    r"not|believe it or not|to be or not to be|not in my back ?yard|love me not|"
    r"never mind the (?:buzzcocks|bollocks)|never have i ever|never ?land|nevermind album|never "
    r"again|never "
    r"ending|neverending|"
    r"none of the above|none other than|second to none|bar none|nothing gold|nothing compares|"
    r"nothing but|much ado about nothing|nothing phone|all or nothing|good for nothing|double or "
    r"nothing|sweet nothings?|"
    r"absence of evidence(?: is not evidence of absence)?|no taxation without representation|no "
    r"hitters?|leave no trace|left out in|"
    r"besides the point|beside the point|above and beyond|bed bath (?:and|&) beyond|beyond (?:a |"
    r"any )?reasonable doubt|beyond meat|beyond burgers?|beyond repair|beyond belief|beyond good "
    r"and evil|"
    r"save (?:the date|for later|for retirement|for college|for a|for my|for your)|save the "
    r"(?:children|whales|planet|world|day|last dance|environment|cat)|"
    r"excluded middle|excluded volume|exclusion criteria|exclusion zones?|exclusion principle|"
    r"social exclusion|"
    r"(?:rope )?skipping rope|skipping stones?|stone skipping|skip (?:list|bin|hire|tracing|to "
    r"content|connections?|logic|bo|intro|rope)|rope skipping|"
    r"ignore list|ignore case|gitignore|avoidance|tax avoidance|obstacle avoidance|collision "
    r"avoidance|avoid plagiarism|"
    r"minus sign|plus (?:or )?minus|plus/minus|minus \d+|\d+ minus|surplus minus|minus times "
    r"minus|minus the bear|"
    r"other than honou?rable|apart of|worlds apart|fall(?:ing)? apart|take apart|taking apart|"
    r"exception handling|except(?:ion)? clause|try except|exceptions? to the rule|no exceptions?|"
    r"with few exceptions|"
    r"leave (?:in|no|me|policy|of absence)|drop (?:shipping|ceiling|down|table|column|box|out|off|"
    r"tower|bear)|hold(?:ing)? (?:hands|on|em|the line)|"
    r"i (?:don't|do not) know|(?:i'm |i am )?not sure|don't worry|not too much trouble|can't "
    r"remember|"
    r"(?:wasn't|isn't|aren't) (?:it|there|the right place)|no idea|no news is good news|nothing "
    r"ventured|not in handle|can't see the wood|all hat and no cattle|do no harm|"
    r"know[- ]nothings?|know nothing|do not (?:disturb|resuscitate|pass go)|don't repeat yourself|"
    r"don't ask,? don't tell|don't stop believin'?|don't you forget about me|is no excuse|"
    r"thou shalt not|not like us|not another teen movie|and then there were none|"
    r"neither a borrower nor a lender be|neither[ ,/-]+nor|(?:use|using) other than|not gate|"
    r"(?:not|minus|except) operator|operator not|logical not|it ain't much|going [a-z]+[- ]free"
    r")(?![\w-])",
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
