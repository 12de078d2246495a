"""Build client calls and requests without I/O, within the limits of a server's strict mode."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import StrictModeWarning, warn

T = TypeVar("T")
QueryVector: TypeAlias = npt.NDArray[Any] | models.SparseVector
# point id -> number of its row, and the rows
VectorTable: TypeAlias = tuple[dict[str, int], npt.NDArray[np.float64]]

# Maximum bytes of a write. A server takes 32 MiB by default, but sizes are only estimated here.
BYTES_PER_CALL = 8 * 1024 * 1024
# Bytes of a float32 that is written with the decimal digits of a float64.
BYTES_PER_COORDINATE = 21

# These scores are compared with exact ones (candidate_search.py), so they are not quantised.
RESCORED = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True))

# A server's words for a request that costs more than its rate limit ever grants.
NEVER_GRANTED = "larger than rate limiter capacity"

_EXACT = models.SearchParams(exact=True)
_UNQUANTIZED = models.SearchParams(quantization=models.QuantizationSearchParams(ignore=True))
_EXCEEDED = r"Limit exceeded (?P<needed>\d+) > (?P<allowed>\d+) for "
_REACHED = r"limit reached \((?P<needed>\d+) > (?P<allowed>\d+)\)"
# setting -> pattern of a server's message that a request exceeds it
_REFUSALS = {
    "max_query_limit": f'{_EXCEEDED}"limit"',
    "search_max_batchsize": f'{_EXCEEDED}"search batch size"',
    "upsert_max_batchsize": f'{_EXCEEDED}"(?:upsert|update) limit"',
    "max_timeout": f'{_EXCEEDED}"timeout"',
    "filter_max_conditions": f"Filter condition {_REACHED}",
    "condition_max_size": f"Condition size {_REACHED}",
}
# method -> name of the argument whose items may be sent in several calls
_DIVISIBLE = {
    "query_batch_points": "requests",
    "retrieve": "ids",
    "delete": "points_selector",
    **dict.fromkeys(("upsert", "update_vectors", "set_payload", "delete_payload"), "points"),
}


class ScoredId(NamedTuple):
    """The part of qdrant-client's ``ScoredPoint`` that an index reads; 20 times faster to make."""

    id: models.ExtendedPointId
    score: float


class ScoredPoints(NamedTuple):
    """The part of qdrant-client's ``QueryResponse`` that an index reads."""

    points: list[ScoredId]


def client_call(method: str, collection: str, /, **arguments: Any) -> ClientCall:
    """Make a call of a client's method for one collection."""
    return ClientCall(method, {"collection_name": collection, **arguments})


def create_index(collection: str, key: str, schema: Any) -> ClientCall:
    """Make the call that creates the payload index of a key."""
    return client_call(
        "create_payload_index", collection, field_name=key, field_schema=schema, wait=True
    )


def nearest_request(
    query: QueryVector,
    stored_name: str,
    limit: int,
    condition: models.Filter | None,
    params: models.SearchParams | None,
) -> models.QueryRequest:
    """Ask for ids and scores of the nearest points among those that meet a condition."""
    is_sparse = isinstance(query, models.SparseVector)
    vector = query if is_sparse else np.asarray(query, dtype=np.float32).tolist()
    # not validated, because the hundreds of ids and coordinates are this package's own
    return models.QueryRequest.model_construct(
        query=models.NearestQuery.model_construct(nearest=vector),
        using=stored_name or None,
        filter=condition,
        limit=limit,
        with_payload=False,
        params=params,
    )


def by_id(
    point_ids: Iterable[models.ExtendedPointId], condition: models.Filter | None = None
) -> models.Filter:
    """Match the points with these ids that also meet the condition."""
    has_id = models.HasIdCondition.model_construct(has_id=list(point_ids))
    return models.Filter.model_construct(
        must=[has_id] if condition is None else [has_id, condition]
    )


def by_filter(
    requests: Sequence[models.QueryRequest], translate: Callable[[models.Filter], T]
) -> Mapping[int, T | None]:
    """Map ``id(filter)`` to the filter's translation; a shared filter is translated once."""
    filters = {id(request.filter): request.filter for request in requests}
    return {key: None if f is None else translate(f) for key, f in filters.items()}


def retrieve(
    collection: str,
    point_ids: Sequence[models.ExtendedPointId],
    *,
    payload: bool | Sequence[str] = True,
    vectors: bool | Sequence[str] = False,
) -> ClientCall:
    """Read points by id; the answer leaves out ids that do not exist."""
    return client_call(
        "retrieve", collection, ids=list(point_ids), with_payload=payload, with_vectors=vectors
    )


def scroll(
    collection: str,
    condition: models.Filter | None = None,
    *,
    limit: int,
    offset: Any = None,
    payload: bool | Sequence[str] = True,
    vectors: bool = False,
) -> ClientCall:
    """Read one page of points; the answer is the page and the offset of the next one, or None."""
    return client_call(
        "scroll",
        collection,
        scroll_filter=condition,
        limit=limit,
        offset=offset,
        with_payload=payload,
        with_vectors=vectors,
    )


def upserts(
    collection: str, points: Iterable[models.PointStruct], most: int | None
) -> Iterator[ClientCall]:
    """Write points in calls of at most ``most`` points and of a size that a server accepts."""
    group: list[models.PointStruct] = []
    size = 0
    for point in points:
        own = _estimated_bytes(point)
        if group and (size + own > BYTES_PER_CALL or len(group) == most):
            yield client_call("upsert", collection, points=group, wait=True)
            group, size = [], 0
        group.append(point)
        size += own
    if group:
        yield client_call("upsert", collection, points=group, wait=True)


def _estimated_bytes(point: models.PointStruct) -> int:
    vectors: Iterable[Any] = point.vector.values() if isinstance(point.vector, dict) else ()
    coordinates = sum(
        2 * len(vector.indices) if isinstance(vector, models.SparseVector) else len(vector)
        for vector in vectors
    )
    return coordinates * BYTES_PER_COORDINATE + len(json.dumps(point.payload))


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut items into consecutive slices of at most ``size``."""
    return (items[start : start + size] for start in range(0, len(items), size))


@dataclass(frozen=True, slots=True)
class StrictLimits:
    """The limits of a collection, by Qdrant's names; None means that there is no limit."""

    max_query_limit: int | None = None  # results of a search, points of a page
    search_max_batchsize: int | None = None  # searches of a batch
    upsert_max_batchsize: int | None = None  # points of a write
    condition_max_size: int | None = None  # ids or values of a condition
    search_allow_exact: bool | None = None  # searches and counts may be exact
    # Filters may name keys without a payload index.
    unindexed_filtering_retrieve: bool | None = None

    @classmethod
    def read(cls, strict: models.StrictModeConfigOutput | None) -> StrictLimits:
        """Take the limits from a collection's configuration."""
        if strict is None or not strict.enabled:
            return cls()
        return cls(**{field.name: getattr(strict, field.name) for field in fields(cls)})

    def results(self, wanted: int) -> int:
        """Reduce a number of results to the limit of one search or page."""
        return min(wanted, self.max_query_limit or wanted)

    def candidates(self, wanted: int, collection: str) -> int:
        """Reduce a number of results like :meth:`results`, and warn if it was larger."""
        allowed = self.results(wanted)
        if allowed < wanted:
            warn(
                StrictModeWarning,
                f"Strict mode of collection {collection!r} allows {allowed} results of a search."
                f" A search for {wanted} candidates looks at {allowed} and finds less."
                f" Raise its max_query_limit to {wanted}.",
            )
        return allowed

    def ids(self, wanted: int) -> int:
        """Reduce a number of ids or values to the limit of one condition."""
        return min(wanted, self.condition_max_size or wanted)

    def filterable(self, keys: tuple[str, ...], indexed: Container[str]) -> tuple[str, ...]:
        """Keep the payload keys that a filter may name."""
        if self.unindexed_filtering_retrieve is False:
            return tuple(key for key in keys if key in indexed)
        return keys

    @property
    def scoring_params(self) -> models.SearchParams:
        """Search parameters for exact scores, or unquantised ones if exact search is forbidden."""
        return _UNQUANTIZED if self.search_allow_exact is False else _EXACT


def refusal(detail: str, collection: str | None, place: str) -> str | None:
    """Explain a refusal by strict mode, and name the setting to raise; None for other refusals."""
    if NEVER_GRANTED in detail:
        return (
            f"Collection {collection!r} at {place} never grants this request: one request costs a"
            " token for each search, condition of a filter and point, which is more than its rate"
            f" limit ({detail}). Raise read_rate_limit or write_rate_limit of its strict mode."
        )
    for setting, words in _REFUSALS.items():
        if found := re.search(words, detail):
            return (
                f"Strict mode of collection {collection!r} at {place} allows {found['allowed']},"
                f" and this request needs {found['needed']} ({detail}). Raise its {setting} to"
                f" {found['needed']}, or ask for less."
            )
    return None


def halves(call: ClientCall) -> list[ClientCall]:
    """Split a call that its rate limit never grants into two; [] if it cannot be split."""
    argument = _DIVISIBLE.get(call.method, "")
    items = call.arguments.get(argument)
    if not isinstance(items, list) or len(items) < 2:
        return []
    warn(
        StrictModeWarning,
        f"The rate limit of collection {call.arguments['collection_name']!r} is smaller than one"
        " request. The request is sent in parts that wait for each other. Raise read_rate_limit"
        " or write_rate_limit of its strict mode.",
    )
    middle = len(items) // 2
    return [
        ClientCall(call.method, {**call.arguments, argument: part})
        for part in (items[:middle], items[middle:])
    ]


def joined(first: Any, second: Any) -> Any:
    """Join the results of two halves: both lists of a read, or the second result of a write."""
    return [*first, *second] if isinstance(first, list) else second
