"""Candidate search: the pool of each query, found and then scored in two batched phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import InputError
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.embedded import local_nearest
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.requests import (
    QueryVector,
    VectorTable,
    batches,
    batches_by_size,
    client_call,
    exact_if_allowed,
    nearest_request,
    scores_request,
    scoring_params,
)
from logic_retrievers.index.schema import Collection
from logic_retrievers.index.vectors import fetch_vectors
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool

SPARE = 16
"""Results requested beyond a query's limit: copies of one text at its edge are then ordered by id,
not by where their rows lie."""
REQUESTS_PER_CALL = 64
POINTS_PER_CALL = 1024


@dataclass(frozen=True, slots=True, eq=False)
class EncodedVectorQuery:
    """A vector query with its text encoded.

    Args:
        name: under which the pool holds the scores.
        vector: our name of the named vector.
        query: shape (dimension,); for ``lexical`` a sparse vector (:func:`lexical.term_vector`).
        limit: how many nearest points join the pool; 0: the query only scores it.
    """

    name: str
    vector: str
    query: QueryVector
    limit: int


def find_candidates(
    collection: Collection,
    queries: Sequence[Sequence[EncodedVectorQuery]],
    user_filter: UserFilter = None,
    connection: Connection | None = None,
    must_not: Sequence[Mapping[str, Any]] | None = None,
) -> Operation[list[CandidatePool]]:
    """The pool of every query: what its vector queries find, each point scored on all of them.

    Phase 1 sends the vector queries of all queries, phase 2 asks for the scores that are missing. A
    point that vanishes between the two keeps NaN.

    Args:
        collection: where to search.
        queries: the vector queries of each query.
        user_filter: holds on every vector query, as the tenant does.
        connection: gives fast access to embedded mode; without it everything goes through Qdrant's
            public interface.
        must_not: for each query, what its passages must not have; see :func:`filters.compose`.

    Raises:
        MissingVectorError: a vector is missing.
        InputError: a filter that cannot be read, or two vector queries of one name.
    """
    exclusions = must_not or [{}] * len(queries)
    conditions = _conditions(collection, user_filter, exclusions, collection.hiding_flags)
    # embedded mode walks through all payloads for any filter: its fast search tests flags itself
    without_flags = (
        _conditions(collection, user_filter, exclusions) if collection.embedded else conditions
    )
    _check_queries(collection, queries)
    pools = [_PoolBuilder(vector_queries) for vector_queries in queries]
    searches = [
        (pool, _Search(query, condition, plain))
        for pool, condition, plain in zip(pools, conditions, without_flags, strict=True)
        for query in pool.queries
        if query.limit > 0
    ]
    results = yield from _search(collection, [search for _, search in searches], connection)
    for (pool, search), points in zip(searches, results, strict=True):
        pool.add_nearest(search.query, points)
    for pool in pools:
        pool.collect_ids()
    if collection.embedded:
        yield from _score_locally(collection, pools, connection)
    yield from exact_if_allowed(
        collection, lambda exact: _score_in_qdrant(collection, pools, conditions, exact)
    )
    return [pool.build() for pool in pools]


class _PoolBuilder:
    """The candidates of one query: name of a vector query -> point id -> score."""

    def __init__(self, queries: Sequence[EncodedVectorQuery]) -> None:
        self.queries = queries
        self.scores: dict[str, dict[str, float]] = {query.name: {} for query in queries}
        self.ids: list[str] = []

    def add_nearest(self, query: EncodedVectorQuery, points: Iterable[tuple[str, float]]) -> None:
        """Adds the (id, score) of a search, cut to its limit; ties at the edge go by id."""
        ranked = sorted((-round(score, SCORE_DECIMALS), point) for point, score in points)
        self.scores[query.name].update((point, -score) for score, point in ranked[: query.limit])

    def add_scores(self, query: EncodedVectorQuery, points: Iterable[models.ScoredPoint]) -> None:
        """Adds scores of candidates."""
        self.scores[query.name].update((str(point.id), point.score) for point in points)

    def collect_ids(self) -> None:
        """Ends phase 1: from here on the candidates are only scored."""
        self.ids = sorted(set().union(*self.scores.values()))

    def unscored(self, query: EncodedVectorQuery) -> list[str]:
        """The candidates that have no score on this vector query."""
        scored = self.scores[query.name]
        return [point for point in self.ids if point not in scored]

    def rescore(self, tables: Mapping[str, VectorTable]) -> None:
        """Scores every candidate anew on the dense vector queries.

        In float64, so that rounding hides how the product was summed and two copies of a text tie
        exactly wherever their rows lie.
        """
        for query in self.queries:
            if query.vector not in tables or isinstance(query.query, models.SparseVector):
                continue
            row_of, rows = tables[query.vector]
            present = [point for point in self.ids if point in row_of]
            if not present:  # all deleted since the search, or none has this vector
                self.scores[query.name] = {}
                continue
            vector = np.asarray(query.query, dtype=np.float64)
            length = float(np.linalg.norm(vector)) or 1.0
            scores = rows[[row_of[point] for point in present]] @ (vector / length)
            self.scores[query.name] = dict(zip(present, scores.tolist(), strict=True))

    def build(self) -> CandidatePool:
        """The finished pool."""
        columns = {
            name: np.array([scores.get(point, np.nan) for point in self.ids], dtype=np.float64)
            for name, scores in self.scores.items()
        }
        return CandidatePool(
            tuple(self.ids),
            {name: np.round(column, SCORE_DECIMALS) for name, column in columns.items()},
        )


class _Search(NamedTuple):
    """A vector query, and its filter with and without what hides quarantined passages."""

    query: EncodedVectorQuery
    condition: models.Filter | None
    without_flags: models.Filter | None


def _conditions(
    collection: Collection,
    user_filter: UserFilter,
    exclusions: Sequence[Mapping[str, Any]],
    hiding_flags: Sequence[str] = (),
) -> list[models.Filter | None]:
    """The filter of every query; queries that exclude nothing share one object."""
    compose_filter = partial(
        to_qdrant_filter,
        user_filter,
        tenant=collection.tenant,
        prefixes=collection.prefixes,
        hiding_flags=hiding_flags,
    )
    shared = compose_filter()
    return [compose_filter(must_not=exclusion) if exclusion else shared for exclusion in exclusions]


def _check_queries(collection: Collection, queries: Sequence[Sequence[EncodedVectorQuery]]) -> None:
    for vector_queries in queries:
        names = [query.name for query in vector_queries]
        if len(set(names)) != len(names):
            raise InputError(f"Two vector queries of one name: {names}.")
        for query in vector_queries:
            collection.vector(query.vector)


def _query_batch(
    collection: Collection, requests: Sequence[models.QueryRequest]
) -> Operation[list[list[models.ScoredPoint]]]:
    results: list[list[models.ScoredPoint]] = []
    for batch in batches(requests, REQUESTS_PER_CALL):
        responses = yield client_call("query_batch_points", collection.name, requests=list(batch))
        results.extend(response.points for response in responses)
    return results


def _search(
    collection: Collection, searches: Sequence[_Search], connection: Connection | None
) -> Operation[list[list[tuple[str, float]]]]:
    """Phase 1: (point id, score) of every search, from embedded arrays where that is possible."""
    results: list[list[tuple[str, float]] | None] = [None] * len(searches)
    if collection.embedded and connection is not None:
        results = yield Compute(partial(_search_locally, collection, searches, connection))
    remaining = [number for number, points in enumerate(results) if points is None]
    responses = yield from _query_batch(
        collection,
        [
            nearest_request(
                search.query.query,
                collection.vector(search.query.vector).stored_name,
                search.query.limit + SPARE,
                search.condition,
                embedded=collection.embedded,
            )
            for search in (searches[number] for number in remaining)
        ],
    )
    for number, points in zip(remaining, responses, strict=True):
        results[number] = [(str(point.id), point.score) for point in points]
    return [points or [] for points in results]


def _search_locally(
    collection: Collection, searches: Sequence[_Search], connection: Connection
) -> list[list[tuple[str, float]] | None]:
    """Groups the searches by vector and filter, so that each filter is evaluated once."""
    results: list[list[tuple[str, float]] | None] = [None] * len(searches)
    groups: dict[tuple[str, int], list[int]] = {}
    dense: dict[int, npt.NDArray[Any]] = {}
    for number, search in enumerate(searches):
        if not isinstance(search.query.query, models.SparseVector):
            dense[number] = search.query.query
            stored_name = collection.vector(search.query.vector).stored_name
            groups.setdefault((stored_name, id(search.without_flags)), []).append(number)
    for (stored_name, _), numbers in groups.items():
        nearest = connection.read_arrays(
            local_nearest,
            collection.name,
            stored_name,
            [dense[number] for number in numbers],
            max(searches[number].query.limit for number in numbers) + SPARE,
            searches[numbers[0]].without_flags,
            collection.hiding_flags,
        )
        for number, points in zip(numbers, nearest or (), strict=False):
            results[number] = points
    return results


def _score_in_qdrant(
    collection: Collection,
    pools: Sequence[_PoolBuilder],
    conditions: Sequence[models.Filter | None],
    exact: bool,
) -> Operation[None]:
    """Phase 2 on a server, and of sparse vectors everywhere: only Qdrant knows their idf."""
    missing = [
        (pool, query, points, condition)
        for pool, condition in zip(pools, conditions, strict=True)
        for query in pool.queries
        if not collection.embedded or collection.vector(query.vector).sparse
        if (points := pool.unscored(query))
    ]
    responses = yield from _query_batch(
        collection,
        [
            scores_request(
                query.query,
                collection.vector(query.vector).stored_name,
                points,
                condition,
                scoring_params(collection, exact),
            )
            for _, query, points, condition in missing
        ],
    )
    for (pool, query, *_), scored in zip(missing, responses, strict=True):
        pool.add_scores(query, scored)


def _score_locally(
    collection: Collection, pools: Sequence[_PoolBuilder], connection: Connection | None
) -> Operation[None]:
    """Phase 2 in embedded mode, whose filters walk every point: fetches vectors and multiplies."""
    names = sorted({query.vector for pool in pools for query in pool.queries})
    dense = [name for name in names if not collection.vector(name).sparse]
    # groups bound the memory
    for group in batches_by_size(pools, lambda pool: len(pool.ids), POINTS_PER_CALL):
        points = sorted(set().union(*(pool.ids for pool in group)))
        tables = yield from fetch_vectors(collection, dense, points, connection)
        for pool in group:
            pool.rescore(tables)
