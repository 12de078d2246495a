"""A LlamaIndex vector store that writes all named vectors and searches under a policy."""

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
    check_index,
    check_policy,
    refuse_unknown,
)
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, RecentEncoder, default_encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.settings import Settings
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.search import Engine


class LogicVectorStore(BasePydanticVectorStore):
    """Nodes in a collection with all named vectors; a query goes through the engine.

        store = LogicVectorStore.open(location="my-index")
        index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
        index.insert_nodes(nodes)
        index.as_retriever(similarity_top_k=3).retrieve("a quiet hotel, not above a nightclub")

    The index makes every vector itself, from the text that LlamaIndex embeds
    (``MetadataMode.EMBED``). LlamaIndex wants to embed as well, so give it :attr:`embed_model`: a
    store from :meth:`open` remembers the last 8,192 vectors that it made, so that a run of as many
    nodes encodes no text twice. An
    ``IngestionPipeline`` stores only nodes with an embedding: put :attr:`embed_model` last among
    its transformations.

    Args:
        index: where the nodes go.
        policy: what a query uses that names none.

    Raises:
        ConfigurationError: no index, or no such policy.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    policy: PolicySetting = "auto"
    _index: PassageIndex = PrivateAttr()

    def __init__(self, index: PassageIndex, policy: AnyPolicy = "auto") -> None:
        index = check_index(index)
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
        """Opens a collection, making it where there is none.

        Args:
            collection: its name.
            encoder: makes the vectors; that of the bundle that comes with the package where None.
            policy: what a query uses that names none.
            **settings: as for :meth:`PassageIndex.open`.

        Raises:
            CollectionError, ServerError, ConfigurationError: as :meth:`PassageIndex.open`.
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
        """The asynchronous twin of :meth:`open`."""
        check_policy(policy)
        if encoder is None:
            encoder = await encoder_threads.submit(default_encoder)
        index = await PassageIndex.aopen(collection, RecentEncoder(encoder), **settings)
        return cls(index, policy)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "LogicVectorStore"

    @property
    def index(self) -> PassageIndex:
        """Where the nodes are."""
        return self._index

    @property
    def embed_model(self) -> LogicEmbeddings:
        """The embedding model to give LlamaIndex beside this store."""
        specs = self._index.encoder.specs
        vector = "topical" if "topical" in specs else next(iter(specs))
        return LogicEmbeddings(vector, encoder=self._index.encoder)

    @property
    def client(self) -> Any:
        """The synchronous client."""
        return self._index.client

    def __reduce__(self) -> tuple[Any, ...]:
        """A store is not pickled: LlamaIndex's own way would leave out its index."""
        raise TypeError("A LogicVectorStore holds a connection; open it anew in each process.")

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Stores nodes with all named vectors; unchanged ones cost nothing. Their ids.

        A node without text is left out with a ``BlankTextWarning``; metadata are stored as JSON has
        them.

        Raises:
            InputError: nodes that cannot be stored, once all others are.
            CollectionError, ServerError: Qdrant refused or failed; or the collection is that of
                LlamaIndex's own store, which could not read what this one writes.
        """
        refuse_unknown("LogicVectorStore", kwargs)
        store_queries.check_layout(self._index)
        self._index.add([stored_passage(node) for node in nodes])
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """The asynchronous twin of :meth:`add`."""
        refuse_unknown("LogicVectorStore", kwargs)
        store_queries.check_layout(self._index)
        await self._index.aadd([stored_passage(node) for node in nodes])
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Deletes a document: the nodes that were cut from it, and the node that is it."""
        refuse_unknown("LogicVectorStore", delete_kwargs)
        self._index.delete(filter=store_queries.documents_filter(self._index, [ref_doc_id]))

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """The asynchronous twin of :meth:`delete`."""
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(filter=store_queries.documents_filter(self._index, [ref_doc_id]))

    def delete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Deletes nodes by their ids, by a filter, or those of the ids that meet it.

        Raises:
            InputError: neither of them.
        """
        refuse_unknown("LogicVectorStore", delete_kwargs)
        self._index.delete(filter=store_queries.deletion_filter(self._index, node_ids, filters))

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """The asynchronous twin of :meth:`delete_nodes`."""
        refuse_unknown("LogicVectorStore", delete_kwargs)
        await self._index.adelete(
            filter=store_queries.deletion_filter(self._index, node_ids, filters)
        )

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Nodes by their ids (in that order), by a filter, by both, or all of them."""
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in self._index.get(node_ids)]
        condition = store_queries.node_filter(self._index, node_ids, filters)
        return [node_of(passage) for passage in self._index.scroll(condition)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """The asynchronous twin of :meth:`get_nodes`."""
        if node_ids is not None and filters is None:
            return [node_of(passage) for passage in await self._index.aget(node_ids)]
        condition = store_queries.node_filter(self._index, node_ids, filters)
        return [node_of(passage) async for passage in self._index.ascroll(condition)]

    def clear(self) -> None:
        """Deletes every node of this collection; with a tenant, of this tenant."""
        self._index.delete(filter=store_queries.EVERYTHING)

    async def aclear(self) -> None:
        """The asynchronous twin of :meth:`clear`."""
        await self._index.adelete(filter=store_queries.EVERYTHING)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes for a query's text.

        Args:
            query: with ``query_str``; ``similarity_top_k``, ``filters``, ``node_ids``, ``doc_ids``
                and the modes ``default``, ``hybrid`` (``auto`` over hybrid search), ``sparse`` and
                ``text_search`` (words), ``mmr`` (``mmr_threshold`` over plain search) are honoured.
            **kwargs: ``policy``, ``min_score``, ``query_syntax``, ``exclude``, ``hard``,
                ``mmr_threshold`` and ``qdrant_filters`` of this query, which
                ``vector_store_kwargs`` of ``VectorStoreIndex.as_retriever`` hands on.

        Raises:
            ConfigurationError: a mode that this store does not have, or another setting.
            InputError: no text, one that is to be an expression and is none, or a filter that
                cannot be translated.
            MissingVectorError, ServerError: as :meth:`Engine.search`.
        """
        request = store_queries.search_request(self._index, query, kwargs, self.policy)
        hits = Engine(self._index, self.policy).search(**request)
        chosen = self._index.run(store_queries.chosen_hits(self._index, query, kwargs, hits))
        return store_queries.query_result(chosen)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The asynchronous twin of :meth:`query`."""
        request = store_queries.search_request(self._index, query, kwargs, self.policy)
        hits = await Engine(self._index, self.policy).asearch(**request)
        chosen = await self._index.arun(store_queries.chosen_hits(self._index, query, kwargs, hits))
        return store_queries.query_result(chosen)
