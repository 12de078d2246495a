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
    client: QdrantClient, collection: str, stored: str, query: npt.NDArray[Any], limit: int
) -> list[tuple[str, float]] | None:
    """(point id, cosine) of the points nearest to a query, best first, without any filter.

    A search of embedded mode's gives the same, but scales every stored vector to length 1 anew,
    which takes five times as long as the search. None: its vectors are elsewhere, or not of length
    1, or compared otherwise.
    """
    local: Any = client._client
    try:
        found = local._get_collection(collection)
        count = len(found.ids_inv)
        vectors, gone = found.vectors[stored], found.deleted_per_vector[stored]
        if found.get_vector_params(stored).distance != models.Distance.COSINE:
            return None
        there = ~(found.deleted[:count].astype(bool) | gone[:count].astype(bool))
        rows = vectors[:count]
        if not _of_length_one(rows[there][:_PROBES]):
            return None
        unit = np.asarray(query, dtype=rows.dtype)
        # not BLAS: its threads go on spinning and take the cores from the encoder's next batch
        scores = np.einsum("ij,j->i", rows, unit / (float(np.linalg.norm(unit)) or 1.0))
        scores = np.where(there, scores, -np.inf)
        best = np.argpartition(-scores, min(limit, count) - 1)[:limit] if limit < count else None
        chosen = np.arange(count) if best is None else best
        chosen = chosen[there[chosen]]
        order = chosen[np.argsort(-scores[chosen], kind="stable")]
        return [(str(found.ids_inv[int(row)]), float(scores[row])) for row in order]
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


def _rows(
    there: Sequence[tuple[str, int]], vectors: npt.NDArray[np.float32], gone: npt.NDArray[np.bool_]
) -> Matrix:
    kept = [(point, at) for point, at in there if not gone[at]]
    places = np.array([at for _, at in kept], dtype=np.intp)
    return {point: row for row, (point, _) in enumerate(kept)}, vectors[places].astype(np.float64)
