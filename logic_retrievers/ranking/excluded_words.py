"""Find excluded texts in a passage by its words, without any vector.

:class:`ExcludedWords` finds excluded texts word for word, for searches with ``hard=True``.
:func:`denies` tells "contains no nuts" from a passage about nuts, which a cosine cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from logic_retrievers.queries.language import content_words
from logic_retrievers.text import INVISIBLE, UNSPACED, any_form, comparable
from logic_retrievers.types import Hit

_MIN_CANDIDATES, _CANDIDATES_PER_HIT = 200, 10

# Vowel signs are part of a word, but Python does not count them as letters.
_MARKS = r"\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"[^\W_{UNSPACED}]"  # scripts without spaces: found anywhere
_NOT_AFTER_A_WORD = rf"(?<!{_LETTER})(?<![{_MARKS}])"
_NOT_BEFORE_A_WORD = rf"(?!{_LETTER})(?![{_MARKS}])"
_BETWEEN_WORDS = r"[\s_/\-\u2010-\u2015]+"
_QUOTATION_MARKS = "\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb"

# A denial stands at most so many words, and so many characters, before the text that it denies.
_REACH, _REACH_CHARACTERS = 7, 100
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


class ExcludedWords:
    """Tells whether a text contains one of the excluded texts as whole words.

    Upper and lower case are the same, and each word is also found in its plural or singular: *nuts*
    in "nut oil", *berry* in "berries", *knife* in "knives". A hyphen separates words, so *nut* is
    found in "nut-free". Accents ("ü" is "u"), full-width letters and invisible characters make no
    difference, because a missed passage does more harm than one too many.

    Args:
        texts: at least one, none of them empty.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._pattern = re.compile("|".join(dict.fromkeys(map(_pattern, texts))))

    def occur_in(self, text: str) -> bool:
        """Return whether the text contains at least one of the excluded texts."""
        # an invisible character may stand inside a word or between two
        forms = {text, INVISIBLE.sub(" ", text)}
        return any(self._pattern.search(comparable(form)) for form in forms)


def candidates_for(k: int) -> int:
    """Return how many candidates are read for k hits: 200, or ten times k if that is more."""
    return max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * k)


def leave_out(hits: Sequence[Hit], words: ExcludedWords, k: int) -> list[Hit]:
    """Return the first k hits that contain no excluded text, ranked again from 1.

    ``evidence.details["left_out"]`` counts the hits left out before the last of these k.
    """
    kept: list[Hit] = []
    left_out = 0
    for hit in hits:
        if len(kept) == k:
            break
        if words.occur_in(hit.passage.text):
            left_out += 1
        else:
            kept.append(hit)
    ranked = []
    for rank, hit in enumerate(kept, start=1):
        details = {**hit.evidence.details, "left_out": left_out}
        ranked.append(replace(hit, rank=rank, evidence=replace(hit.evidence, details=details)))
    return ranked


def denies(text: str, excluded: str) -> bool:
    """Return whether a passage names an excluded text, and denies it at every mention.

    Reads English only. If ``excluded`` has several words, each mention of a content word counts.
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


def _pattern(text: str) -> str:
    """Make a pattern that finds a text as whole words."""
    normal = comparable(text).strip()
    bare = normal.strip(_QUOTATION_MARKS).strip() or normal
    words = [word for word in re.split(_BETWEEN_WORDS, bare) if word]
    if not words:  # hyphens only, or nothing, which no text contains
        return re.escape(bare) or "(?!)"
    found = _BETWEEN_WORDS.join(any_form(word) for word in words)
    before = _NOT_AFTER_A_WORD if re.match(_LETTER, words[0]) else ""
    after = _NOT_BEFORE_A_WORD if re.match(f"{_LETTER}|[{_MARKS}]", words[-1][-1]) else ""
    return f"{before}{found}{after}"
