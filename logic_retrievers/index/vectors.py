"""Vectors of passages: encode them, or read them from the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.encoders.base import Encoder, Vectors
from logic_retrievers.errors import CollectionMismatchError, EmptyTextError, EncoderError
from logic_retrievers.index import lexical
from logic_retrievers.index.client_calls import VectorTable, batches, retrieve
from logic_retrievers.index.collection import Collection, StoredVector
from logic_retrievers.index.point_format import native_point_id, stored_hash
from logic_retrievers.index.points import retrieve_by_passage_id
from logic_retrievers.types import Passage

PASSAGES_PER_CALL = 256


def encode_passages(
    encoder: Encoder, passages: Sequence[Passage], names: Sequence[str]
) -> list[dict[str, Vectors] | None]:
    """Make the dense vectors of passages, for storing and for scoring.

    Texts that need the same named vectors go to the encoder in one call, and no text goes twice.

    Returns:
        For each passage, vector name -> shape (dimension,), float32; None if the encoder finds no
        text in the passage.
    """
    names_of: dict[str, set[str]] = {}
    for passage in passages:
        for name in names:
            names_of.setdefault(passage.text_for(name), set()).add(name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for text, needed in names_of.items():
        groups.setdefault(tuple(name for name in names if name in needed), []).append(text)
    rows: dict[tuple[str, str], Vectors] = {}
    for group_names, texts in groups.items():
        try:
            encoded = encoder.encode_documents(texts, group_names)
        except EmptyTextError:
            if len(passages) == 1:
                return [None]
            middle = len(passages) // 2
            halves = (passages[:middle], passages[middle:])
            return [each for half in halves for each in encode_passages(encoder, half, names)]
        for name in group_names:
            vectors = np.asarray(encoded[name], dtype=np.float32)
            if not np.isfinite(vectors).all():
                raise EncoderError(f"The encoder made {name!r} vectors that are not finite.")
            rows.update({(name, text): row for text, row in zip(texts, vectors, strict=True)})
    return [{name: rows[name, passage.text_for(name)] for name in names} for passage in passages]


def encode_for_storage(
    encoder: Encoder, passages: Sequence[Passage], vectors: Sequence[StoredVector]
) -> list[dict[str, Any] | None]:
    """For each passage, map stored vector names to vectors in Qdrant's form.

    A passage in which the encoder finds no text gets None.
    """
    dense = encode_passages(encoder, passages, [v.name for v in vectors if not v.sparse])
    return [
        None
        if rows is None
        else {
            vector.stored_name: lexical.term_vector(
                passage.text_to_embed, vector.language or lexical.ENGLISH
            )
            if vector.sparse
            else rows[vector.name].tolist()
            for vector in vectors
        }
        for passage, rows in zip(passages, dense, strict=True)
    ]


def fetch_vectors(
    collection: Collection, names: Sequence[str], point_ids: Sequence[str]
) -> Operation[dict[str, VectorTable]]:
    """Read dense vectors of points; a point that is gone, or lacks the vector, is left out.

    All points are read in one request, so their vectors must fit into memory.
    """
    stored_names = {name: collection.vector(name).stored_name for name in names}
    records = []
    if point_ids and stored_names:
        wanted = [native_point_id(point) for point in point_ids]
        stored = list(stored_names.values())
        records = yield retrieve(collection.name, wanted, payload=False, vectors=stored)
    return {name: _vector_table(records, stored) for name, stored in stored_names.items()}


def stored_vectors(
    collection: Collection, passages: Sequence[Passage], names: Sequence[str]
) -> Operation[dict[tuple[str, str], npt.NDArray[np.float64]]]:
    """Read the dense vectors of passages: map (vector name, passage id) to a vector.

    A vector is left out if the point lacks it or the collection cannot search it. It is also left
    out if the text that the encoder reads for this passage has changed.
    """
    name_of = {
        collection.vector(name).stored_name: name
        for name in names
        if name in collection.searchable and not collection.vector(name).sparse
    }
    vectors: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
    if not name_of:
        return vectors
    for batch in batches(passages, PASSAGES_PER_CALL):
        by_id = {passage.id: passage for passage in batch}
        pairs = yield from retrieve_by_passage_id(collection, list(by_id), vectors=list(name_of))
        for stored_name, name in name_of.items():
            row_of, rows = _vector_table([record for _, record in pairs], stored_name)
            for passage_id, record in pairs:
                passage, stored = by_id[passage_id], collection.passage(record)
                # Points that another program wrote have no hash, and do not tell which text was
                # embedded, so comparing ``text`` must suffice.
                is_current = stored.text == passage.text and (
                    stored_hash(record.payload) is None
                    or stored.text_for(name) == passage.text_for(name)
                )
                if is_current and str(record.id) in row_of:
                    vectors[name, passage_id] = rows[row_of[str(record.id)]]
    return vectors


def _vector_table(records: Sequence[models.Record], stored_name: str) -> VectorTable:
    row_of: dict[str, int] = {}
    rows: list[Any] = []
    for record in records:
        vector: Any = record.vector
        if isinstance(vector, Mapping):
            vector = vector.get(stored_name)
        if isinstance(vector, list):  # a single unnamed vector comes without a name
            row_of[str(record.id)] = len(rows)
            rows.append(vector)
    try:
        return row_of, np.array(rows, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise CollectionMismatchError(f"Vectors of {stored_name!r} differ in length.") from error
