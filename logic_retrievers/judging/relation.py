"""Kinds of pairs of passages, and the excerpts of a pair that a cross-encoder reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from logic_retrievers.judging.judge import nearest_sentences
from logic_retrievers.types import Passage

# What the first of two passages is to the second: both cannot be true; an older state of one thing;
# a newer one; both true, of different things or cases; the same in other words; nothing.
RELATIONS = ("contradiction", "superseded", "supersedes", "scope", "paraphrase", "unrelated")

# words of a passage that are read, from its sentences nearest to the other passage
MAX_WORDS = 45
# metadata values with more characters are texts, not labels
_MAX_VALUE = 40
_MAX_KEYS = 6


def turned(relation: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities for the same two passages in the other order."""
    conflict, superseded, supersedes, *rest = relation
    return (conflict, supersedes, superseded, *rest)


def conflict_share(relation: Sequence[float]) -> float:
    """Return the probability of a contradiction or of two states of one thing."""
    contradiction, superseded, supersedes = relation[:3]
    return min(1.0, contradiction + (superseded + supersedes))  # the same in any order


def with_metadata(text: str, metadata: Mapping[str, Any]) -> str:
    """Append metadata in brackets, because two passages may differ in nothing else."""
    words = "; ".join(f"{key}: {value}" for key, value in metadata.items())
    return f"{text} ({words})" if words else text


def pair_texts(one: Passage, other: Passage, without: Collection[str] = ()) -> tuple[str, str]:
    """Return excerpts of two passages, with short metadata values except keys in ``without``."""
    first, second = pair_sentences(one.text, other.text)
    return (
        with_metadata(first, _labels(one.metadata, without)),
        with_metadata(second, _labels(other.metadata, without)),
    )


def pair_sentences(one: str, other: str) -> tuple[str, str]:
    """Return the sentences of each text that are nearest to the other one."""
    return nearest_sentences(one, other, MAX_WORDS), nearest_sentences(other, one, MAX_WORDS)


def _labels(metadata: Mapping[str, Any], without: Collection[str]) -> dict[str, Any]:
    short = [
        (key, value)
        for key, value in metadata.items()
        if key not in without
        and isinstance(value, str | int | float)
        and len(str(value)) <= _MAX_VALUE
    ]
    return dict(short[:_MAX_KEYS])
