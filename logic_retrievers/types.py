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


# Decimals to which the package rounds scores. Float32 engines agree on no more, and two copies of a
# text must tie wherever their vectors are stored.
SCORE_DECIMALS = 6


def plain_fields(record: Any) -> dict[str, Any]:
    """Return a dataclass's fields as JSON types: mappings as dictionaries, tuples as lists."""
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.value if isinstance(value, Enum) else value


def metadata_value(metadata: Mapping[str, Any], key: str) -> Any:
    """Return a metadata value, or None; the key ``a.b`` finds ``{"a": {"b": ...}}``."""
    if key in metadata:
        return metadata[key]
    value: Any = metadata
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


@dataclass(frozen=True, slots=True)
class Passage:
    """One stored text.

    Args:
        id: any non-empty string; unique within a collection (and tenant).
        text: text to return; also embedded if ``embed_text`` is None.
        metadata: values for filters. They are stored as JSON types: a date as ISO text, numpy's
            numbers as Python's, NaN as None, ...
        source: the document that the passage was cut from (a file, a page), or None. All passages
            of a source can be replaced or deleted together.
        span: start and end (exclusive) of the passage in its source, in characters.
        embed_text: text to embed in place of ``text``, such as the text under its title. The
            contradiction vector is made from ``text``, unless that is blank.
        extra: JSON-like values of the application; stored and returned, never searched.
        quarantined: whether to hide the passage from retrieval. A hidden passage stays hidden when
            it is stored again with the same text.
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
        """The text that search compares: ``embed_text``, or ``text`` if there is none."""
        return self.text if self.embed_text is None else self.embed_text

    def text_for(self, vector: str) -> str:
        """Return the text that an encoder reads for a named vector.

        The contradiction vector is made from ``text`` alone, because different titles or dates
        would change many of its coordinates, whatever the texts say.
        """
        own = vector == "contradiction" and not is_blank(self.text)
        return self.text if own else self.text_to_embed


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One text compared with one named vector.

    Args:
        name: name of the scores in the pool; the vector's name unless another query uses that.
        vector: the named vector to compare with.
        text: the text to encode as a query.
        limit: number of nearest passages that join the pool. With 0, the query only scores it.
    """

    name: str
    vector: str
    text: str
    limit: int


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """The candidates of one query, each scored on every vector query.

    Args:
        ids: point ids in ascending order, so that every engine breaks ties in the same way.
        scores: name of a vector query -> float64 array of shape (len(ids),), rounded to
            ``SCORE_DECIMALS``; NaN if a candidate lacks the vector.
        groups: in a search with ``group_by``, the value by which each candidate is grouped; None if
            it stands alone.
    """

    ids: tuple[str, ...]
    scores: Mapping[str, Scores]
    groups: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a hit has its rank. ``json.dumps`` accepts every value.

    Args:
        policy: the name of the policy that ranked.
        scores: score of the passage per vector query (``topical``: cosine in [-1, 1]); ``None`` if
            the passage lacks the vector.
        ranks: 1-based rank of the passage inside the pool, per vector query.
        passed_filter: False if the policy's filter put the passage behind the passages that passed.
        reason: an explanation in one sentence.
        details: values that only this policy has (thresholds, the parse of the query).
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
        """Return id, score and reason only, for logs and tracers that must not see texts."""
        return {
            "id": self.passage.id,
            "score": self.score,
            "passed_filter": self.evidence.passed_filter,
            "reason": self.evidence.reason,
        }
