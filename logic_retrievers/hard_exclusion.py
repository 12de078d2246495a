"""Hard exclusion: passages that contain an excluded text, word for word, are left out.

A rule of its own beside every policy: it reads the words of passages and no vector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from logic_retrievers.queries import ParsedQuery
from logic_retrievers.query_input import CheckedQuery
from logic_retrievers.text import INVISIBLE, UNSPACED, any_form, comparable
from logic_retrievers.types import Hit

_MIN_CANDIDATES, _CANDIDATES_PER_HIT = 200, 10

_MARKS = r"\u0900-\u0963\u0966-\u0dff"
"""Vowel signs, which continue a word and are no letters to Python."""
_LETTER = rf"[^\W_{UNSPACED}]"  # where no space parts words, they are found anywhere
_NOT_AFTER_A_WORD = rf"(?<!{_LETTER})(?<![{_MARKS}])"
_NOT_BEFORE_A_WORD = rf"(?!{_LETTER})(?![{_MARKS}])"
_BETWEEN_WORDS = r"[\s_/\-\u2010-\u2015]+"
_QUOTATION_MARKS = "\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb"


class ExcludedWords:
    """Tells whether a text contains one of the excluded texts as whole words.

    In any case, and every word also in its plural or singular: *nuts* is found in "nut oil",
    *berry* in "berries", *knife* in "knives". A hyphen parts words: *nut* is found in "nut-free".
    Accents ("ü" is "u"), full-width letters and invisible characters make no difference, since a
    passage that is missed does more harm than one too many.

    Args:
        texts: at least one, none of them empty.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._pattern = re.compile("|".join(dict.fromkeys(map(_pattern, texts))))

    def occur_in(self, text: str) -> bool:
        """Whether at least one does."""
        # an invisible character may stand inside of a word or between two
        forms = {text, INVISIBLE.sub(" ", text)}
        return any(self._pattern.search(comparable(form)) for form in forms)


def excluded_words(query: CheckedQuery, exclude: Sequence[str]) -> ExcludedWords | None:
    """What a query excludes outright, and what the caller names; None where that is nothing."""
    own = query.excluded_outright if isinstance(query, ParsedQuery) else ()
    texts = (*own, *exclude)
    return ExcludedWords(texts) if texts else None


def candidates_for(k: int) -> int:
    """How many candidates are looked at for k hits: 200, or ten times k."""
    return max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * k)


def leave_out(hits: Sequence[Hit], words: ExcludedWords, k: int) -> list[Hit]:
    """The first k hits that contain no excluded text, ranked anew.

    Each says in its evidence how many were left out before the last of them (``left_out``).
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
    """What finds a text as whole words."""
    normal = comparable(text).strip()
    bare = normal.strip(_QUOTATION_MARKS).strip() or normal
    words = [word for word in re.split(_BETWEEN_WORDS, bare) if word]
    if not words:  # nothing but hyphens, or nothing to see, which no text contains
        return re.escape(bare) or "(?!)"
    found = _BETWEEN_WORDS.join(any_form(word) for word in words)
    before = _NOT_AFTER_A_WORD if re.match(_LETTER, words[0]) else ""
    after = _NOT_BEFORE_A_WORD if re.match(f"{_LETTER}|[{_MARKS}]", words[-1][-1]) else ""
    return f"{before}{found}{after}"
