"""Find the topical neighbours of passages, in a collection and among the examined passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.conflicts.candidate_pairs import NEAREST_READ
from logic_retrievers.conflicts.scorer import Rows, score_against
from logic_retrievers.conflicts.settings import TOPICAL, VECTORS, ContradictionConstants
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders import Encoder, RecentEncoder
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.client_calls import batches
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.index.point_format import possible_point_ids
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.scoring import normalise
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Passage

PASSAGES_PER_BATCH = 128
ROWS_PER_PRODUCT = 32
# maximum stored passages that a run keeps (the first ones read), about 3.5 KB of vectors each
CACHED_PASSAGES = 32_768
# Two passages under this topical cosine are about different things.
MIN_COSINE = 0.5

# id of a stored point
Point: TypeAlias = str
# a passage, its vectors, and whether shared words found the passage
Neighbour: TypeAlias = tuple[Passage, Mapping[str, Rows], bool]
# stored passages and their vectors, kept for one run because most are near many passages
PassageCache: TypeAlias = dict[Point, tuple[Passage, Mapping[str, Rows]]]


@dataclass(frozen=True, slots=True)
class ScoredNeighbour:
    """An examined passage, one of its neighbours, and the scores of the pair.

    ``score`` is F. ``by_words``: whether shared words found the neighbour, which is not among the
    nearest.
    """

    one: Passage
    other: Passage
    cosine: float
    score: float
    probability: float
    by_words: bool = False


@dataclass(frozen=True, slots=True)
class EncodedPassages:
    """Passages, stored or not, with their vectors.

    ``vectors``: name -> shape (passages, dimension), in the order of ``passages``.
    """

    passages: Sequence[Passage]
    vectors: dict[str, Rows]

    def row(self, position: int) -> dict[str, Rows]:
        return {name: rows[position] for name, rows in self.vectors.items()}


class NeighbourSearch:
    """Finds and scores the neighbours of passages, among stored and examined passages.

    An examined passage counts instead of the stored passage with its id, which it will replace. If
    the collection stores words, shared rare words find ``by_words`` more neighbours.
    """

    def __init__(
        self,
        encoder: Encoder,
        index: PassageIndex | None,
        constants: ContradictionConstants,
        count: int,
        min_cosine: float = MIN_COSINE,
        by_words: int = 0,
    ) -> None:
        # vectors are reused: for passages in conflict, and when the index stores a passage later
        self._encoder = RecentEncoder(encoder) if index is None else index.recent_encoder()
        self._index = index
        self._constants = constants
        self._count = count
        self._min_cosine = min_cosine
        self._by_words = by_words

    def points_of(self, passage: Passage) -> frozenset[Point]:
        """Return every point under which the passage is or will be stored."""
        tenant = None if self._index is None else self._index.tenant
        return frozenset(str(point) for point in possible_point_ids(passage.id, tenant))

    def encode(self, passages: Sequence[Passage]) -> Operation[EncodedPassages]:
        """Return the passages with their vectors, which are encoded if not stored."""
        specs = self._encoder.specs
        vectors = {
            name: np.empty((len(passages), specs[name].dimension), dtype=np.float32)
            for name in VECTORS
        }
        start = 0
        for batch in batches(passages, PASSAGES_PER_BATCH):
            made = yield from passage_vectors(batch, VECTORS, self._encoder, self._index)
            for name, rows in made.items():
                vectors[name][start : start + len(batch)] = rows
            start += len(batch)
        return EncodedPassages(passages, vectors)

    def score_neighbours(
        self,
        encoded: EncodedPassages,
        cache: PassageCache,
        *,
        within: bool,
        count: int | None = None,
        filter: UserFilter = None,  # noqa: A002
        without: frozenset[Point] = frozenset(),
    ) -> Operation[list[list[ScoredNeighbour]]]:
        """Find and score the neighbours of each passage, topically nearest first.

        With ``within``, examined passages also count as neighbours. Stored points in ``without``
        never do.
        """
        scored: list[list[ScoredNeighbour]] = []
        limit = self._count if count is None else count
        own_points = [self.points_of(passage) for passage in encoded.passages]
        replaced = without.union(*own_points) if within else without
        for batch in batches(range(len(own_points)), PASSAGES_PER_BATCH):
            neighbours = [list[Neighbour]() for _ in batch]
            if self._index is not None:
                left_out = [own_points[position] | replaced for position in batch]
                neighbours = yield from self._stored_neighbours(
                    encoded, batch, limit, filter, left_out, cache
                )
            if within:
                examined = yield Compute(partial(_examined_neighbours, encoded, batch, limit))
                neighbours = [[*a, *b] for a, b in zip(neighbours, examined, strict=True)]
            scored += yield Compute(partial(self._score, encoded, batch, neighbours, limit))
        return scored

    def probabilities(
        self, encoded: EncodedPassages, positions: list[int]
    ) -> npt.NDArray[np.float64]:
        """Return the symmetric matrix of probabilities that each two passages contradict."""
        rows = {name: matrix[positions] for name, matrix in encoded.vectors.items()}
        against_all = [
            score_against(encoded.row(position), rows, self._constants).probabilities
            for position in positions
        ]
        above_diagonal = np.triu(np.stack(against_all), k=1)
        return above_diagonal + above_diagonal.T

    def _stored_neighbours(
        self,
        encoded: EncodedPassages,
        positions: Sequence[int],
        limit: int,
        condition: UserFilter,
        left_out: Sequence[frozenset[Point]],
        cache: PassageCache,
    ) -> Operation[list[list[Neighbour]]]:
        assert self._index is not None
        rows = encoded.vectors[TOPICAL]
        pools = yield from self._index.find_candidates(
            [[EncodedVectorQuery(TOPICAL, TOPICAL, rows[at], limit + 1)] for at in positions],
            condition,
        )
        near = [
            [
                point
                for point, cosine in _best_first(pool, TOPICAL)
                if cosine >= self._min_cosine and point not in excluded
            ]
            for pool, excluded in zip(pools, left_out, strict=True)
        ]
        by_words = yield from self._found_by_words(encoded, positions, condition, left_out, near)
        wanted = {point for points in (*near, *by_words) for point in points}
        known = {point: cache[point] for point in wanted if point in cache}
        read = yield from self._read_stored(sorted(wanted - known.keys()))
        cache.update(islice(read.items(), max(0, CACHED_PASSAGES - len(cache))))
        known |= read
        return [
            [
                (*known[point], point in further)
                for point in dict.fromkeys([*points, *further])
                if point in known
            ]
            for points, further in zip(near, by_words, strict=True)
        ]

    def _read_stored(self, points: Sequence[Point]) -> Operation[PassageCache]:
        assert self._index is not None
        found = yield from self._index.fetch_passages(points)
        encoded = yield from self.encode(list(found.values()))
        return {
            point: (passage, encoded.row(row)) for row, (point, passage) in enumerate(found.items())
        }

    def _found_by_words(
        self,
        encoded: EncodedPassages,
        positions: Sequence[int],
        condition: UserFilter,
        left_out: Sequence[frozenset[Point]],
        near: Sequence[Sequence[Point]],
    ) -> Operation[list[list[Point]]]:
        """Return the stored passages found by words, except the nearest, which are read anyway."""
        assert self._index is not None
        if not self._by_words or LEXICAL not in self._index.vectors:
            return [[] for _ in positions]
        passages, language = encoded.passages, self._index.language
        terms = yield Compute(
            lambda: [term_vector(passages[n].text, language, query=True) for n in positions]
        )
        limit = self._by_words + NEAREST_READ + 2  # 2: the passage itself, under two ids
        pools = yield from self._index.find_candidates(
            [[EncodedVectorQuery(LEXICAL, LEXICAL, query, limit)] for query in terms], condition
        )
        found = []
        for pool, own, known in zip(pools, left_out, near, strict=True):
            taken = {*own, *known[:NEAREST_READ]}
            others = [point for point, _ in _best_first(pool, LEXICAL) if point not in taken]
            found.append(others[: self._by_words])
        return found

    def _score(
        self,
        encoded: EncodedPassages,
        positions: Sequence[int],
        neighbours: Sequence[Sequence[Neighbour]],
        limit: int,
    ) -> list[list[ScoredNeighbour]]:
        scored: list[list[ScoredNeighbour]] = [[] for _ in positions]
        for number, (position, others) in enumerate(zip(positions, neighbours, strict=True)):
            if not others:
                continue
            rows = {name: np.stack([vectors[name] for _, vectors, _ in others]) for name in VECTORS}
            scores = score_against(encoded.row(position), rows, self._constants)
            columns = np.stack([scores.cosines, scores.scores, scores.probabilities], axis=1)
            rounded = columns.round(SCORE_DECIMALS).tolist()
            near = [
                ScoredNeighbour(
                    encoded.passages[position], other, cosine, score, probability, by_words
                )
                for (other, _, by_words), (cosine, score, probability) in zip(
                    others, rounded, strict=True
                )
                if by_words or cosine >= self._min_cosine
            ]
            near.sort(key=lambda found: (-found.cosine, found.other.id))
            topical = [found for found in near if not found.by_words]
            scored[number] = topical[:limit] + [found for found in near if found.by_words]
        return scored


def _best_first(pool: CandidatePool, name: str) -> list[tuple[Point, float]]:
    scores = pool.scores[name]
    return [(pool.ids[n], scores[n]) for n in np.argsort(-scores, kind="stable")]


def _examined_neighbours(
    encoded: EncodedPassages, positions: Sequence[int], limit: int
) -> list[list[Neighbour]]:
    """Find the examined passages nearest to those at ``positions``; none is its own neighbour."""
    passages = encoded.passages
    unit = normalise(encoded.vectors[TOPICAL])
    neighbours: list[list[Neighbour]] = []
    for batch in batches(positions, ROWS_PER_PRODUCT):
        for position, cosines in zip(batch, unit[list(batch)] @ unit.T, strict=True):
            cosines[position] = -np.inf
            near = np.argpartition(-cosines, limit - 1)[:limit] if limit < len(cosines) else None
            others = range(len(cosines)) if near is None else sorted(near.tolist())
            neighbours.append(
                [(passages[n], encoded.row(n), False) for n in others if n != position]
            )
    return neighbours
