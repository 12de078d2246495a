"""Translate LlamaIndex's queries and filters of a vector store into those of the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.vector_stores.types import (
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from qdrant_client import models

from llama_index_logic_retrievers.filters import translate_filters
from llama_index_logic_retrievers.nodes import to_nodes
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.adapters.vector_search import diverse_hits
from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import SOURCE, TENANT, possible_point_ids
from logic_retrievers.policies import AutoPolicy
from logic_retrievers.ranking.query_input import AnyPolicy, read_query
from logic_retrievers.types import Hit

# LlamaIndex's own store notes a node's document here, with a payload index
_LLAMA_INDEX_SOURCE = "doc_id"
_SEARCH_SETTINGS = {"policy", "min_score", "exclude", "hard"}
_NATIVE_FILTER, _SYNTAX, _THRESHOLD = "qdrant_filters", "query_syntax", "mmr_threshold"
_NO_POINT = "00000000-0000-0000-0000-000000000000"

_MMR = VectorStoreQueryMode.MMR
# candidates for each wanted node, as in LlamaIndex's own stores
_MMR_CANDIDATES = 4
# policy of each mode, where the query names none; None means the store's own
_MODES: Mapping[VectorStoreQueryMode, AnyPolicy | None] = {
    VectorStoreQueryMode.DEFAULT: None,
    VectorStoreQueryMode.HYBRID: AutoPolicy(base="hybrid"),
    VectorStoreQueryMode.TEXT_SEARCH: "lexical",
    VectorStoreQueryMode.SPARSE: "lexical",
    _MMR: "topical",
}

# matches every point: deleting by an empty filter is refused
EVERYTHING = models.Filter(must_not=[models.HasIdCondition(has_id=[_NO_POINT])])


def search_request(
    index: PassageIndex, query: VectorStoreQuery, settings: Mapping[str, Any], policy: AnyPolicy
) -> dict[str, Any]:
    """Return the arguments of :meth:`Engine.search` for a query.

    Args:
        index: where the nodes are.
        query: of LlamaIndex.
        settings: of this query only; None counts as not given.
        policy: where the settings name none.

    Raises:
        ConfigurationError: an unknown mode or setting.
        InputError: no text, a text that should be an expression and is not, or a filter that cannot
            be translated.
    """
    if query.mode not in _MODES:
        raise ConfigurationError(
            f"LogicVectorStore has no query mode {VectorStoreQueryMode(query.mode).value!r}; it has"
            f" {', '.join(mode.value for mode in _MODES)}, and policies: auto, topical, union, ..."
        )
    policy = _MODES[query.mode] or policy
    if query.query_str is None:
        raise InputError(
            "LogicVectorStore searches by text, since a vector does not say what the query rules"
            " out. Pass query_str in the VectorStoreQuery."
        )
    known = {*_SEARCH_SETTINGS, _NATIVE_FILTER, _SYNTAX, _THRESHOLD}
    refuse_unknown("LogicVectorStore.query", settings, known)
    given = {name: value for name, value in settings.items() if value is not None}
    parts = [
        _with_ids(index, query.node_ids) if query.node_ids else None,
        _in_documents(index, query.doc_ids) if query.doc_ids else None,
        translate_filters(query.filters, index.prefixes) if query.filters else None,
        given.get(_NATIVE_FILTER),
    ]
    return {
        "query": read_query(
            query.query_str, given.get(_SYNTAX, "words"), given.get("policy", policy)
        ),
        "policy": policy,
        "k": query.similarity_top_k * (_MMR_CANDIDATES if query.mode == _MMR else 1),
        "filter": _all_of(parts),
        **{name: value for name, value in given.items() if name in _SEARCH_SETTINGS},
    }


def chosen_hits(
    index: PassageIndex, query: VectorStoreQuery, settings: Mapping[str, Any], hits: Sequence[Hit]
) -> Operation[Sequence[Hit]]:
    """Return the hits of a query; in the mode ``mmr`` pick diverse ones.

    ``mmr_threshold`` is a setting or the query's own field, as in LlamaIndex's stores.
    """
    if query.mode != _MMR:
        return hits
    given = settings.get(_THRESHOLD, query.mmr_threshold)
    weight = 0.5 if given is None else given
    return (yield from diverse_hits(index, hits, query.similarity_top_k, weight))


def query_result(hits: Sequence[Hit]) -> VectorStoreQueryResult:
    """Return hits as a vector store's result."""
    nodes = [scored.node for scored in to_nodes(hits)]
    return VectorStoreQueryResult(
        nodes=nodes,
        similarities=[hit.score for hit in hits],
        ids=[node.node_id for node in nodes],
    )


def node_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter | None:
    """Return a filter for nodes of these ids that pass the filters; None without a condition."""
    return _all_of(
        [
            None if node_ids is None else _with_ids(index, node_ids),
            None if filters is None else translate_filters(filters, index.prefixes),
        ]
    )


def deletion_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter:
    """Return :func:`node_filter` for deleting, which must have a condition."""
    condition = node_filter(index, node_ids, filters)
    if condition is None:
        raise InputError("Pass node_ids= or filters=. To delete all nodes, call clear().")
    return condition


def documents_filter(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """Return a filter for the documents' nodes; without a tenant, nodes of tenants do not match."""
    condition = _in_documents(index, doc_ids)
    if index.tenant is not None:
        return condition
    no_tenant = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    return models.Filter(must=[condition, no_tenant])


def check_layout(index: PassageIndex) -> None:
    """Refuse to write into a collection of LlamaIndex's own store."""
    if "" in index.prefixes:
        raise CollectionMismatchError(
            f"Collection {index.collection!r} was written by LlamaIndex's QdrantVectorStore, which"
            " cannot read what LogicVectorStore writes. Add nodes by that store and then run"
            " index.backfill(['compatibility']), or index into another collection."
        )


def _in_documents(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """Match nodes that were cut from these documents, and documents that were stored whole."""
    ids = list(doc_ids)
    keys = [SOURCE] if "" not in index.prefixes else [SOURCE, _LLAMA_INDEX_SOURCE]
    cut = [models.FieldCondition(key=key, match=models.MatchAny(any=ids)) for key in keys]
    return models.Filter(should=[*cut, _with_ids(index, ids)])


def _with_ids(index: PassageIndex, node_ids: Sequence[str]) -> models.Filter:
    points = [point for node_id in node_ids for point in possible_point_ids(node_id, index.tenant)]
    return models.Filter(must=[models.HasIdCondition(has_id=points)])


def _all_of(parts: Sequence[models.Filter | None]) -> models.Filter | None:
    conditions: list[models.Condition] = [part for part in parts if part is not None]
    return models.Filter(must=conditions) if conditions else None
