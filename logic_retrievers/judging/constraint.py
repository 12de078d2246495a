"""What a query rules out, and in which words, as a model reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Span: TypeAlias = tuple[int, int]

# nothing is ruled out; something is; the fact asked for is itself negative
CONSTRAINTS = ("none", "exclusion", "negated_fact")


@dataclass(frozen=True, slots=True)
class ConstraintReading:
    """A reading of one query.

    Args:
        none, exclusion, negated_fact: probabilities.
        excluded: spans of what is ruled out, without the word of negation.
        leaving: spans of all words that the wanted part lacks; they cover ``excluded``.
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
        probabilities: of :data:`CONSTRAINTS`.
        tags: logits, shape (tokens, 2): the token is ruled out; it leaves the wanted part.
        spans: characters of each token.
    """
    excluded = tags[:, 0] > 0
    leaving = excluded | (tags[:, 1] > 0)
    none, exclusion, negated_fact = map(float, probabilities)
    return ConstraintReading(
        none,
        exclusion,
        negated_fact,
        *(
            _joined(text, [s for s, marked in zip(spans, tag, strict=True) if marked])
            for tag in (excluded, leaving)
        ),
    )


def _joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Join spans that touch, or that one space or hyphen divides."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and text[joined[-1][1] : start] in ("", " ", "-"):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
