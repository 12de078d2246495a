"""Two passages as every question sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from logic_retrievers.cleaning.differences import Change, Comparison, compare
from logic_retrievers.cleaning.differences.numbers import Quantity
from logic_retrievers.cleaning.differences.reading import Reading, read
from logic_retrievers.cleaning.differences.words import vocabulary
from logic_retrievers.cleaning.questions.leads import lead
from logic_retrievers.types import Passage

Words = tuple[int, int]

_SHORT = 25
_LONG = 70
"""Different content words of a few sentences, and of a page."""
_FRAMING = vocabulary(
    "in at for within across among during inside outside aboard throughout by when if where while"
)
_PHRASE = 4
"""Words behind a preposition that are of its phrase."""

_COPY = 0.8
"""Share of the words from which on two texts are copies of one but for what was changed."""

_SENTENCES = 20
"""Of two or three sentences."""


@dataclass(frozen=True)
class Pair:
    """Two passages, compared.

    Args:
        one, other: the passages.
            probability: of a contradiction, from the vectors.
        cosine: of the topical vectors.
        threshold: least probability of a contradiction.
        date_key, source_key, scope_keys: where the metadata tells dates, sources and scopes.
    """

    one: Passage
    other: Passage
    probability: float
    cosine: float
    threshold: float
    date_key: str
    source_key: str
    scope_keys: Sequence[str]

    @cached_property
    def compared(self) -> Comparison:
        """The two texts, aligned; not before a question needs it."""
        return compare(self.one.text, self.other.text)

    @cached_property
    def topics(self) -> tuple[frozenset[str], frozenset[str]]:
        """What each is about."""
        return read(self.one.text).topic, read(self.other.text).topic

    @cached_property
    def values(self) -> tuple[Change, ...]:
        """What the two state differently: numbers, dates and names against each other, opposites.

        A negation counts that only one of the two has.
        """
        return tuple(
            change
            for change in self.compared.changes
            if not change.equal
            and change.type != "wording"
            and (change.both or change.type == "polarity")
        )

    @cached_property
    def long(self) -> float:
        """From 0 for passages of a few sentences to 1 for pages: these share words by chance."""
        least = min(map(len, self.topics))
        return min(1.0, max(0.0, (least - _SHORT) / (_LONG - _SHORT)))

    @property
    def sure(self) -> bool:
        """Whether the vectors are sure of a contradiction between passages of several sentences.

        Their names, years and numbers differ by chance then, and do not say what each is true of;
        not so in two copies of one text.
        """
        if self.probability < self.threshold or min(map(len, self.topics)) < _SENTENCES:
            return False
        return self.compared.common < _COPY

    @cached_property
    def alike(self) -> float:
        """Share of what both are about in what either is about, in any order of the words."""
        mine, theirs = self.topics
        return len(mine & theirs) / max(1, len(mine | theirs))

    @cached_property
    def beside(self) -> float:
        """As :attr:`alike`, apart from the words of the values that differ."""
        one, other = self.compared.one, self.compared.other
        both = [change for change in self.values if change.both]
        mine = _without(one, [change.one for change in both])
        theirs = _without(other, [change.other for change in both])
        return len(mine & theirs) / max(1, len(mine | theirs))

    @cached_property
    def differs(self) -> bool:
        """Whether anything differs but the form of a value."""
        return any(not change.equal for change in self.compared.changes)

    def said(self, change: Change) -> tuple[str, str]:
        """The words of a change as they are written."""
        return self.compared.one.said(*change.one), self.compared.other.said(*change.other)

    def told(self, change: Change) -> str:
        """A change in words for people."""
        here, there = (f'"{shortened(said)}"' for said in self.said(change))
        return f"one says {here}, the other {there}"

    def leads(self, change: Change) -> bool:
        """Whether a change stands before the verb of its sentence, in both texts."""
        return in_lead(self.compared.one, change.one) and in_lead(self.compared.other, change.other)

    def side_by_side(self, change: Change) -> bool:
        """Whether a change stands at one place of the aligned texts."""
        return any(
            change.one[0] < b and a < change.one[1] and change.other[0] < d and c < change.other[1]
            for a, b, c, d in self.compared.regions
        )

    def facing(self, here: int, there: int) -> bool:
        """Whether two words stand at one place of the aligned texts, or before their verbs."""
        if any(a <= here < b and c <= there < d for a, b, c, d in self.compared.regions):
            return True
        one, other = self.compared.one, self.compared.other
        return in_lead(one, (here, here + 1)) and in_lead(other, (there, there + 1))

    @cached_property
    def subjects(self) -> tuple[frozenset[str], frozenset[str]]:
        """What each text begins with that the other one does not mention at all."""
        one, other = self.compared.one, self.compared.other
        return _own_lead(one, other), _own_lead(other, one)

    @cached_property
    def frames(self) -> tuple[frozenset[str], frozenset[str]]:
        """What each says of where, when or for whom that the other one does not mention at all."""
        one, other = self.compared.one, self.compared.other
        return _own_frame(one, other), _own_frame(other, one)


def quantities_of(change: Change) -> tuple[Quantity, Quantity] | None:
    """Both quantities of a change of a number."""
    if change.here is None or change.there is None:
        return None
    here, there = change.here.value, change.there.value
    if isinstance(here, Quantity) and isinstance(there, Quantity):
        return here, there
    return None


def in_lead(text: Reading, words: Words) -> bool:
    """Whether words stand before the verb of their sentence."""
    first, last = sentence_of(text, words[0])
    return words[1] <= lead(text.words, first, last)


def sentence_of(text: Reading, place: int) -> Words:
    """First word of a word's sentence, and one past its last."""
    for first, last in text.sentences:
        if place < last:
            return first, last
    return len(text.words), len(text.words)


def shortened(said: str, most: int = 60) -> str:
    """Words for a reason: on one line, and not a page of them."""
    flat = " ".join(said.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}\u2026"


def _without(text: Reading, ranges: list[Words]) -> frozenset[str]:
    left_out = {n for first, last in ranges for n in range(first, last)}
    return frozenset(stem for n, stem in text.stems.items() if n not in left_out)


def _own_lead(text: Reading, against: Reading) -> frozenset[str]:
    if not text.words:
        return frozenset()
    first, last = sentence_of(text, 0)
    end = lead(text.words, first, last)
    figures = {
        n for fact in text.facts if fact.type != "entity" for n in range(fact.first, fact.last)
    }
    known = against.topic
    return frozenset(
        text.stems[n]
        for n in range(first, end)
        if n in text.stems and n not in figures and text.stems[n] not in known
    )


def _own_frame(text: Reading, against: Reading) -> frozenset[str]:
    figures = {n for fact in text.facts for n in range(fact.first, fact.last)}
    found = set(_own_lead(text, against))
    for place, word in enumerate(text.words):
        if word.key in _FRAMING:
            last = min(place + 1 + _PHRASE, sentence_of(text, place)[1])
            found.update(
                text.stems[n]
                for n in range(place + 1, last)
                if n in text.stems and n not in figures and text.stems[n] not in against.topic
            )
    return frozenset(found)
