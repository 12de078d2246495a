"""A pool while it is filled and scored: pure, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.index.requests import QueryVector
from logic_retrievers.types import Pool

if TYPE_CHECKING:
    from logic_retrievers.types import Scores

DECIMALS = 6
SPARE = 16
"""Results asked for beyond a leaf's depth, so that copies of one text at its edge are told apart by
id and not by where their rows lie."""

Matrix: TypeAlias = tuple[dict[str, int], npt.NDArray[np.float64]]
"""Point id -> row, and the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class LeafSearch:
    """A leaf with its query encoded.

    Args:
        name: under which the pool holds the scores.
        vector: our name of the named vector.
        query: shape (dimension,); for ``lexical`` a sparse vector (:func:`lexical.term_vector`).
        depth: how many nearest points join the pool; 0: the leaf only scores it.
    """

    name: str
    vector: str
    query: QueryVector
    depth: int


class OpenPool:
    """The candidates of one query: leaf name -> point id -> score."""

    def __init__(self, leaves: Sequence[LeafSearch]) -> None:
        self.leaves = leaves
        self.scores: dict[str, dict[str, float]] = {leaf.name: {} for leaf in leaves}
        self.ids: list[str] = []

    def admit(self, leaf: LeafSearch, points: Iterable[tuple[str, float]]) -> None:
        """The (id, score) of a leaf search, cut to its depth: ties at the edge go by id."""
        ranked = sorted((-round(score, DECIMALS), point) for point, score in points)
        self.scores[leaf.name].update((point, -score) for score, point in ranked[: leaf.depth])

    def add(self, leaf: LeafSearch, points: Iterable[models.ScoredPoint]) -> None:
        """Scores of candidates."""
        self.scores[leaf.name].update((str(point.id), point.score) for point in points)

    def complete(self) -> None:
        """All candidates are in: from here on they are only scored."""
        self.ids = sorted(set().union(*self.scores.values()))

    def missing(self, leaf: LeafSearch) -> list[str]:
        """The candidates that this leaf has not scored."""
        have = self.scores[leaf.name]
        return [point for point in self.ids if point not in have]

    def score(self, matrices: Mapping[str, Matrix]) -> None:
        """Scores every candidate anew on the dense leaves.

        In float64, so that rounding hides how the product was summed and two copies of a text tie
        exactly wherever their rows lie.
        """
        for leaf in self.leaves:
            if leaf.vector not in matrices or isinstance(leaf.query, models.SparseVector):
                continue
            rows, matrix = matrices[leaf.vector]
            here = [point for point in self.ids if point in rows]
            if not here:  # all deleted since the search, or none has this vector
                self.scores[leaf.name] = {}
                continue
            query = np.asarray(leaf.query, dtype=np.float64)
            length = float(np.linalg.norm(query)) or 1.0
            scores = matrix[[rows[point] for point in here]] @ (query / length)
            self.scores[leaf.name] = dict(zip(here, scores.tolist(), strict=True))

    def to_pool(self) -> Pool:
        """The finished pool."""
        columns = {
            name: _column([have.get(point) for point in self.ids])
            for name, have in self.scores.items()
        }
        return Pool(tuple(self.ids), columns)


def matrix_of(records: Sequence[models.Record], stored: str) -> Matrix:
    """The vectors of some points on one named vector; points without it are left out."""
    rows: dict[str, int] = {}
    vectors: list[Any] = []
    for record in records:
        vector: Any = record.vector
        if isinstance(vector, Mapping):
            vector = vector.get(stored)
        if isinstance(vector, list):  # a lone unnamed vector comes bare
            rows[str(record.id)] = len(vectors)
            vectors.append(vector)
    return rows, np.array(vectors, dtype=np.float64)


def grouped(pools: Iterable[OpenPool], most: int) -> Iterator[list[OpenPool]]:
    """Pools whose points are fetched together, about ``most`` at a time: memory stays bounded."""
    group: list[OpenPool] = []
    size = 0
    for pool in pools:
        if group and size + len(pool.ids) > most:
            yield group
            group, size = [], 0
        group.append(pool)
        size += len(pool.ids)
    if group:
        yield group


def _column(scores: Sequence[float | None]) -> Scores:
    column = np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
    return np.round(column, DECIMALS)
