"""Find excluded texts in a passage word for word, for searches with ``hard=True``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

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
