"""Vector queries for test texts, and everything that a collection stores."""

from __future__ import annotations

from qdrant_client import models

from logic_retrievers.index import EncodedVectorQuery

QUERIES = ["a quiet hotel by the river", "cheap hostel, pets allowed", "warm pool 7"]


def vector_queries(encoder, query, limit=5, names=("topical", "compatibility")):
    encoded = encoder.encode_queries([query])
    return [EncodedVectorQuery(name, name, encoded[name][0], limit) for name in names]


def stored_points(client, name="lr-test"):
    """Point id -> payload and vectors; a sparse vector as its indices and values."""
    records, _ = client.scroll(name, limit=1000, with_payload=True, with_vectors=True)
    return {str(record.id): (record.payload, _plain(record.vector)) for record in records}


def _plain(vector):
    if isinstance(vector, dict):
        return {name: _plain(one) for name, one in vector.items()}
    if isinstance(vector, models.SparseVector):
        return [*vector.indices, *vector.values]
    return vector
