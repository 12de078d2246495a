"""What a rule sees of the passages in conflict, and what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.types import Passage


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Passages about one thing, and how likely any two of them contradict each other.

    Args:
        members: places.
        probabilities: symmetric, shape (members, members).
    """

    members: tuple[int, ...]
    probabilities: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ConflictGraph:
    """The passages that were given, and which of them contradict each other.

    Args:
        passages: each under its place.
        rivals: of each passage, the places of those that it is in conflict with. What contradicts a
            trusted passage and is dropped for it stands in nobody's list: it has no vote.
        copies: of each passage, the places of those that say the same in nearly the same words.
        groups: places of a pair in conflict -> the two and what lies near to them; empty where only
            conflicts are known.
    """

    passages: Sequence[Passage]
    rivals: Sequence[frozenset[int]]
    copies: Sequence[frozenset[int]]
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What becomes of two passages in conflict.

    Args:
        reason: in a few words for people.
        drop: places of those that go; none, one or both of the two.
        abstained: both stay because the rule could not decide.
    """

    reason: str
    drop: tuple[int, ...] = ()
    abstained: bool = False


class ConflictPolicy(ABC):
    """Pure: the same two passages in the same graph get the same ruling. Subclass it for your own.

    Which of the two comes first says nothing but who stood first in the list.
    """

    name: ClassVar[str]

    @abstractmethod
    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """The ruling on two passages of the graph that contradict each other."""


def value_at(metadata: Mapping[str, Any], key: str) -> Any:
    """A value of the metadata; ``a.b`` finds ``{"a": {"b": ...}}``. None where there is none."""
    if key in metadata:
        return metadata[key]
    value: Any = metadata
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def source_of(passage: Passage, key: str) -> Any:
    """Where a passage comes from: the metadata's word, else the document that it was cut from."""
    value = value_at(passage.metadata, key)
    return passage.source if value in (None, "") else value
