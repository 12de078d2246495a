"""Passages and their topical neighbours, in a collection and among the examined passages."""

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
from logic_retrievers.index.point_format import point_id, possible_point_ids
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.scoring import normalise
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Passage

PASSAGES_PER_BATCH = 128
ROWS_PER_PRODUCT = 32
# most stored passages whose vectors a run keeps (those read first), about 3.5 KB each
CACHED_PASSAGES = 32_768
# topical cosine under which two passages are about different things
MIN_COSINE = 0.5

# the id of a passage's point, whether it is stored or not
Key: TypeAlias = str
# key, vectors, and whether words found it
Neighbour: TypeAlias = tuple[Key, Mapping[str, Rows], bool]
# vectors of stored passages, kept for one run because most are neighbours of many passages
VectorCache: TypeAlias = dict[Key, Mapping[str, Rows]]


@dataclass(frozen=True, slots=True)
class ScoredNeighbour:
    """A passage, one of its neighbours, and the scores of the two.

    ``one`` is the key of the passage that was examined; ``score`` is F. ``by_words``: found by the
    words that they share, and not among the nearest that are read.
    """

    one: Key
    other: Key
    cosine: float
    score: float
    probability: float
    by_words: bool = False


@dataclass(frozen=True, slots=True)
class EncodedPassages:
    """Passages with their vectors; they need not be stored.

    ``vectors``: name -> shape (passages, dimension), in the order of ``passages``.
    """

    passages: dict[Key, Passage]
    vectors: dict[str, Rows]

    def row(self, position: int) -> dict[str, Rows]:
        return {name: rows[position] for name, rows in self.vectors.items()}


class NeighbourSearch:
    """Finds and scores the neighbours of passages, stored ones and examined ones.

    An examined passage takes the place of a stored one with its id, which it will replace. If the
    collection stores words, ``by_words`` neighbours are found by the rare words that they share.
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
        # passages in conflict are needed again, and those that will be stored, by the index
        self._encoder = RecentEncoder(encoder) if index is None else index.recent_encoder()
        self._index = index
        self._constants = constants
        self._count = count
        self._min_cosine = min_cosine
        self._by_words = by_words

    def key_of(self, passage: Passage) -> Key:
        return point_id(passage.id, None if self._index is None else self._index.tenant)

    def points_of(self, passage: Passage) -> frozenset[Key]:
        """Return every point under which the passage is or will be stored."""
        tenant = None if self._index is None else self._index.tenant
        return frozenset(str(point) for point in possible_point_ids(passage.id, tenant))

    def encode(self, passages: Sequence[Passage]) -> Operation[EncodedPassages]:
        """Return the passages with their vectors; vectors that are not stored are made."""
        by_key = {self.key_of(passage): passage for passage in passages}
        specs = self._encoder.specs
        vectors = {
            name: np.empty((len(by_key), specs[name].dimension), dtype=np.float32)
            for name in VECTORS
        }
        start = 0
        for batch in batches(list(by_key.values()), PASSAGES_PER_BATCH):
            made = yield from passage_vectors(batch, VECTORS, self._encoder, self._index)
            for name, rows in made.items():
                vectors[name][start : start + len(batch)] = rows
            start += len(batch)
        return EncodedPassages(by_key, vectors)

    def score_neighbours(
        self,
        encoded: EncodedPassages,
        cache: VectorCache,
        *,
        within: bool,
        count: int | None = None,
        filter: UserFilter = None,  # noqa: A002
        without: frozenset[Key] = frozenset(),
    ) -> Operation[list[list[ScoredNeighbour]]]:
        """Find and score the neighbours of each passage, the topically nearest first.

        With ``within`` the examined passages are neighbours too. Stored points in ``without`` are
        never neighbours.
        """
        scored: list[list[ScoredNeighbour]] = []
        limit = self._count if count is None else count
        own_points = [self.points_of(passage) for passage in encoded.passages.values()]
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
        """Return a symmetric matrix of probabilities that two of the passages contradict."""
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
        left_out: Sequence[frozenset[Key]],
        cache: VectorCache,
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
        near = [list(dict.fromkeys([*a, *b])) for a, b in zip(near, by_words, strict=True)]
        wanted = {point for points in near for point in points}
        vectors = {point: cache[point] for point in wanted if point in cache}
        read = yield from self._stored_vectors(sorted(wanted.difference(vectors)))
        cache.update(islice(read.items(), max(0, CACHED_PASSAGES - len(cache))))
        vectors |= read
        return [
            [(point, vectors[point], point in further) for point in points if point in vectors]
            for points, further in zip(near, by_words, strict=True)
        ]

    def _found_by_words(
        self,
        encoded: EncodedPassages,
        positions: Sequence[int],
        condition: UserFilter,
        left_out: Sequence[frozenset[Key]],
        near: Sequence[Sequence[Key]],
    ) -> Operation[list[list[Key]]]:
        """Return the stored passages found by words, without the nearest, which are read anyway."""
        assert self._index is not None
        if not self._by_words or LEXICAL not in self._index.vectors:
            return [[] for _ in positions]
        passages, language = list(encoded.passages.values()), self._index.language
        terms = yield Compute(
            lambda: [term_vector(passages[n].text, language, query=True) for n in positions]
        )
        limit = self._by_words + NEAREST_READ + 2  # itself, under two ids
        pools = yield from self._index.find_candidates(
            [[EncodedVectorQuery(LEXICAL, LEXICAL, query, limit)] for query in terms], condition
        )
        found = []
        for pool, own, known in zip(pools, left_out, near, strict=True):
            taken = {*own, *known[:NEAREST_READ]}
            others = [point for point, _ in _best_first(pool, LEXICAL) if point not in taken]
            found.append(others[: self._by_words])
        return found

    def _stored_vectors(self, points: Sequence[Key]) -> Operation[dict[Key, Mapping[str, Rows]]]:
        """Return the vectors of stored passages; vectors that are not stored are made."""
        assert self._index is not None
        index = self._index
        vectors: dict[Key, dict[str, Rows]] = {point: {} for point in points}
        stored = [name for name in VECTORS if name in index.vectors]
        for name, (row_of, matrix) in (yield from index.fetch_vectors(stored, points)).items():
            for point, row in row_of.items():
                vectors[point][name] = matrix[row].astype(np.float32)
        incomplete = [point for point, named in vectors.items() if len(named) < len(VECTORS)]
        passages = yield from index.fetch_passages(incomplete)
        for batch in batches(list(passages), PASSAGES_PER_BATCH):
            made = yield from passage_vectors(
                [passages[point] for point in batch], VECTORS, self._encoder
            )
            for row, point in enumerate(batch):
                vectors[point] = {name: made[name][row].astype(np.float32) for name in VECTORS}
        return {point: named for point, named in vectors.items() if len(named) == len(VECTORS)}

    def _score(
        self,
        encoded: EncodedPassages,
        positions: Sequence[int],
        neighbours: Sequence[Sequence[Neighbour]],
        limit: int,
    ) -> list[list[ScoredNeighbour]]:
        keys = list(encoded.passages)
        scored: list[list[ScoredNeighbour]] = [[] for _ in positions]
        for number, (position, others) in enumerate(zip(positions, neighbours, strict=True)):
            if not others:
                continue
            rows = {name: np.stack([vectors[name] for _, vectors, _ in others]) for name in VECTORS}
            scores = score_against(encoded.row(position), rows, self._constants)
            columns = (scores.cosines, scores.scores, scores.probabilities)
            rounded = zip(
                *(column.round(SCORE_DECIMALS).tolist() for column in columns), strict=True
            )
            near = [
                ScoredNeighbour(keys[position], other, cosine, score, probability, by_words)
                for (other, _, by_words), (cosine, score, probability) in zip(
                    others, rounded, strict=True
                )
                if by_words or cosine >= self._min_cosine
            ]
            near.sort(key=lambda found: (-found.cosine, found.other))
            topical = [found for found in near if not found.by_words]
            scored[number] = topical[:limit] + [found for found in near if found.by_words]
        return scored


def _best_first(pool: CandidatePool, name: str) -> list[tuple[Key, float]]:
    scores = pool.scores[name]
    return [(pool.ids[n], scores[n]) for n in np.argsort(-scores, kind="stable")]


def _examined_neighbours(
    encoded: EncodedPassages, positions: Sequence[int], limit: int
) -> list[list[Neighbour]]:
    """Find the nearest examined passages for some of them, each without itself."""
    keys = list(encoded.passages)
    unit = normalise(encoded.vectors[TOPICAL])
    neighbours: list[list[Neighbour]] = []
    for batch in batches(positions, ROWS_PER_PRODUCT):
        for position, cosines in zip(batch, unit[list(batch)] @ unit.T, strict=True):
            cosines[position] = -np.inf
            near = np.argpartition(-cosines, limit - 1)[:limit] if limit < len(cosines) else None
            others = range(len(cosines)) if near is None else sorted(near.tolist())
            neighbours.append(
                [(keys[other], encoded.row(other), False) for other in others if other != position]
            )
    return neighbours
