"""The nouns: a passage goes in; leaf, pool, evidence and hit are met on the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Scores: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Passage:
    """One stored text.

    Args:
        id: any non-empty string; unique within a collection (and tenant).
        text: what is returned, and embedded where there is no ``embed_text``.
        metadata: JSON-like values that a filter can use; never changed by this package.
        source: the document that the passage was cut from (a file, a page). Ingesting a source
            again removes those of its passages that are no longer there. ``None``: it stands alone.
        span: first and one-past-last character of the passage in its source, where it was cut out.
        embed_text: what is embedded instead of the text: the text under its title, say. The
            contradiction vector is that of the text in any case.
        extra: JSON-like values of the application's own; stored and given back, never searched.
        quarantined: hidden from retrieval. Storing a passage anew keeps the stored flag as long as
            the text is the same.
    """

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    span: tuple[int, int] | None = None
    embed_text: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    quarantined: bool = False

    @property
    def embedded(self) -> str:
        """The text that it is found by."""
        return self.text if self.embed_text is None else self.embed_text

    def text_for(self, vector: str) -> str:
        """The text that an encoder reads for a named vector.

        What contradicts is what a passage says, and that is its text alone: under a title or a date
        two passages differ in many coordinates of the contradiction vector, whatever they say.
        """
        return self.text if vector == "contradiction" and self.text.strip() else self.embedded


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text compared with one named vector.

    Args:
        name: under which the pool holds the scores; the vector's own name where one leaf uses it.
        vector: the named vector to compare with.
        text: what is encoded on the query side.
        depth: how many nearest passages join the pool; 0: the leaf only scores the pool.
    """

    name: str
    vector: str
    text: str
    depth: int


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one query, each scored on every leaf.

    Args:
        ids: point ids in ascending order, so that ties fall the same way everywhere.
        scores: leaf name -> float64 array of shape (len(ids),); NaN where a candidate has no vector
            of that name. Rounded to 1e-6 where they enter the package: float32 engines agree on no
            more, and a tie between two copies of a text must not depend on where their rows lie.
    """

    ids: tuple[str, ...]
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a hit stands where it stands. Every value survives ``json.dumps``.

    Args:
        policy: the name of the policy that ranked.
        scores: score of the passage per leaf (``topical``: cosine in [-1, 1]); ``None`` where the
            passage has no such vector.
        ranks: 1-based rank of the passage inside the pool, per leaf.
        kept: False where the policy's filter set the passage behind those that passed.
        reason: the same in a sentence for people.
        details: what only one policy has to say (thresholds, the parse of the query).
    """

    policy: str
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int | None]
    kept: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {
            "policy": self.policy,
            "scores": dict(self.scores),
            "ranks": dict(self.ranks),
            "kept": self.kept,
            "reason": self.reason,
            "details": dict(self.details),
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage, its 1-based rank, its score under the policy, and the evidence for both."""

    passage: Passage
    rank: int
    score: float
    evidence: Evidence

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON (given metadata that is)."""
        return {
            "id": self.passage.id,
            "rank": self.rank,
            "score": self.score,
            "text": self.passage.text,
            "metadata": dict(self.passage.metadata),
            "source": self.passage.source,
            "evidence": self.evidence.to_dict(),
        }

    def without_text(self) -> dict[str, Any]:
        """What became of the passage, for logs and tracers, which get no text to see."""
        return {
            "id": self.passage.id,
            "score": self.score,
            "kept": self.evidence.kept,
            "reason": self.evidence.reason,
        }
