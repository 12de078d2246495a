"""Filling a named vector in place: the points that lack it, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index.payloads import Keys, to_passage
from logic_retrievers.index.schema import Collection, StoredVector
from logic_retrievers.index.writes import Progress, encode
from logic_retrievers.procedures import Call, Procedure, Work

PAGE = 256


def fill(
    collection: Collection,
    encoder: Encoder,
    lacking: Mapping[str, StoredVector],
    before: int,
    progress: Progress | None,
) -> Procedure[int]:
    """Gives every point without one of these vectors all of them; how many points there were.

    Args:
        collection: where.
        encoder: makes the vectors.
        lacking: which ones.
        before: points that were filled earlier, for ``progress``.
        progress: called after each page with the number of points filled.
    """
    condition = models.Filter(
        should=[
            models.Filter(must_not=[models.HasVectorCondition(has_vector=vector.stored)])
            for vector in lacking.values()
        ]
    )
    filled = 0
    offset = None
    while True:
        points, offset = yield Call(
            "scroll",
            {
                "collection_name": collection.name,
                "scroll_filter": condition,
                "limit": PAGE,
                "offset": offset,
                "with_payload": True,
                "with_vectors": False,
            },
        )
        if points:
            vectors = yield Work(partial(vectors_for, points, encoder, lacking, collection.keys))
            updates = [
                models.PointVectors(id=point.id, vector=vector)
                for point, vector in zip(points, vectors, strict=True)
            ]
            yield Call(
                "update_vectors",
                {"collection_name": collection.name, "points": updates, "wait": True},
            )
            filled += len(points)
            if progress is not None:
                progress(before + filled)
        if offset is None:
            return filled


def vectors_for(
    points: Sequence[models.Record],
    encoder: Encoder,
    lacking: Mapping[str, StoredVector],
    keys: Keys,
) -> list[dict[str, Any]]:
    """For each point: stored vector name -> vector of its text."""
    passages = [to_passage(point.id, point.payload, keys) for point in points]
    columns = encode(encoder, passages, list(lacking.values()))
    return [{name: rows[at] for name, rows in columns.items()} for at in range(len(points))]
