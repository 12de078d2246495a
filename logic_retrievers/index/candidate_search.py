"""Candidate search: find the pool of each query, then score it, in two batched phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import InputError
from logic_retrievers.index.client_calls import (
    RESCORED,
    QueryVector,
    ScoredId,
    ScoredPoints,
    batches,
    by_id,
    client_call,
    nearest_request,
)
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.point_format import native_point_id
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool

# Results requested beyond a query's limit, so that ids break ties at the limit, not the engine's
# order.
SPARE = 16
REQUESTS_PER_CALL = 64


@dataclass(frozen=True, slots=True, eq=False)
class EncodedVectorQuery:
    """A vector query with its text encoded.

    Args:
        name: name of the scores in the pool.
        vector: our name of the vector that is searched.
        query: array of shape (dimension,); for ``lexical`` a sparse vector.
        limit: how many nearest points join the pool; with 0 the query only scores it.
    """

    name: str
    vector: str
    query: QueryVector
    limit: int


def find_candidates(
    collection: Collection,
    queries: Sequence[Sequence[EncodedVectorQuery]],
    user_filter: UserFilter = None,
    also: Sequence[Sequence[Mapping[str, Any]]] | None = None,
) -> Operation[list[CandidatePool]]:
    """Find each query's pool: all points that any of its vector queries finds, with all scores.

    Phase 1 sends all vector queries. Phase 2 asks for the scores that are missing; a point that was
    deleted in between gets NaN. Requests stay within the limits of strict mode; if it allows fewer
    results than wanted, a warning says so.

    ``also``: for each query the filters that its passages must match besides the user's; see
    :func:`filters.to_qdrant_filter`.
    """
    compose_filter = partial(
        to_qdrant_filter,
        user_filter,
        tenant=collection.tenant,
        prefixes=collection.prefixes,
        hiding_flags=collection.hiding_flags,
    )
    shared = compose_filter()  # one object, so that it is translated once
    pools = [
        _PoolBuilder(each, compose_filter(also=further) if further else shared)
        for each, further in zip(queries, also or [()] * len(queries), strict=True)
    ]
    limits = collection.limits
    stored_names = {
        query.vector: collection.vector(query.vector).stored_name
        for pool in pools
        for query in pool.queries
    }

    def send(
        searches: Sequence[_Search], params: models.SearchParams
    ) -> Operation[list[list[ScoredId]]]:
        used = None if collection.local_mode else params
        requests = [
            nearest_request(query.query, stored_names[query.vector], limit, condition, used)
            for _, query, limit, condition in searches
        ]
        results: list[list[ScoredId]] = []
        most = min(limits.search_max_batchsize or REQUESTS_PER_CALL, REQUESTS_PER_CALL)
        for batch in batches(requests, most):
            call = client_call("query_batch_points", collection.name, requests=list(batch))
            responses: list[ScoredPoints] = yield call
            results.extend(response.points for response in responses)
        return results

    searches: list[_Search] = [
        (pool, query, limits.candidates(query.limit + SPARE, collection.name), pool.condition)
        for pool in pools
        for query in pool.queries
        if query.limit > 0
    ]
    results = yield from send(searches, RESCORED)
    for (pool, query, *_), points in zip(searches, results, strict=True):
        pool.add_nearest(query, points)
    searches = [search for pool in pools for search in pool.missing(limits)]
    results = yield from send(searches, limits.scoring_params)
    for (pool, query, *_), points in zip(searches, results, strict=True):
        pool.scores[query.name].update((str(point.id), point.score) for point in points)
    return [pool.build() for pool in pools]


class _PoolBuilder:
    """Candidates of one query. ``scores``: name of a vector query -> point id -> score."""

    def __init__(
        self, queries: Sequence[EncodedVectorQuery], condition: models.Filter | None
    ) -> None:
        self.queries, self.condition = queries, condition
        self.scores: dict[str, dict[str, float]] = {query.name: {} for query in queries}
        if len(self.scores) < len(queries):
            raise InputError(f"Two vector queries of one name: {[each.name for each in queries]}.")
        self.ids: list[str] = []

    def add_nearest(self, query: EncodedVectorQuery, points: Iterable[ScoredId]) -> None:
        """Add the results of a search up to its limit; equal scores are ordered by id."""
        ranked = sorted((-round(point.score, SCORE_DECIMALS), str(point.id)) for point in points)
        self.scores[query.name].update((point, -score) for score, point in ranked[: query.limit])

    def missing(self, limits: StrictLimits) -> list[_Search]:
        """End phase 1: list the searches for missing scores, in parts of allowed size."""
        self.ids = sorted(set().union(*self.scores.values()))
        most = limits.ids(limits.results(max(1, len(self.ids))))

        def match(points: Sequence[str]) -> list[tuple[int, models.Filter]]:
            return [
                (len(part), by_id(map(native_point_id, part), self.condition))
                for part in batches(points, most)
            ]

        every = match(self.ids)  # shared, so that it is translated once
        missing: list[_Search] = []
        for query in self.queries:
            scored = self.scores[query.name]
            parts = match([point for point in self.ids if point not in scored]) if scored else every
            missing += [(self, query, *part) for part in parts]
        return missing

    def build(self) -> CandidatePool:
        columns = {
            name: np.array([scores.get(point, np.nan) for point in self.ids], dtype=np.float64)
            for name, scores in self.scores.items()
        }
        rounded = {name: np.round(column, SCORE_DECIMALS) for name, column in columns.items()}
        return CandidatePool(tuple(self.ids), rounded)


# pool, its vector query, number of results, condition
_Search: TypeAlias = tuple[_PoolBuilder, EncodedVectorQuery, int, models.Filter | None]
