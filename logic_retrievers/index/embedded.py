"""Fast access to the arrays of qdrant-client's local mode, whose own ways take most of the time.

Nothing here is a public interface of qdrant-client, so nothing is relied upon: where things are not
as expected, these functions return None, and the caller takes the public way. All of them are
called with the client's lock held.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import QdrantClient, models

from logic_retrievers.index.point_format import native_point_id
from logic_retrievers.index.requests import VectorTable

_PROBED_ROWS = 64
"""How many vectors are checked for length 1; Qdrant scales them when it stores them, so another
length would mean that it no longer does."""

_QUERIES_PER_PRODUCT = 8
"""Queries whose products with all vectors are in memory at a time."""

_ONE_CORE_PRODUCT = 200_000
"""Multiplications of a product that BLAS is trusted not to share among threads (OpenBLAS: 2^18)."""


def local_vectors(
    client: QdrantClient, collection: str, stored_names: Sequence[str], point_ids: Sequence[str]
) -> dict[str, VectorTable] | None:
    """Stored vector name -> the rows of those points that have the vector.

    ``retrieve`` gives the same, but turns every coordinate into a Python float and validates it.
    None: this version of qdrant-client keeps its vectors elsewhere.
    """
    client_internals: Any = client._client
    try:
        local = client_internals._get_collection(collection)
        rows = [(point, local.ids.get(native_point_id(point))) for point in point_ids]
        present = [
            (point, row) for point, row in rows if row is not None and not local.deleted[row]
        ]
        return {
            name: _select_rows(present, local.vectors[name], local.deleted_per_vector[name])
            for name in stored_names
        }
    except (AttributeError, KeyError, TypeError, IndexError):
        return None


def local_nearest(
    client: QdrantClient,
    collection: str,
    stored_name: str,
    queries: Sequence[npt.NDArray[Any]],
    limit: int,
    condition: models.Filter | None,
    hiding_flags: Sequence[str] = (),
) -> list[list[tuple[str, float]]] | None:
    """(point id, cosine) of the points nearest to each query, best first, of those admitted.

    A search of local mode gives the same, but scales every stored vector to length 1 anew, which
    takes five times as long as the search; it does so in place, so that a vector's last bit depends
    on who searched before. And it walks through the payloads once for every search, not once for
    every filter. ``hiding_flags`` are payload keys; only points that would be among the nearest are
    tested for them, since a walk would take as long as the search.

    None: the vectors are elsewhere, not of length 1, or compared otherwise; or the query is one
    that the client has to refuse.
    """
    client_internals: Any = client._client
    try:
        local = client_internals._get_collection(collection)
        count = len(local.ids_inv)
        if local.get_vector_params(stored_name).distance != models.Distance.COSINE:
            return None
        admitted = local._payload_and_non_deleted_mask(condition, stored_name)[:count]
        candidates = np.flatnonzero(admitted)
        rows = local.vectors[stored_name][:count]
        matrix = np.stack(queries).astype(rows.dtype)
        if not _has_unit_length(rows[candidates[:_PROBED_ROWS]]) or not np.isfinite(matrix).all():
            return None
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix /= np.where(lengths > 0, lengths, 1)
        paths = [key.split(".") for key in hiding_flags]
        nearest: list[list[tuple[str, float]]] = []
        for start in range(0, len(matrix), _QUERIES_PER_PRODUCT):
            batch = matrix[start : start + _QUERIES_PER_PRODUCT]
            for scores in _products(batch, rows)[:, candidates]:
                best = _top(scores, limit)
                while flagged := [
                    row for row in best if _is_flagged(local.payload[candidates[row]], paths)
                ]:
                    scores[flagged] = -np.inf
                    best = _top(scores, limit)
                    best = best[scores[best] > -np.inf]
                points = (str(local.ids_inv[row]) for row in candidates[best].tolist())
                nearest.append(list(zip(points, scores[best].tolist(), strict=True)))
        return nearest
    except (AttributeError, KeyError, TypeError, IndexError, ValueError):
        return None


def enable_write_ahead_log(client: QdrantClient, collection: str) -> None:
    """Lets SQLite append to a log instead of waiting for the disk at every point.

    What was stored survives the death of the process, as before. A power cut may take the last
    points with it, never half of one; ingesting again brings them back.
    """
    local: Any = client._client
    with suppress(AttributeError, ValueError, sqlite3.Error):
        storage = local._get_collection(collection).storage.storage
        storage.execute("PRAGMA journal_mode=WAL")
        storage.execute("PRAGMA synchronous=NORMAL")


def _has_unit_length(rows: npt.NDArray[np.float32]) -> bool:
    return bool(np.allclose(np.einsum("ij,ij->i", rows, rows), 1.0, atol=1e-3))


def _products(
    queries: npt.NDArray[np.float32], rows: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Inner products, shape (queries, rows).

    In pieces that BLAS does on one core: its threads go on spinning after a larger product and take
    the cores from the encoder's next batch.
    """
    products = np.empty((len(queries), len(rows)), dtype=np.float32)
    step = max(1, _ONE_CORE_PRODUCT // max(1, queries.size))
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        np.matmul(queries, rows[piece].T, out=products[:, piece])
    return products


def _is_flagged(payload: Any, paths: Sequence[Sequence[str]]) -> bool:
    for path in paths:
        value = payload
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if value is True:
            return True
    return False


def _top(scores: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.intp]:
    """Indices of the highest scores, highest first."""
    if limit >= len(scores):
        return np.argsort(-scores, kind="stable")
    top = np.argpartition(-scores, limit - 1)[:limit]
    return top[np.argsort(-scores[top], kind="stable")]


def _select_rows(
    present: Sequence[tuple[str, int]],
    vectors: npt.NDArray[np.float32],
    deleted: npt.NDArray[np.bool_],
) -> VectorTable:
    selected = [(point, row) for point, row in present if not deleted[row]]
    rows = np.array([row for _, row in selected], dtype=np.intp)
    row_of = {point: row for row, (point, _) in enumerate(selected)}
    return row_of, vectors[rows].astype(np.float64)
