"""Vector queries of test texts."""

from __future__ import annotations

from logic_retrievers.index import EncodedVectorQuery

QUERIES = ["a quiet hotel by the river", "cheap hostel, pets allowed", "warm pool 7"]


def vector_queries(encoder, query, limit=5, names=("topical", "compatibility")):
    encoded = encoder.encode_queries([query])
    return [EncodedVectorQuery(name, name, encoded[name][0], limit) for name in names]
