"""Pairs of passages that contradict each other: all against all, a row at a time."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.judging import Judgements, Rows, judge
from logic_retrievers.contradiction.settings import ContradictionSettings
from logic_retrievers.types import Passage

Flags = npt.NDArray[np.bool_]

DECIMALS = 6
"""As everywhere scores are met: float32 engines agree on no more, and ties must fall alike."""

ALIKE = 0.97
"""Topical cosine from which two passages that do not contradict each other say the same."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages, by their places (``one < other``), and how likely they contradict each other.

    Args:
        score: F, what the pair is ordered by.
        probability: of a contradiction: the second opinion's where there is one.
        own: what the vectors alone say.
    """

    one: int
    other: int
    score: float
    probability: float
    own: float

    @property
    def strength(self) -> tuple[float, float, int, int]:
        """Sorts the strongest first; equal ones as they stand in the list."""
        return (-self.probability, -self.score, self.one, self.other)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison of passages found.

    Args:
        pairs: those with at least the probability that was asked for, the strongest first.
        copies: place -> places of passages that say the same in nearly the same words.
    """

    pairs: tuple[Pair, ...] = ()
    copies: Mapping[int, frozenset[int]] = field(default_factory=dict)


def compare(
    passages: Sequence[Passage],
    vectors: Mapping[str, Rows],
    settings: ContradictionSettings,
    least: float,
    *,
    given: int | None = None,
    trusted: Collection[int] = (),
) -> Comparison:
    """Compares the given passages with each other and with the trusted ones behind them.

    Trusted ones that nobody was found to contradict are not compared among themselves, unless
    ``trusted`` names them.

    Args:
        passages: the given ones, and behind them trusted ones that were not given.
        vectors: name -> shape (passages, dimension), for the names in ``settings.VECTORS``.
        settings: of the contradiction vector.
        least: probability from which a pair is reported.
        given: how many are given; all where None.
        trusted: places behind the given ones that are compared in any case.
    """
    count = len(passages) if given is None else given
    texts = [passage.text for passage in passages]
    words = [_words(passage) for passage in passages]
    rows = {name: matrix.astype(np.float32) for name, matrix in vectors.items()}
    pairs: list[Pair] = []
    copies: dict[int, set[int]] = {}
    for one in range(min(count, len(passages) - 1)):
        found = _judged(rows, one, one + 1, settings)
        likely = _likely(found, least)
        pairs += _pairs(found, likely, one, one + 1, texts)
        near = np.isnan(found.sparsities) | (found.cosines >= ALIKE)
        for other in range(one + 1, count):
            at = other - one - 1
            if words[one] == words[other] or (near[at] and not likely[at]):
                copies.setdefault(one, set()).add(other)
                copies.setdefault(other, set()).add(one)
    asked = set(trusted) | {pair.other for pair in pairs if pair.other >= count}
    for one in sorted(asked):
        found = _judged(rows, one, count, settings)
        for pair in _pairs(found, _likely(found, least), one, count, texts):
            if pair.one == one or pair.one not in asked:  # else it was met in that one's row
                pairs.append(pair)
    return Comparison(
        tuple(sorted(pairs, key=lambda pair: pair.strength)),
        {place: frozenset(others) for place, others in copies.items()},
    )


def _judged(
    rows: Mapping[str, Rows], one: int, first: int, settings: ContradictionSettings
) -> Judgements:
    """One passage against all from ``first`` on."""
    others = {name: matrix[first:] for name, matrix in rows.items()}
    return judge({name: matrix[one] for name, matrix in rows.items()}, others, settings)


def _likely(found: Judgements, least: float) -> Flags:
    probable = np.round(found.probabilities, DECIMALS) >= least
    return probable & ~np.isnan(found.sparsities)


def _pairs(
    found: Judgements,
    likely: Flags,
    one: int,
    first: int,
    texts: Sequence[str],
) -> list[Pair]:
    pairs = []
    for at in np.flatnonzero(likely).tolist():
        other = first + at
        if other == one or texts[one] == texts[other]:
            continue  # one text does not contradict itself
        probability = round(float(found.probabilities[at]), DECIMALS)
        score = round(float(found.scores[at]), DECIMALS)
        pairs.append(Pair(min(one, other), max(one, other), score, probability, probability))
    return pairs


def _words(passage: Passage) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", passage.text.casefold()))
