"""Reading: pools of scored candidates in two batched phases, and the payload of the final few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.errors import InputError, ServerError
from logic_retrievers.index.exactness import exactly, scoring
from logic_retrievers.index.filters import UserFilter, compose
from logic_retrievers.index.ids import to_native
from logic_retrievers.index.payloads import to_passage
from logic_retrievers.index.pools import SPARE, LeafSearch, OpenPool, grouped
from logic_retrievers.index.requests import batches, nearest, one_request_union, scores_of
from logic_retrievers.index.rows import ShortCuts, rows
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure, Work
from logic_retrievers.types import Passage, Pool

REQUESTS_A_CALL = 64
POINTS_A_CALL = 1024
FUSION_SINCE = (1, 17)


__all__ = ["LeafSearch", "fetch", "fused", "gather", "require_fusion"]


def gather(
    collection: Collection,
    queries: Sequence[Sequence[LeafSearch]],
    user_filter: UserFilter = None,
    short_cuts: ShortCuts | None = None,
    must_not: Sequence[Mapping[str, Any]] | None = None,
) -> Procedure[list[Pool]]:
    """The pool of every query: the union of its leaf searches, scored on every leaf.

    Two batched phases: all leaf searches of all queries; then the scores that are missing. A
    point that vanishes between the two keeps NaN.

    Args:
        collection: where to search.
        queries: the leaves of each query.
        user_filter: of the user; it holds on every leaf, as the tenant does.
        must_not: for each query, what its passages must not have; see :func:`filters.compose`.
        short_cuts: through embedded mode; without them everything goes by Qdrant's interface.

    Raises:
        MissingVectorError: a leaf's vector is not there.
        InputError: a filter that cannot be read, or two leaves of one name.
    """
    unwanted = must_not or [{}] * len(queries)
    conditions = _conditions(collection, user_filter, unwanted, collection.hidden)
    # embedded mode walks through all payloads for any filter: its short cut looks for flags itself
    plain = _conditions(collection, user_filter, unwanted) if collection.embedded else conditions
    _check_leaves(collection, queries)
    pools = [OpenPool(leaves) for leaves in queries]
    searches = [
        (pool, _Search(leaf, condition, without))
        for pool, condition, without in zip(pools, conditions, plain, strict=True)
        for leaf in pool.leaves
        if leaf.depth > 0
    ]
    answers = yield from _nearest(collection, [search for _, search in searches], short_cuts)
    for (pool, search), points in zip(searches, answers, strict=True):
        pool.admit(search.leaf, points)
    for pool in pools:
        pool.complete()
    if collection.embedded:
        yield from _score_here(collection, pools, short_cuts)
    yield from exactly(collection, lambda exact: _score_there(collection, pools, conditions, exact))
    return [pool.to_pool() for pool in pools]


def fetch(collection: Collection, point_ids: Sequence[str]) -> Procedure[dict[str, Passage]]:
    """The passages of the given points; a point that is gone is left out."""
    found: dict[str, Passage] = {}
    for some in batches(list(point_ids), POINTS_A_CALL):
        records = yield Call(
            "retrieve",
            {
                "collection_name": collection.name,
                "ids": [to_native(point) for point in some],
                "with_payload": True,
                "with_vectors": False,
            },
        )
        found.update(
            (str(record.id), to_passage(record.id, record.payload, collection.keys))
            for record in records
        )
    return found


def fused(
    collection: Collection,
    queries: Sequence[Sequence[LeafSearch]],
    weights: Sequence[float],
    limit: int,
    user_filter: UserFilter = None,
) -> Procedure[list[list[tuple[str, float]]]]:
    """Unfiltered CoDeR-Union in one request a query.

    Exact on one shard; ties are random; single scores stay hidden. Servers older than 1.17 take
    the request and ignore the weights: see :func:`require_fusion`.

    Args:
        collection: where to search.
        queries: the leaves of each query.
        weights: one a leaf.
        limit: length of each list.
        user_filter: of the user; it holds on every leaf, as the tenant does.

    Returns:
        For each query (point id, sum of weight / rank), best first.

    Raises:
        MissingVectorError, InputError: as for :func:`gather`.
    """
    _check_leaves(collection, queries)
    if limit < 1 or any(len(weights) != len(leaves) for leaves in queries):
        raise InputError("Fusion needs one weight a leaf, and a limit of 1 or more.")
    (condition,) = _conditions(collection, user_filter, [{}], collection.hidden)
    parts = [
        [(leaf.query, collection.vector(leaf.vector).stored, leaf.depth) for leaf in leaves]
        for leaves in queries
    ]
    answers = yield from exactly(
        collection,
        lambda exact: _query_batch(
            collection,
            [
                one_request_union(part, weights, limit, condition, scoring(collection, exact))
                for part in parts
            ],
        ),
    )
    return [[(str(point.id), float(point.score)) for point in points] for points in answers]


def require_fusion() -> Procedure[None]:
    """Asks the server whether it has weighted fusion.

    Raises:
        ServerError: it is older than 1.17.
    """
    version = (yield Call("info", {})).version
    if tuple(int(part) for part in version.split(".")[:2]) < FUSION_SINCE:
        raise ServerError(
            f"This Qdrant server is {version}; weighted fusion in one request needs 1.17."
            " Upgrade it, or search without the one-request form."
        )


class _Search(NamedTuple):
    """A leaf search, and its filter with and without what hides quarantined passages."""

    leaf: LeafSearch
    condition: models.Filter | None
    plain: models.Filter | None


def _conditions(
    collection: Collection,
    user_filter: UserFilter,
    unwanted: Sequence[Mapping[str, Any]],
    hidden: Sequence[str] = (),
) -> list[models.Filter | None]:
    """The filter of every query; one object for all that want the same."""

    def composed(must_not: Mapping[str, Any]) -> models.Filter | None:
        return compose(
            user_filter,
            tenant=collection.tenant,
            prefixes=collection.prefixes,
            must_not=must_not,
            hidden=hidden,
        )

    usual = composed({})
    return [composed(one) if one else usual for one in unwanted]


def _check_leaves(collection: Collection, queries: Sequence[Sequence[LeafSearch]]) -> None:
    for leaves in queries:
        if len({leaf.name for leaf in leaves}) != len(leaves):
            raise InputError(f"Two leaves of one name: {[leaf.name for leaf in leaves]}.")
        for leaf in leaves:
            collection.vector(leaf.vector)


def _query_batch(
    collection: Collection, requests: Sequence[models.QueryRequest]
) -> Procedure[list[list[models.ScoredPoint]]]:
    found: list[list[models.ScoredPoint]] = []
    for some in batches(requests, REQUESTS_A_CALL):
        answers = yield Call(
            "query_batch_points", {"collection_name": collection.name, "requests": list(some)}
        )
        found.extend(answer.points for answer in answers)
    return found


def _nearest(
    collection: Collection, searches: Sequence[_Search], short_cuts: ShortCuts | None
) -> Procedure[list[list[tuple[str, float]]]]:
    """Phase 1: (point id, score) of every leaf search, the short way where it is open."""
    found: list[list[tuple[str, float]] | None] = [None] * len(searches)
    if collection.embedded and short_cuts is not None:
        found = yield Work(partial(_quickly, collection, searches, short_cuts))
    rest = [number for number, points in enumerate(found) if points is None]
    answers = yield from _query_batch(
        collection,
        [
            nearest(
                search.leaf.query,
                collection.vector(search.leaf.vector).stored,
                search.leaf.depth + SPARE,
                search.condition,
                embedded=collection.embedded,
            )
            for search in (searches[number] for number in rest)
        ],
    )
    for number, points in zip(rest, answers, strict=True):
        found[number] = [(str(point.id), point.score) for point in points]
    return [points or [] for points in found]


def _quickly(
    collection: Collection, searches: Sequence[_Search], short_cuts: ShortCuts
) -> list[list[tuple[str, float]] | None]:
    """Searches of one vector under one filter go together: the filter is looked at once."""
    found: list[list[tuple[str, float]] | None] = [None] * len(searches)
    together: dict[tuple[str, int], list[int]] = {}
    dense: dict[int, npt.NDArray[Any]] = {}
    for number, search in enumerate(searches):
        if not isinstance(search.leaf.query, models.SparseVector):
            dense[number] = search.leaf.query
            stored = collection.vector(search.leaf.vector).stored
            together.setdefault((stored, id(search.plain)), []).append(number)
    for (stored, _), numbers in together.items():
        answers = short_cuts.nearest(
            collection.name,
            stored,
            [dense[number] for number in numbers],
            max(searches[number].leaf.depth for number in numbers) + SPARE,
            searches[numbers[0]].plain,
            collection.hidden,
        )
        for number, points in zip(numbers, answers or (), strict=False):
            found[number] = points
    return found


def _score_there(
    collection: Collection,
    pools: Sequence[OpenPool],
    conditions: Sequence[models.Filter | None],
    exact: bool,
) -> Procedure[None]:
    """Phase 2 on a server, and of sparse vectors everywhere: only Qdrant knows their idf."""
    jobs = [
        (pool, leaf, missing, condition)
        for pool, condition in zip(pools, conditions, strict=True)
        for leaf in pool.leaves
        if not collection.embedded or collection.vector(leaf.vector).sparse
        if (missing := pool.missing(leaf))
    ]
    answers = yield from _query_batch(
        collection,
        [
            scores_of(
                leaf.query,
                collection.vector(leaf.vector).stored,
                missing,
                condition,
                scoring(collection, exact),
            )
            for _, leaf, missing, condition in jobs
        ],
    )
    for (pool, leaf, *_), points in zip(jobs, answers, strict=True):
        pool.add(leaf, points)


def _score_here(
    collection: Collection, pools: Sequence[OpenPool], short_cuts: ShortCuts | None
) -> Procedure[None]:
    """Phase 2 in embedded mode, whose filters walk every point: vectors out, products here."""
    names = sorted({leaf.vector for pool in pools for leaf in pool.leaves})
    dense = [name for name in names if not collection.vector(name).sparse]
    for group in grouped(pools, POINTS_A_CALL):
        points = sorted(set().union(*(pool.ids for pool in group)))
        matrices = yield from rows(collection, dense, points, short_cuts)
        for pool in group:
            pool.score(matrices)
