"""Data types: passage, vector query, candidate pool, evidence and hit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from logic_retrievers.text import is_blank

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Scores: TypeAlias = npt.NDArray[np.float64]


# Scores are rounded where they enter the package: float32 engines agree on no more decimals, and a
# tie between two copies of a text must not depend on where their vectors lie.
SCORE_DECIMALS = 6


def plain_fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass as JSON has them: mappings as dictionaries, tuples as lists."""
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.value if isinstance(value, Enum) else value


@dataclass(frozen=True, slots=True)
class Passage:
    """One stored text.

    Args:
        id: any non-empty string; unique within a collection (and tenant).
        text: what is returned, and embedded where there is no ``embed_text``.
        metadata: values that a filter can use. They are stored as JSON has them: a date as ISO
            text, numpy's numbers as Python's, NaN as None, ...
        source: the document that the passage was cut from (a file, a page), so that it can be
            replaced or deleted as a whole. ``None``: no document.
        span: first and one-past-last character of the passage in its source.
        embed_text: what is embedded instead of the text: the text under its title, say. The
            contradiction vector is that of the text in any case.
        extra: JSON-like values of the application; stored and returned, never searched.
        quarantined: hidden from retrieval. Storing a passage again keeps the stored flag as long
            as the text is the same.
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
    def text_to_embed(self) -> str:
        """The text that search compares: ``embed_text``, or else the text itself."""
        return self.text if self.embed_text is None else self.embed_text

    def text_for(self, vector: str) -> str:
        """The text that an encoder reads for a named vector.

        The contradiction vector is made of the passage's text alone: two passages under different
        titles or dates would differ in many of its coordinates, whatever they say.
        """
        own = vector == "contradiction" and not is_blank(self.text)
        return self.text if own else self.text_to_embed


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One text compared with one named vector.

    Args:
        name: under which the pool holds the scores; the vector's own name if it is the only one.
        vector: the named vector to compare with.
        text: encoded as a query.
        limit: how many nearest passages join the pool; 0: the query only scores the pool.
    """

    name: str
    vector: str
    text: str
    limit: int


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """The candidates of one query, each scored on every vector query.

    Args:
        ids: point ids in ascending order, so that ties fall the same way everywhere.
        scores: name of a vector query -> float64 array of shape (len(ids),), rounded to
            ``SCORE_DECIMALS``; NaN where a candidate lacks the vector.
    """

    ids: tuple[str, ...]
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a hit has its rank. Every value survives ``json.dumps``.

    Args:
        policy: the name of the policy that ranked.
        scores: score of the passage per vector query (``topical``: cosine in [-1, 1]); ``None``
            where the passage lacks the vector.
        ranks: 1-based rank of the passage inside the pool, per vector query.
        passed_filter: False where the policy's filter put the passage behind those that passed.
        reason: an explanation in one sentence.
        details: what is specific to the policy (thresholds, the parse of the query).
    """

    policy: str
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int | None]
    passed_filter: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage, its 1-based rank, its score under the policy, and the evidence for both."""

    passage: Passage
    rank: int
    score: float
    evidence: Evidence

    def to_dict(self) -> dict[str, Any]:
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
        """Id, score and evidence alone, for logs and tracers that must not see texts."""
        return {
            "id": self.passage.id,
            "score": self.score,
            "passed_filter": self.evidence.passed_filter,
            "reason": self.evidence.reason,
        }
