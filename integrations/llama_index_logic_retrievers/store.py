"""A LlamaIndex vector store that keeps all named vectors of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from pydantic import PrivateAttr

from llama_index_logic_retrievers import store_queries
from llama_index_logic_retrievers.models import LogicEmbeddings
from llama_index_logic_retrievers.nodes import node_of, stored_passage
from llama_index_logic_retrievers.settings import (
    PolicySetting,
    check_policy,
)
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, RecentEncoder, default_encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.settings import Settings
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.search import Engine
from logic_retrievers.validation import check_parts


class LogicVectorStore(BasePydanticVectorStore):
    """Stores nodes with all named vectors of an encoder, and searches under a policy.

        store = LogicVectorStore.open(location="my-index")
        index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
        index.insert_nodes(nodes)
        index.as_retriever(similarity_top_k=3).retrieve("a quiet hotel, not above a nightclub")

    The store makes every vector itself, from the text that LlamaIndex embeds
    (``MetadataMode.EMBED``). LlamaIndex embeds as well, so give it :attr:`embed_model`: a store
    from :meth:`open` remembers the last 8,192 vectors, so that no text is encoded twice. An
    ``IngestionPipeline`` stores only nodes with an embedding: put :attr:`embed_model` last among
    its transformations.

    Args:
        index: where the nodes are stored.
        policy: the default of queries.

    Raises:
        ConfigurationError: not an index, or an unknown policy.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    policy: PolicySetting = "auto"
    _index: PassageIndex = PrivateAttr()

    def __init__(self, index: PassageIndex, policy: AnyPolicy = "auto") -> None:
        check_parts(index=index, needs_index=True)
        fields: dict[str, Any] = {"stores_text": True, "policy": check_policy(policy)}
        super().__init__(**fields)
        self._index = index

    @classmethod
    def open(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        **settings: Unpack[Settings],
    ) -> Self:
        """Open a collection; create it where it does not exist.

        ``encoder`` is the one that comes with the package by default, and ``policy`` the default
        of queries. For ``settings`` (``location``, ``api_key``, ``tenant``, ...) and errors see
        :meth:`PassageIndex.open`.
        """
        check_policy(policy)
        recent = RecentEncoder(encoder or default_encoder())
        return cls(PassageIndex.open(collection, recent, **settings), policy)

    @classmethod
    async def aopen(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        **settings: Unpack[Settings],
    ) -> Self:
        """Open a collection without blocking the event loop; see :meth:`open`."""
        check_policy(policy)
        if encoder is None:
            encoder = await encoder_threads.submit(default_encoder)
        index = await PassageIndex.aopen(collection, RecentEncoder(encoder), **settings)
        return cls(index, policy)

    @classmethod
    def class_name(cls) -> str:
        return "LogicVectorStore"

    @property
    def index(self) -> PassageIndex:
        return self._index

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
        # LlamaIndex's own way would silently leave out the index
        raise TypeError("A LogicVectorStore holds a connection; open one in each process.")

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Store nodes and return their ids; unchanged nodes are not encoded again.

        A node without text is left out with a ``BlankTextWarning``. Metadata is stored as JSON.

        Raises:
            InputError: some nodes cannot be stored; raised after all others are.
            CollectionError, ServerError: Qdrant refused or failed; or LlamaIndex's own store made
                the collection, and could not read what this one writes.
        """
        refuse_unknown("LogicVectorStore", kwargs)
        store_queries.check_layout(self._index)
        self._index.add([stored_passage(node) for node in nodes])
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        refuse_unknown("LogicVectorStore", kwargs)
        store_queries.check_layout(self._index)
        await self._index.aadd([stored_passage(node) for node in nodes])
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete a document: its node, and the nodes that were cut from it."""
        refuse_unknown("LogicVectorStore", delete_kwargs)
        self._index.delete(filter=store_queries.documents_filter(self._index, [ref_doc_id]))

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(filter=store_queries.documents_filter(self._index, [ref_doc_id]))

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
        self._index.delete(filter=store_queries.deletion_filter(self._index, node_ids, filters))

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(
            filter=store_queries.deletion_filter(self._index, node_ids, filters)
        )

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Return nodes by ids (in that order), by a filter, by both, or all of them."""
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in self._index.get(node_ids)]
        condition = store_queries.node_filter(self._index, node_ids, filters)
        return [node_of(passage) for passage in self._index.scroll(condition)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in await self._index.aget(node_ids)]
        condition = store_queries.node_filter(self._index, node_ids, filters)
        return [node_of(passage) async for passage in self._index.ascroll(condition)]

    def clear(self) -> None:
        """Delete every node of this collection, or of this tenant."""
        self._index.delete(filter=store_queries.EVERYTHING)

    async def aclear(self) -> None:
        await self._index.adelete(filter=store_queries.EVERYTHING)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the best nodes for a query's text.

        Args:
            query: needs ``query_str``; reads ``similarity_top_k``, ``filters``, ``node_ids``,
                ``doc_ids`` and the modes ``default``, ``hybrid`` (``auto`` over hybrid search),
                ``sparse`` and ``text_search`` (words), ``mmr`` (``mmr_threshold`` over plain
                search).
            **kwargs: ``policy``, ``min_score``, ``query_syntax``, ``exclude``, ``hard``,
                ``mmr_threshold`` and ``qdrant_filters`` for this query;
                ``VectorStoreIndex.as_retriever`` passes them as ``vector_store_kwargs``.

        Raises:
            ConfigurationError: an unknown mode or setting.
            InputError: no text, a text that should be an expression and is not, or a filter that
                cannot be translated.
            MissingVectorError, ServerError: as :meth:`Engine.search`.
        """
        request = store_queries.search_request(self._index, query, kwargs, self.policy)
        hits = Engine(self._index, self.policy).search(**request)
        chosen = self._index.run(store_queries.chosen_hits(self._index, query, kwargs, hits))
        return store_queries.query_result(chosen)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        request = store_queries.search_request(self._index, query, kwargs, self.policy)
        hits = await Engine(self._index, self.policy).asearch(**request)
        chosen = await self._index.arun(store_queries.chosen_hits(self._index, query, kwargs, hits))
        return store_queries.query_result(chosen)
