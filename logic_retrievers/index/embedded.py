"""Three short cuts through embedded mode, where its own ways take most of the time.

None uses a public interface of qdrant-client's, so nothing here is relied upon: where things are
not as expected, the public way is gone. All are called with the client's lock held.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import QdrantClient, models

from logic_retrievers.index.ids import to_native
from logic_retrievers.index.pools import Matrix

_PROBES = 64
"""How many vectors are looked at to see that they have length 1; Qdrant scales them when it stores
them, so one that has not would mean that it does so no longer."""

_TOGETHER = 8
"""Queries whose products with all vectors are in memory at a time."""

_ONE_CORE = 200_000
"""Multiplications of a product that BLAS is trusted not to share among threads (OpenBLAS: 2^18)."""


def local_rows(
    client: QdrantClient, collection: str, stored: Sequence[str], ids: Sequence[str]
) -> dict[str, Matrix] | None:
    """Stored vector name -> the rows of those points that have the vector.

    ``retrieve`` gives the same, but turns every coordinate into a Python float and validates it.
    None: this version of qdrant-client keeps its vectors elsewhere.
    """
    local: Any = client._client
    try:
        found = local._get_collection(collection)
        places = [(point, found.ids.get(to_native(point))) for point in ids]
        there = [(point, at) for point, at in places if at is not None and not found.deleted[at]]
        return {
            name: _rows(there, found.vectors[name], found.deleted_per_vector[name])
            for name in stored
        }
    except (AttributeError, KeyError, TypeError, IndexError):
        return None


def local_nearest(
    client: QdrantClient,
    collection: str,
    stored: str,
    queries: Sequence[npt.NDArray[Any]],
    limit: int,
    condition: models.Filter | None,
    hidden: Sequence[str] = (),
) -> list[list[tuple[str, float]]] | None:
    """(point id, cosine) of the points nearest to each query, best first, of those admitted.

    A search of embedded mode's gives the same, but scales every stored vector to length 1 anew,
    which takes five times as long as the search; it does so in place, so that a vector's last bit
    depends on who searched before. And it walks through the payloads once for every search, not
    once for every filter. ``hidden`` are payload keys of flags; only what would be among the
    nearest is looked at for them, since a walk would take as long as the search. None: its vectors
    are elsewhere, or not of length 1, or compared otherwise; or the client is to say what is wrong
    with the query.
    """
    local: Any = client._client
    try:
        found = local._get_collection(collection)
        count = len(found.ids_inv)
        if found.get_vector_params(stored).distance != models.Distance.COSINE:
            return None
        admitted = found._payload_and_non_deleted_mask(condition, stored)[:count]
        candidates = np.flatnonzero(admitted)
        rows = found.vectors[stored][:count]
        asked = np.stack(queries).astype(rows.dtype)
        if not _of_length_one(rows[candidates[:_PROBES]]) or not np.isfinite(asked).all():
            return None
        lengths = np.linalg.norm(asked, axis=1, keepdims=True)
        asked /= np.where(lengths > 0, lengths, 1)
        paths = [key.split(".") for key in hidden]

        def payload(row: int) -> Any:
            return found.payload[candidates[row]]

        nearest: list[list[tuple[str, float]]] = []
        for start in range(0, len(asked), _TOGETHER):
            for scores in _products(asked[start : start + _TOGETHER], rows)[:, candidates]:
                best = _best(scores, limit)
                while flagged := [row for row in best if _is_flagged(payload(row), paths)]:
                    scores[flagged] = -np.inf
                    best = _best(scores, limit)
                    best = best[scores[best] > -np.inf]
                points = (str(found.ids_inv[row]) for row in candidates[best].tolist())
                nearest.append(list(zip(points, scores[best].tolist(), strict=True)))
        return nearest
    except (AttributeError, KeyError, TypeError, IndexError, ValueError):
        return None


def write_ahead(client: QdrantClient, collection: str) -> None:
    """Lets SQLite append to a log instead of waiting for the disk at every single point.

    What was stored survives the death of the process, as before. A power cut may take the last
    points with it, never half of one; ingesting again brings them back.
    """
    local: Any = client._client
    with suppress(AttributeError, ValueError, sqlite3.Error):
        storage = local._get_collection(collection).storage.storage
        storage.execute("PRAGMA journal_mode=WAL")
        storage.execute("PRAGMA synchronous=NORMAL")


def _of_length_one(rows: npt.NDArray[np.float32]) -> bool:
    return bool(np.allclose(np.einsum("ij,ij->i", rows, rows), 1.0, atol=1e-3))


def _products(
    queries: npt.NDArray[np.float32], rows: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Inner products, shape (queries, rows).

    In pieces that BLAS does on one core: its threads go on spinning after a larger product and take
    the cores from the encoder's next batch.
    """
    products = np.empty((len(queries), len(rows)), dtype=np.float32)
    step = max(1, _ONE_CORE // max(1, queries.size))
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


def _best(scores: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.intp]:
    """Places of the highest scores, highest first."""
    if limit >= len(scores):
        return np.argsort(-scores, kind="stable")
    places = np.argpartition(-scores, limit - 1)[:limit]
    return places[np.argsort(-scores[places], kind="stable")]


def _rows(
    there: Sequence[tuple[str, int]], vectors: npt.NDArray[np.float32], gone: npt.NDArray[np.bool_]
) -> Matrix:
    kept = [(point, at) for point, at in there if not gone[at]]
    places = np.array([at for _, at in kept], dtype=np.intp)
    return {point: row for row, (point, _) in enumerate(kept)}, vectors[places].astype(np.float64)
