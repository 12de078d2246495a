"""A LlamaIndex vector store that keeps all named vectors of an encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, Unpack

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from pydantic import PrivateAttr
from qdrant_client import models

from llama_index_logic_retrievers.filters import translate_filters
from llama_index_logic_retrievers.models import LogicEmbeddings
from llama_index_logic_retrievers.nodes import node_of, stored_passage, to_nodes
from llama_index_logic_retrievers.settings import PolicySetting
from logic_retrievers.adapters.settings import (
    FieldsSetting,
    SearchSettings,
    ValiditySetting,
    check_policy,
    read_settings,
    refuse_unknown,
)
from logic_retrievers.adapters.vector_search import diverse_hits
from logic_retrievers.effects import Operation, encoder_threads
from logic_retrievers.encoders import Encoder, RecentEncoder, default_encoder
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import SOURCE, TENANT, possible_point_ids
from logic_retrievers.index.settings import Settings
from logic_retrievers.policies import AutoPolicy
from logic_retrievers.ranking.query_input import AnyPolicy, read_query
from logic_retrievers.search import Engine
from logic_retrievers.search_options import SearchOptions
from logic_retrievers.types import Hit, Passage
from logic_retrievers.validation import check_parts
from logic_retrievers.validity import Validity

# payload key, with a payload index, under which LlamaIndex's own store keeps a document's id
_LLAMA_INDEX_SOURCE = "doc_id"
_SEARCH_SETTINGS = SearchOptions.__annotations__.keys() - {"filter"}  # a query has its own
_NATIVE_FILTER, _SYNTAX, _THRESHOLD = "qdrant_filters", "query_syntax", "mmr_threshold"
_NO_POINT = "00000000-0000-0000-0000-000000000000"

_MMR = VectorStoreQueryMode.MMR
# number of candidates per wanted node, as in LlamaIndex's own stores
_MMR_CANDIDATES = 4
# policy of each mode, if the query names none; None means the store's policy
_MODES: Mapping[VectorStoreQueryMode, AnyPolicy | None] = {
    VectorStoreQueryMode.DEFAULT: None,
    VectorStoreQueryMode.HYBRID: AutoPolicy(base="hybrid"),
    VectorStoreQueryMode.TEXT_SEARCH: "lexical",
    VectorStoreQueryMode.SPARSE: "lexical",
    _MMR: "topical",
}

# a filter that matches every point, because the index refuses to delete by an empty filter
_EVERYTHING = models.Filter(must_not=[models.HasIdCondition(has_id=[_NO_POINT])])


class LogicVectorStore(BasePydanticVectorStore):
    """Stores nodes with all named vectors of an encoder, and searches under a policy.

        store = LogicVectorStore.open(location="my-index")
        index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
        index.insert_nodes(nodes)
        index.as_retriever(similarity_top_k=3).retrieve("a quiet hotel, not above a nightclub")

    The store makes every vector itself, from the text that LlamaIndex embeds
    (``MetadataMode.EMBED``). LlamaIndex embeds this text too, so pass it :attr:`embed_model`: a
    store from :meth:`open` remembers the last 8,192 vectors, and no text is encoded twice. An
    ``IngestionPipeline`` stores only nodes with an embedding, so put :attr:`embed_model` last among
    its transformations.

    Args:
        index: the index that stores the nodes.
        policy: the default policy of queries.
        fields, validity: as in :class:`ConstraintRetriever`.

    Raises:
        ConfigurationError: not an index, or an unknown policy.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    policy: PolicySetting = "auto"
    fields: FieldsSetting = None
    validity: ValiditySetting = None
    _index: PassageIndex = PrivateAttr()

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        *,
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
    ) -> None:
        check_parts(index=index, needs_index=True)
        chosen: dict[str, Any] = _checked_settings(policy, fields, validity)
        super().__init__(stores_text=True, **chosen)
        self._index = index

    @classmethod
    def open(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Open a collection, or create it if missing.

        The default ``encoder`` comes with the package. ``policy`` is the default for queries;
        ``fields`` and ``validity`` are as in :class:`ConstraintRetriever`. For ``settings``
        (``location``, ``api_key``, ``tenant``, ...) and errors see :meth:`PassageIndex.open`.
        """
        chosen = _checked_settings(policy, fields, validity)
        recent = RecentEncoder(encoder or default_encoder())
        return cls(PassageIndex.open(collection, recent, **settings), **chosen)

    @classmethod
    async def aopen(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """:meth:`open` without blocking the event loop."""
        chosen = _checked_settings(policy, fields, validity)
        if encoder is None:
            encoder = await encoder_threads.submit(default_encoder)
        index = await PassageIndex.aopen(collection, RecentEncoder(encoder), **settings)
        return cls(index, **chosen)

    @classmethod
    def class_name(cls) -> str:
        return "LogicVectorStore"

    @property
    def index(self) -> PassageIndex:
        return self._index

    @property
    def _engine(self) -> Engine:
        return Engine(self._index, self.policy, fields=self.fields, validity=self.validity)

    @property
    def embed_model(self) -> LogicEmbeddings:
        """The embedding model to give to LlamaIndex together with this store."""
        specs = self._index.encoder.specs
        vector = "topical" if "topical" in specs else next(iter(specs))
        return LogicEmbeddings(vector, encoder=self._index.encoder)

    @property
    def client(self) -> Any:
        return self._index.client

    def __reduce__(self) -> tuple[Any, ...]:
        # by default LlamaIndex silently leaves out the index
        raise TypeError("A LogicVectorStore holds a connection; open one in each process.")

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Store nodes and return their ids. Unchanged nodes are not encoded again.

        A node without text is left out with a ``BlankTextWarning``. Metadata is stored as JSON.

        Raises:
            InputError: some nodes cannot be stored; raised after storing the rest.
            CollectionError, ServerError: Qdrant refused or failed, or the collection was made by
                LlamaIndex's own store, which cannot read this store's nodes.
        """
        self._index.add(self._to_store(nodes, kwargs))
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        await self._index.aadd(self._to_store(nodes, kwargs))
        return [node.node_id for node in nodes]

    def _to_store(self, nodes: Sequence[BaseNode], settings: Mapping[str, Any]) -> list[Passage]:
        refuse_unknown("LogicVectorStore", settings)
        if "" in self._index.prefixes:
            raise CollectionMismatchError(
                f"Collection {self._index.collection!r} was written by LlamaIndex's"
                " QdrantVectorStore, which cannot read what LogicVectorStore writes. Add nodes by"
                " that store and then run index.backfill(['compatibility']), or index into another"
                " collection."
            )
        return [stored_passage(node) for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete a document's node, and the nodes cut from the document."""
        refuse_unknown("LogicVectorStore", delete_kwargs)
        self._index.delete(filter=_documents_filter(self._index, [ref_doc_id]))

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(filter=_documents_filter(self._index, [ref_doc_id]))

    def delete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Delete nodes by ids, by a filter, or by both together.

        Raises:
            InputError: neither ids nor filter.
        """
        refuse_unknown("LogicVectorStore", delete_kwargs)
        self._index.delete(filter=_deletion_filter(self._index, node_ids, filters))

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(filter=_deletion_filter(self._index, node_ids, filters))

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Return nodes by ids (in the given order), by a filter, by both, or all nodes."""
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in self._index.get(node_ids)]
        condition = _node_filter(self._index, node_ids, filters)
        return [node_of(passage) for passage in self._index.scroll(condition)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in await self._index.aget(node_ids)]
        condition = _node_filter(self._index, node_ids, filters)
        return [node_of(passage) async for passage in self._index.ascroll(condition)]

    def clear(self) -> None:
        """Delete every node of this collection, or of this tenant."""
        self._index.delete(filter=_EVERYTHING)

    async def aclear(self) -> None:
        await self._index.adelete(filter=_EVERYTHING)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the best nodes for a query's text.

        Args:
            query: needs ``query_str``; may have ``similarity_top_k``, ``filters``, ``node_ids``,
                ``doc_ids`` and ``mode``: ``default``, ``hybrid`` (``auto`` over hybrid search),
                ``sparse`` and ``text_search`` (words), ``mmr`` (diverse results of plain search,
                with ``mmr_threshold``).
            **kwargs: ``query_syntax``, ``mmr_threshold``, ``qdrant_filters``, and the options of
                :class:`logic_retrievers.SearchOptions` (``policy``, ``exclude``, ``as_of``, ...)
                for this query; ``VectorStoreIndex.as_retriever`` passes them as
                ``vector_store_kwargs``.

        Raises:
            ConfigurationError: a mode or setting is unknown.
            InputError: the text is missing or is not an expression, or a filter cannot be
                translated.
            MissingVectorError, ServerError: as :meth:`Engine.search`.
        """
        request = _search_request(self._index, query, kwargs, self.policy)
        hits = self._engine.search(**request)
        chosen = self._index.run(_chosen_hits(self._index, query, kwargs, hits))
        return _query_result(chosen)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        request = _search_request(self._index, query, kwargs, self.policy)
        hits = await self._engine.asearch(**request)
        chosen = await self._index.arun(_chosen_hits(self._index, query, kwargs, hits))
        return _query_result(chosen)


def _checked_settings(policy: AnyPolicy, fields: Any, validity: Any) -> dict[str, Any]:
    """Check the settings of a store, before anything is opened."""
    chosen = check_policy(policy)
    read = read_settings(SearchSettings, chosen, {"fields": fields, "validity": validity})
    return {"policy": chosen, "fields": read["fields"], "validity": read["validity"]}


def _search_request(
    index: PassageIndex, query: VectorStoreQuery, settings: Mapping[str, Any], policy: AnyPolicy
) -> dict[str, Any]:
    """Return the arguments of :meth:`Engine.search`; a setting of None counts as not given."""
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


def _chosen_hits(
    index: PassageIndex, query: VectorStoreQuery, settings: Mapping[str, Any], hits: Sequence[Hit]
) -> Operation[Sequence[Hit]]:
    """Return the hits, or in the mode ``mmr`` a diverse choice of these."""
    if query.mode != _MMR:
        return hits
    # the threshold is a setting or a field of the query, as in LlamaIndex's stores
    given = settings.get(_THRESHOLD, query.mmr_threshold)
    weight = 0.5 if given is None else given
    return (yield from diverse_hits(index, hits, query.similarity_top_k, weight))


def _query_result(hits: Sequence[Hit]) -> VectorStoreQueryResult:
    nodes = [scored.node for scored in to_nodes(hits)]
    return VectorStoreQueryResult(
        nodes=nodes,
        similarities=[hit.score for hit in hits],
        ids=[node.node_id for node in nodes],
    )


def _node_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter | None:
    return _all_of(
        [
            None if node_ids is None else _with_ids(index, node_ids),
            None if filters is None else translate_filters(filters, index.prefixes),
        ]
    )


def _deletion_filter(
    index: PassageIndex, node_ids: Sequence[str] | None, filters: MetadataFilters | None
) -> models.Filter:
    condition = _node_filter(index, node_ids, filters)
    if condition is None:
        raise InputError("Pass node_ids= or filters=. To delete all nodes, call clear().")
    return condition


def _documents_filter(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """Return a filter for the documents' nodes; without a tenant, no tenant's nodes match."""
    condition = _in_documents(index, doc_ids)
    if index.tenant is not None:
        return condition
    no_tenant = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    return models.Filter(must=[condition, no_tenant])


def _in_documents(index: PassageIndex, doc_ids: Sequence[str]) -> models.Filter:
    """Match nodes cut from these documents, and documents stored whole."""
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
