"""Candidate search: find the pool of each query, then score it, in two batched phases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import InputError, ShortListWarning, warn
from logic_retrievers.index.client_calls import (
    QueryVector,
    ScoredId,
    ScoredPoints,
    batches,
    by_id,
    client_call,
    nearest_request,
    retrieve,
)
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.group_search import ROUNDS, GroupSearch
from logic_retrievers.index.groups import Grouping, Member, group_paths, member_of
from logic_retrievers.index.point_format import native_point_id
from logic_retrievers.index.search_params import gives_exact_scores, over_defaults
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool

# Results requested beyond a query's limit, so that ids break ties at the limit, not the engine's
# order.
SPARE = 16
REQUESTS_PER_CALL = 64
IDS_PER_CALL = 1024


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
    params: models.SearchParams | None = None,
    groupings: Sequence[Grouping] | None = None,
) -> Operation[list[CandidatePool]]:
    """Find each query's pool: all points that any of its vector queries finds, with all scores.

    Phase 1 sends all vector queries. Phase 2 asks for the scores that are missing; a point that was
    deleted in between gets NaN. Requests stay within the limits of strict mode; if it allows fewer
    results than wanted, a warning says so.

    Args:
        collection: the collection.
        queries: the vector queries of each query.
        user_filter: the user's filter.
        also: for each query the filters that its passages must match besides the user's; see
            :func:`filters.to_qdrant_filter`.
        params: replaces the package's own parameters of phase 1.
        groupings: for each query the groups of which passages must be found, all by one field. A
            pool then also has the best passages of that many groups for each vector query.
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

    used = over_defaults(limits.search_params(params, collection.name) if params else None)
    exact = gives_exact_scores(used)
    searching = [(pool, query) for pool in pools for query in pool.queries if query.limit > 0]
    if groupings is None:
        searches: list[_Search] = [
            (pool, query, limits.candidates(query.limit + SPARE, collection.name), pool.condition)
            for pool, query in searching
        ]
        results = yield from send(searches, used)
        for (pool, query), points in zip(searching, results, strict=True):
            pool.add_nearest(query, points, exact=exact)
    elif groupings:
        grouping_of = dict(zip(map(id, pools), groupings, strict=True))
        paths = group_paths(groupings[0].field, collection.prefixes)
        rounds = [
            GroupSearch(collection, paths, grouping_of[id(p)], p.condition, query.limit, SPARE)
            for p, query in searching
        ]
        first, members = yield from _find_groups(
            collection, paths, searching, rounds, lambda searches: send(searches, used)
        )
        for (pool, query), points, each in zip(searching, first, rounds, strict=True):
            pool.add_nearest(query, points, exact=exact)
            pool.add(query, each.best, exact=exact)
            pool.members = members
    searches = [search for pool in pools for search in pool.missing(limits)]
    results = yield from send(searches, limits.scoring_params)
    for (pool, query, *_), points in zip(searches, results, strict=True):
        pool.scores[query.name].update((str(point.id), point.score) for point in points)
    return [pool.build() for pool in pools]


def _find_groups(
    collection: Collection,
    paths: Sequence[str],
    searching: Sequence[tuple[_PoolBuilder, EncodedVectorQuery]],
    rounds: Sequence[GroupSearch],
    send: Callable[[Sequence[_Search]], Operation[list[list[ScoredId]]]],
) -> Operation[tuple[list[list[ScoredId]], dict[str, Member | None]]]:
    """Search in rounds until all vector queries have their groups.

    Return the results of the first round, and by which value each point is grouped.
    """
    first: list[list[ScoredId]] = []
    members: dict[str, Member | None] = {}
    for _ in range(ROUNDS):
        pending = [each for each in zip(searching, rounds, strict=True) if not each[1].done]
        if not pending:
            break
        results = yield from send(
            [(*one, each.results, each.next_condition) for one, each in pending]
        )
        ids = {str(point.id) for points in results for point in points}
        members |= yield from _read_members(collection, sorted(ids - members.keys()), paths)
        for (_, each), points in zip(pending, results, strict=True):
            each.add(points, members)
        first = first or results
    for each in rounds:
        if not each.done:
            warn(
                ShortListWarning,
                f"{ROUNDS} rounds of a search found {each.groups} of {each.grouping.count}"
                f" groups by {each.grouping.field!r}, or not all of their passages: some groups"
                " have very many passages. A filter would leave these out.",
            )
    return first, members


def _read_members(
    collection: Collection, ids: Sequence[str], paths: Sequence[str]
) -> Operation[dict[str, Member | None]]:
    """Read by which value each point is grouped."""
    members: dict[str, Member | None] = dict.fromkeys(ids)
    for batch in batches(ids, IDS_PER_CALL):
        points = [native_point_id(point) for point in batch]
        records = yield retrieve(collection.name, points, payload=list(paths))
        members |= {str(record.id): member_of(record.payload, paths) for record in records}
    return members


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
        self.members: Mapping[str, Member | None] | None = None
        self._found: set[str] = set()

    def add_nearest(
        self, query: EncodedVectorQuery, points: Iterable[ScoredId], *, exact: bool
    ) -> None:
        """Add the results of a search up to its limit; equal scores are ordered by id."""
        ranked = sorted((-round(point.score, SCORE_DECIMALS), str(point.id)) for point in points)
        self.add(query, [(point, -score) for score, point in ranked[: query.limit]], exact=exact)

    def add(
        self, query: EncodedVectorQuery, scored: Sequence[tuple[str, float]], *, exact: bool
    ) -> None:
        """Add points with their scores; scores that are not exact are asked for in phase 2."""
        self._found.update(point for point, _ in scored)
        if exact:
            self.scores[query.name].update(scored)

    def missing(self, limits: StrictLimits) -> list[_Search]:
        """End phase 1: list the searches for missing scores, in parts of allowed size."""
        self.ids = sorted(self._found)
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
        groups: tuple[Any, ...] = ()
        if self.members is not None:
            found = [self.members[point] for point in self.ids]
            groups = tuple(None if member is None else member.value for member in found)
        return CandidatePool(tuple(self.ids), rounded, groups)


# pool, its vector query, number of results, condition
_Search: TypeAlias = tuple[_PoolBuilder, EncodedVectorQuery, int, models.Filter | None]
