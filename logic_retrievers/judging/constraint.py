"""Read from a model's output what a query rules out, and in which words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Span: TypeAlias = tuple[int, int]

# nothing is ruled out; something is ruled out; the wanted fact itself is negative
CONSTRAINTS = ("none", "exclusion", "negated_fact")


@dataclass(frozen=True, slots=True)
class ConstraintReading:
    """A model's reading of one query.

    Args:
        none, exclusion, negated_fact: probabilities.
        excluded: spans of the excluded texts, without the negating word.
        leaving: spans of all words to remove for the wanted part; they cover ``excluded``.
    """

    none: float
    exclusion: float
    negated_fact: float
    excluded: tuple[Span, ...] = ()
    leaving: tuple[Span, ...] = ()


def read_tags(
    text: str,
    probabilities: Sequence[float] | npt.NDArray[np.float64],
    tags: npt.NDArray[np.float64],
    spans: Sequence[Span],
) -> ConstraintReading:
    """Turn a model's output into a reading.

    Args:
        text: the query.
        probabilities: probabilities of :data:`CONSTRAINTS`.
        tags: logits, shape (tokens, 2): the token is ruled out; it leaves the wanted part.
        spans: character span of each token.
    """
    excluded, leaving = tags[:, 0].copy(), tags.max(axis=1, initial=-np.inf)
    for first, last in _words(text, spans):
        # whole words leave or stay; "sugarless" leaves, and only "sugar" of it is ruled out
        leaving[first:last] = leaving[first:last].mean()
        if leaving[first] <= 0:
            excluded[first:last] = -np.inf
    none, exclusion, negated_fact = map(float, probabilities)
    return ConstraintReading(
        none,
        exclusion,
        negated_fact,
        *(
            _joined(text, [s for s, logit in zip(spans, logits, strict=True) if logit > 0])
            for logits in (excluded, leaving)
        ),
    )


def _words(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the token span of each word: (first, one past the last)."""
    starts = [
        number
        for number, (start, _) in enumerate(spans)
        if not (number and spans[number - 1][1] == start and text[start - 1 : start + 1].isalnum())
    ]
    return [*zip(starts, [*starts, len(spans)][1:], strict=True)]


def _joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Join spans that touch or that only one space or hyphen separates."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and text[joined[-1][1] : start] in ("", " ", "-"):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
