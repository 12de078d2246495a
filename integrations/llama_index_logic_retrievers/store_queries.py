"""LlamaIndex's queries and filters of a vector store as those of the index. Pure functions."""

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
from llama_index_logic_retrievers.settings import refuse_unknown
from logic_retrievers.adapters.vector_search import diverse_hits
from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import SOURCE, TENANT, possible_point_ids
from logic_retrievers.policies import AutoPolicy
from logic_retrievers.ranking.query_input import AnyPolicy, read_query
from logic_retrievers.types import Hit

_LLAMA_INDEX_SOURCE = "doc_id"
"""Where LlamaIndex's own store notes a node's document, with a payload index."""
_SEARCH_SETTINGS = {"policy", "min_score", "exclude", "hard"}
_NATIVE_FILTER, _SYNTAX, _THRESHOLD = "qdrant_filters", "query_syntax", "mmr_threshold"
_NO_POINT = "00000000-0000-0000-0000-000000000000"

_MMR = VectorStoreQueryMode.MMR
_MMR_CANDIDATES = 4
"""How many times the wanted number is looked at, as in LlamaIndex's own stores."""
_MODES: Mapping[VectorStoreQueryMode, AnyPolicy | None] = {
    VectorStoreQueryMode.DEFAULT: None,
    VectorStoreQueryMode.HYBRID: AutoPolicy(base="hybrid"),
    VectorStoreQueryMode.TEXT_SEARCH: "lexical",
    VectorStoreQueryMode.SPARSE: "lexical",
    _MMR: "topical",
}
"""The policy of a mode, where the query names none; None: the store's own."""

EVERYTHING = models.Filter(must_not=[models.HasIdCondition(has_id=[_NO_POINT])])
"""Every point; an empty filter is refused where something is deleted."""


def search_request(
    index: PassageIndex, query: VectorStoreQuery, settings: Mapping[str, Any], policy: AnyPolicy
) -> dict[str, Any]:
    """The arguments of :meth:`Engine.search` for a query.

    Args:
        index: where the nodes are.
        query: of LlamaIndex.
        settings: of this query alone; None counts as not given.
        policy: where the settings name none.

    Raises:
        ConfigurationError: a mode or setting that there is not.
        InputError: no text, one that is to be an expression and is none, or a filter that cannot be
            translated.
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
    """The hits of a query in its mode: under ``mmr`` those that differ from each other.

    ``mmr_threshold`` is a setting or the query's own field, as in LlamaIndex's stores.

    Raises:
        ConfigurationError: ``mmr_threshold`` is not in [0, 1].
    """
    if query.mode != _MMR:
        return hits
    given = settings.get(_THRESHOLD, query.mmr_threshold)
    weight = 0.5 if given is None else given
    return (yield from diverse_hits(index, hits, query.similarity_top_k, weight))


def query_result(hits: Sequence[Hit]) -> VectorStoreQueryResult:
    """Hits as a vector store's result."""
    nodes = [scored.node for scored in to_nodes(hits)]
    return VectorStoreQueryResult(
        nodes=nodes,
        similarities=[hit.score for hit in hits],
        ids=[node.node_id for node in nodes],
    )


def node_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter | None:
    """Nodes of these ids that meet the filters; None where neither rules anything out."""
    return _all_of(
        [
            None if node_ids is None else _with_ids(index, node_ids),
            None if filters is None else translate_filters(filters, index.prefixes),
        ]
    )


def deletion_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter:
    """As :func:`node_filter`, for deleting.

    Raises:
        InputError: neither rules anything out.
    """
    condition = node_filter(index, node_ids, filters)
    if condition is None:
        raise InputError("Say which nodes: node_ids= or filters=. To delete all, there is clear().")
    return condition


def documents_filter(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """The documents' nodes, for deleting: without a tenant, those of tenants stay out."""
    condition = _in_documents(index, doc_ids)
    if index.tenant is not None:
        return condition
    no_tenant = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    return models.Filter(must=[condition, no_tenant])


def check_layout(index: PassageIndex) -> None:
    """Refuses to write where LlamaIndex's own store reads.

    Raises:
        CollectionMismatchError: nodes of that store are there.
    """
    if "" in index.prefixes:
        raise CollectionMismatchError(
            f"Collection {index.collection!r} was written by LlamaIndex's QdrantVectorStore, which"
            " cannot read what LogicVectorStore writes. Add nodes by that store and then run"
            " index.backfill(['compatibility']), or index into another collection."
        )


def _in_documents(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """Nodes that were cut from these documents, and documents that were stored whole."""
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
