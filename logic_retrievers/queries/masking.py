"""Masks what is one thing whatever words it holds: names, quotations, idioms, fixed pairs.

A cue in "Doctors Without Borders" excludes nothing, and "salt and pepper" joins nothing.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

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

_PHRASES = tomllib.loads(
    files("logic_retrievers.queries").joinpath("fixed_phrases.toml").read_text("utf-8")
)
_IDIOMS = re.compile(rf"(?<![\w-])(?:{'|'.join(_PHRASES['idioms'])})(?![\w-])", re.IGNORECASE)
_NUMBER = (
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
    r"hundred|thousand)"
)
_FIXED_PAIRS = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(
        pair.replace("/", " (?:and|or|&|n|'n') ").replace("_", " ")
        for pair in _PHRASES["pairs"].split()
    )
    + rf"|{_NUMBER} and an? (?:half|quarter|third)|{_NUMBER} (?:or|and) (?:more|less|{_NUMBER})|"
    r"both and|either or|(?:and )?so on(?: and so forth)?|and (?:vice versa|beyond|others|etc|"
    r"then|even|up|down|over|above|below|older|younger|under|counting)|or (?:so|later|earlier|"
    r"older|younger|higher|lower|above|below|over|under|newer|fewer|greater|better|worse|"
    r"larger|smaller|bigger|longer|shorter|cheaper|faster|less|more|not|"
    r"none|nothing|something|anything|similar|others?)|again and again|"
    r"more and more|over and over|round and round|hundreds and hundreds)(?![\w-])",
    re.IGNORECASE,
)
_COMPANY_NAME = re.compile(
    r"(?<![\w-])(?!\d)[A-Z][\w'.]* (?:&|and) (?:Sons?|Co|Company|Daughters|Brothers)(?![\w-])"
)

_TRANSPOSED = {
    word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word
    for word in ("without", "except", "excluding", "instead")
    for i in range(len(word) - 1)
    if word[i] != word[i + 1]
}
_TRANSPOSED_CUE = re.compile(rf"\b(?:{'|'.join(_TRANSPOSED)})\b", re.IGNORECASE)
_SUCH_A_ONE = (
    r"(?:(?:an?|any|the)\s+)?(?:\S+\s+){1,3}(?:that|which|who|where|whose)\s+(?:\S+\s+){0,3}?"
)
_DOUBLE_NEGATION = re.compile(
    r"\b(?:not|(?:don't|dont|wouldn't|would\s+not|do\s+not)\s+(?:want|need|like)|(?:mustn't|"
    rf"shouldn't)\s+be)\s+(?:without|{_SUCH_A_ONE}(?:lacks?|lacking|(?:is|are|has|have|does|do|can|"
    r"will)(?:n't|nt|\s+not)|can't|cant|cannot|won't|wont|has\s+no|have\s+no))\b",
    re.IGNORECASE,
)
"""What asserts: "not without parking", "I don't want one that lacks a lid"."""


def mask(text: str) -> str:
    """The text with names, quotations, idioms and double negations filled; offsets stay.

    Punctuation is made plain, and two letters that changed places in a cue are put right.
    """
    masked = text.translate(_PLAIN)
    masked = _QUOTED.sub(_fill, masked)
    if not _is_title_case(masked):
        masked = _NAME_WITH_CUE.sub(_fill, masked)
        masked = _OPENING_NAME.sub(_fill, masked)
        masked = _TITLE.sub(_fill, masked)
    masked = _TRANSPOSED_CUE.sub(lambda match: _TRANSPOSED[match[0].lower()], masked)
    return _DOUBLE_NEGATION.sub(_fill, _IDIOMS.sub(_fill, masked))


def mask_fixed_pairs(masked: str) -> str:
    """The text with pairs that are one thing filled ("salt and pepper"); offsets stay."""
    return _COMPANY_NAME.sub(_fill, _FIXED_PAIRS.sub(_fill, masked))


def _fill(match: re.Match[str]) -> str:
    return FILL * len(match.group())


def _is_title_case(text: str) -> bool:
    """Whether most words are capitalised, so that a capital means nothing."""
    words = _WORD.findall(text)
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.85 * len(words)
