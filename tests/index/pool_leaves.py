"""Leaf searches of a pool."""

from __future__ import annotations

from logic_retrievers.index import LeafSearch

QUERIES = ["a quiet hotel by the river", "cheap hostel, pets allowed", "warm pool 7"]


def leaves(encoder, query, depth=5, names=("topical", "compatibility")):
    encoded = encoder.encode_queries([query])
    return [LeafSearch(name, name, encoded[name][0], depth) for name in names]
