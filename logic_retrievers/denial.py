"""Whether a passage names what a query excludes only to deny it: "contains no nuts".

A rule of its own beside the exclusion policy: it reads the words of passages and no vector, for a
cosine takes "no nuts" for a passage about nuts. English alone; what it does not read denies
nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from logic_retrievers.queries.language import content_words
from logic_retrievers.text import any_form, comparable

_REACH = 7
"""Words before a mention in which a denial of it may stand."""
_REACH_CHARACTERS = 100
_CLAUSE_START = re.compile(r"[.;:!?]|\b(?:but|however|although|though|while|yet|with|plus)\b")
_NO_DENIAL = re.compile(
    r"(?:\b(?:not|never)|n't) (?:only|just|merely|simply|necessarily|always|all|every|without|"
    r"lacking|free (?:of|from))\b|\bno (?:more|less|fewer) than\b|\bnothing but\b"
)
_DENIAL_BEFORE = re.compile(
    r"\b(?:no|non|not|never|without|neither|nor|none|nothing|zero|minus|unlike|except|cannot|"
    r"lack(?:s|ing)?|avoid(?:s|ing)?|exclud(?:es|ing)|replac(?:es|ed|ing)|free (?:of|from)|"
    r"instead of|rather than)\b|n't\b"
)
_DENIAL_AFTER = re.compile(
    r"[ \-]free\b"
    r"|(?: \w+){0,2} (?:must|may|can|could|is|are|was|were)(?: not| never|n't)(?: \w+)? (?:used|"
    r"allowed|included|permitted|needed|required|accepted|added|offered|served|sold|present|"
    r"involved|necessary|enter|come|part)\b"
)


def denies(text: str, excluded: str) -> bool:
    """Whether a text names the excluded thing, and denies it wherever it names it.

    Of an excluded text of several words every mention of each of its content words counts.

    Args:
        text: of a passage.
        excluded: what a query excludes.
    """
    normal = comparable(text)
    mentions = [*_mention(excluded).finditer(normal)]
    return bool(mentions) and all(_is_denied(normal, *mention.span()) for mention in mentions)


def _is_denied(text: str, start: int, end: int) -> bool:
    near = text[max(0, start - _REACH_CHARACTERS) : start]
    before = " ".join(_CLAUSE_START.split(near)[-1].split()[-_REACH:])
    if _DENIAL_BEFORE.search(_NO_DENIAL.sub(" ", before)):
        return True
    return _DENIAL_AFTER.match(text, end) is not None


@lru_cache(maxsize=256)
def _mention(excluded: str) -> re.Pattern[str]:
    words = sorted(content_words(comparable(excluded))) or [comparable(excluded).strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(any_form, words))})(?!\w)")
