"""Vectors of passages that are stored already, for callers that have the passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.index.ids import candidate_ids
from logic_retrievers.index.payloads import hash_of, tenant_of, to_passage
from logic_retrievers.index.pools import matrix_of
from logic_retrievers.index.requests import batches
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure
from logic_retrievers.types import Passage

PASSAGES_A_CALL = 256


def stored_vectors_of(
    collection: Collection, passages: Sequence[Passage], names: Sequence[str]
) -> Procedure[dict[tuple[str, str], npt.NDArray[np.float64]]]:
    """The dense vectors that the collection has of these passages.

    A vector counts as that of a passage where a point of its id holds the same text, and the vector
    was made of what it would be made of now. What has changed since is left out, and so is a vector
    that the point lacks.

    Args:
        collection: where to look.
        passages: with ids that differ.
        names: of the vectors; those that the collection cannot search are left out.

    Returns:
        (vector name, passage id) -> vector, shape (dimension,).
    """
    stored = {
        collection.vector(name).stored: name
        for name in names
        if name in collection.readable and not collection.vector(name).sparse
    }
    found: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
    if not stored:
        return found
    for some in batches(passages, PASSAGES_A_CALL):
        of_point = {
            str(point): passage
            for passage in some
            for point in candidate_ids(passage.id, collection.tenant)
        }
        records = yield Call(
            "retrieve",
            {
                "collection_name": collection.name,
                "ids": [
                    point for one in some for point in candidate_ids(one.id, collection.tenant)
                ],
                "with_payload": True,
                "with_vectors": list(stored),
            },
        )
        alike = {
            str(record.id): _alike(collection, record, of_point[str(record.id)], stored.values())
            for record in records
        }
        for at, name in stored.items():
            rows, vectors = matrix_of(records, at)
            found.update(
                ((name, of_point[point].id), vectors[row])
                for point, row in rows.items()
                if name in alike[point]
            )
    return found


def _alike(
    collection: Collection, record: models.Record, given: Passage, names: Iterable[str]
) -> set[str]:
    """The vectors for which an encoder would read the same."""
    if collection.tenant not in (None, tenant_of(record.payload)):
        return set()
    there = to_passage(record.id, record.payload, collection.keys)
    if there.text != given.text:
        return set()
    if hash_of(record.payload) is None:  # other stores do not note what they embedded
        return set(names)
    return {name for name in names if there.text_for(name) == given.text_for(name)}
