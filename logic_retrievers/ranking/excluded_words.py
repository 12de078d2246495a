"""Leave out passages by words and by sure verdicts of a judge, for searches with ``hard``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from logic_retrievers.text import INVISIBLE, UNSPACED, any_form, comparable
from logic_retrievers.types import Hit, Passage

_MIN_CANDIDATES, _CANDIDATES_PER_HIT = 200, 10
# a verdict at least this probable overrules the words; see docs/results/judge.md
_SURE = 0.7

# Vowel signs are part of a word, but Python does not count them as letters.
_MARKS = r"\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"[^\W_{UNSPACED}]"  # texts in scripts without spaces are found anywhere
_NOT_AFTER_A_WORD = rf"(?<!{_LETTER})(?<![{_MARKS}])"
_NOT_BEFORE_A_WORD = rf"(?!{_LETTER})(?![{_MARKS}])"
_BETWEEN_WORDS = r"[\s_/\-\u2010-\u2015]+"
_QUOTATION_MARKS = "\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb"


class ExcludedWords:
    """Finds excluded texts as whole words.

    Case does not matter, and each word also matches its plural or singular: *nuts* in "nut oil",
    *berry* in "berries", *knife* in "knives". A hyphen separates words, so *nut* is found in
    "nut-free". Accents ("ü" is "u"), full-width letters and invisible characters make no
    difference, because missing a passage does more harm than leaving out one too many.

    Args:
        texts: excluded texts; at least one, none empty.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._patterns = {text: re.compile(_pattern(text)) for text in texts}

    def said_in(self, question: str) -> frozenset[str]:
        """Return the excluded texts that a judge's question has."""
        said = comparable(question)
        return frozenset(text for text in self._patterns if comparable(text) in said)

    def found_in(self, *texts: str) -> list[str]:
        """Return the excluded texts that at least one of the given texts contains."""
        # an invisible character may stand inside a word or between two words
        forms = {comparable(form) for text in texts for form in (text, INVISIBLE.sub(" ", text))}
        return [text for text, found in self._patterns.items() if any(map(found.search, forms))]


def candidates_for(k: int) -> int:
    """Return the number of candidates to read for k hits: 200, or ten times k if larger."""
    return max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * k)


def leave_out(hits: Sequence[Hit], words: ExcludedWords, k: int, question: str = "") -> list[Hit]:
    """Return the first k hits that may stay, ranked again from 1.

    ``question`` is what a judge was asked about the passages.

    A hit is removed if its text, embedded text or title names an excluded text. A sure judge
    overrules the words. A sure ``satisfies`` keeps a hit if the judge's question has all excluded
    texts that the hit names. A sure ``violates`` removes a hit that names none.

    ``evidence.details["left_out"]`` counts the hits left out before the last of these k.
    ``evidence.details["named"]`` lists excluded texts that a kept hit names.
    """
    kept: list[Hit] = []
    left_out = 0
    judged = words.said_in(question)
    for hit in hits:
        if len(kept) == k:
            break
        named = words.found_in(*_fields(hit.passage))
        verdict = hit.evidence.details.get("judge", {}) if judged else {}
        denied = _is_sure(verdict, "satisfies") and judged.issuperset(named)
        if denied or not (named or _is_sure(verdict, "violates")):
            details = {**hit.evidence.details, **({"named": named} if named else {})}
            kept.append(replace(hit, evidence=replace(hit.evidence, details=details)))
        else:
            left_out += 1
    ranked = []
    for rank, hit in enumerate(kept, start=1):
        details = {**hit.evidence.details, "left_out": left_out}
        ranked.append(replace(hit, rank=rank, evidence=replace(hit.evidence, details=details)))
    return ranked


def _fields(passage: Passage) -> list[str]:
    title = passage.metadata.get("title")
    return [passage.text, passage.text_to_embed, *([title] if isinstance(title, str) else [])]


def _is_sure(verdict: Mapping[str, float], name: str) -> bool:
    return verdict.get(name, 0.0) >= _SURE


def _pattern(text: str) -> str:
    """Make a pattern that finds a text as whole words."""
    normal = comparable(text).strip()
    bare = normal.strip(_QUOTATION_MARKS).strip() or normal
    words = [word for word in re.split(_BETWEEN_WORDS, bare) if word]
    if not words:  # only hyphens, or empty; "(?!)" never matches
        return re.escape(bare) or "(?!)"
    found = _BETWEEN_WORDS.join(any_form(word) for word in words)
    before = _NOT_AFTER_A_WORD if re.match(_LETTER, words[0]) else ""
    after = _NOT_BEFORE_A_WORD if re.match(f"{_LETTER}|[{_MARKS}]", words[-1][-1]) else ""
    return f"{before}{found}{after}"
