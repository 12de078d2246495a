"""Build client calls and requests without I/O, so that tests need no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.effects import ClientCall

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
