"""Hard exclusion: passages that contain an excluded text, word for word, are left out.

A rule of its own beside every policy: it reads the words of passages and no vector.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from logic_retrievers.queries import ParsedQuery
from logic_retrievers.query_input import CheckedQuery
from logic_retrievers.types import Hit

_MIN_CANDIDATES, _CANDIDATES_PER_HIT = 200, 10

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that put no space between words (Thai to Khmer, Japanese, Chinese): words have no edges
there, so that a text is found anywhere."""
_MARKS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
"""Accents and vowel signs, which continue a word and are no letters to Python."""
_LETTER = rf"[^\W_{_UNSPACED}]"
_NOT_AFTER_A_WORD = rf"(?<!{_LETTER})(?<![{_MARKS}])"
_NOT_BEFORE_A_WORD = rf"(?!{_LETTER})(?![{_MARKS}])"
_BETWEEN_WORDS = r"[\s_/\-\u2010-\u2015]+"
_QUOTATION_MARKS = "\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb"
_HISSING = ("s", "x", "z", "ch", "sh")
_NO_PLURALS = frozenset({"goods", "means", "news"})
"""Words in s whose form without it is another word."""


class ExcludedWords:
    """Tells whether a text contains one of the excluded texts as whole words.

    In any case, and every word also in its plain plural or singular: *nuts* is found in "nut oil",
    *dish* in "dishes", *berry* in "berries". A hyphen parts words: *nut* is found in "nut-free".

    Args:
        texts: at least one, none of them empty.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._pattern = re.compile("|".join(dict.fromkeys(map(_pattern, texts))))

    def occur_in(self, text: str) -> bool:
        """Whether at least one does."""
        return self._pattern.search(normalise(text)) is not None


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
    normal = normalise(text).strip()
    bare = normal.strip(_QUOTATION_MARKS).strip() or normal
    words = [word for word in re.split(_BETWEEN_WORDS, bare) if word]
    if not words:  # nothing but hyphens
        return re.escape(bare)
    found = _BETWEEN_WORDS.join(any_form(word) for word in words)
    before = _NOT_AFTER_A_WORD if re.match(_LETTER, words[0]) else ""
    after = _NOT_BEFORE_A_WORD if re.match(f"{_LETTER}|[{_MARKS}]", words[-1][-1]) else ""
    return f"{before}{found}{after}"


def any_form(word: str) -> str:
    """A pattern for a normalised word, also in its plain plural or singular."""
    forms = [word, *_plurals(word), *_singulars(word)]
    return f"(?:{'|'.join(map(re.escape, dict.fromkeys(forms)))})"


def _plurals(word: str) -> list[str]:
    """The plain plurals of a word, as far as its last letters tell."""
    if len(word) < 3 or not word[-1].isalpha():
        return []
    if word.endswith(_HISSING):
        return [f"{word}es"]
    if word.endswith("o"):
        return [f"{word}s", f"{word}es"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word}s", f"{word[:-1]}ies"]
    return [f"{word}s"]


def _singulars(word: str) -> list[str]:
    if word in _NO_PLURALS:
        return []
    candidates = [word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"]
    return [candidate for candidate in candidates if word in _plurals(candidate)]


def normalise(text: str) -> str:
    """The text without differences of case and of ways to write one character."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
