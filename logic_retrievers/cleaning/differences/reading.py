"""A text as it is read once: its words, sentences, and what they state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from logic_retrievers.cleaning.differences.dates import dates
from logic_retrievers.cleaning.differences.entities import entities
from logic_retrievers.cleaning.differences.facts import Fact
from logic_retrievers.cleaning.differences.numbers import quantities
from logic_retrievers.cleaning.differences.polarity import negates
from logic_retrievers.cleaning.differences.versions import versions
from logic_retrievers.cleaning.differences.words import MOST_CHARACTERS, Word, stem, words_of

_KNOWN = 2048
"""Texts that are kept as read: each is compared with many others."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text that was read.

    Args:
        text: the part of it that is read.
        words: of it.
        stems: of the words that say what it is about, each under its word's place.
        facts: in the order of the text; no word is part of two.
        sentences: first word of each, and one past its last.
    """

    text: str
    words: tuple[Word, ...]
    stems: dict[int, str]
    facts: tuple[Fact, ...]
    sentences: tuple[tuple[int, int], ...]

    @property
    def topic(self) -> frozenset[str]:
        """What it is about, as a set of stems."""
        return frozenset(self.stems.values())

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The characters of some words; where there are none, the place before the first."""
        if first < last:
            return self.words[first].start, self.words[last - 1].end
        if first < len(self.words):
            return self.words[first].start, self.words[first].start
        end = self.words[-1].end if self.words else 0
        return end, end

    def said(self, first: int, last: int) -> str:
        """The words as they are written."""
        start, end = self.span(first, last)
        return self.text[start:end]


def read(text: str) -> Reading:
    """A text as far as it is read; what was read lately is not read again."""
    return _read(text[:MOST_CHARACTERS])


@lru_cache(maxsize=_KNOWN)
def _read(text: str) -> Reading:
    words = words_of(text)
    facts: list[Fact] = []
    free = [True] * len(words)

    def note(fact: Fact) -> None:
        if all(free[fact.first : fact.last]):
            facts.append(fact)
            free[fact.first : fact.last] = [False] * (fact.last - fact.first)

    for first, last, when in dates(text, words):
        note(Fact("date", first, last, when))
    for first, last, version in versions(words):
        note(Fact("number", first, last, version))
    for first, last, name in entities(text, words):
        if any(character.isdigit() for character in name) and last == first + 1:
            note(Fact("entity", first, last, name))  # a code, before its figures are counted
    for first, last, quantity in quantities(words):
        note(Fact("number", first, last, quantity))
    for first, last, name in entities(text, words):
        note(Fact("entity", first, last, name))
    for place, word in enumerate(words):
        if free[place] and negates(word, words[place + 1] if place + 1 < len(words) else None):
            note(Fact("polarity", place, place + 1, "not"))
    facts.sort(key=lambda fact: fact.first)
    stems = {place: stem(word.key) for place, word in enumerate(words) if word.content}
    starts = [place for place, word in enumerate(words) if word.opens]
    ends = [*starts[1:], len(words)]
    return Reading(text, words, stems, tuple(facts), tuple(zip(starts, ends, strict=False)))
