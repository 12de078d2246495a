"""What a collection holds against a statement, as a LlamaIndex retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, Unpack

from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.retrieval import (
    RetrievalEndEvent,
    RetrievalStartEvent,
)
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle

from llama_index_logic_retrievers.existing import aopen_index_over, open_index_over
from llama_index_logic_retrievers.filters import AnyFilter, as_filter, check_filter
from llama_index_logic_retrievers.nodes import scored
from llama_index_logic_retrievers.recursion import OncePerId
from llama_index_logic_retrievers.settings import checked_index
from llama_index_logic_retrievers.store import LogicVectorStore
from logic_retrievers.answering import check_count
from logic_retrievers.contradiction import ContradictionSearch, ContradictionSettings
from logic_retrievers.contradiction.settings import settings_for
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.settings import Settings
from logic_retrievers.types import Hit

_dispatcher = get_dispatcher(__name__)


class ContradictionRetriever(OncePerId):
    """Retrieves what contradicts a statement: the query is a sentence or a passage, no question.

        retriever = ContradictionRetriever(index, min_probability=0.5)
        retriever.retrieve("The inn is quiet at night.")

    Every node carries ``metadata["logic"]``, with the probability of the contradiction under
    ``details``. All settings are public attributes and may be changed at any time. See
    :class:`logic_retrievers.ContradictionSearch`.

    Args:
        index: where the passages are, with the contradiction vector
            (``vectors=("topical", "contradiction")`` at opening, or a ``backfill``).
        k: how many nodes; fewer come back only where the collection has no more that the filter
            admits, or where ``min_probability`` lets no more through.
        filter: only nodes that it admits: ``MetadataFilters``, a Qdrant ``Filter``, or
            ``{"key": value}`` over the metadata.
        min_probability: only nodes that contradict it with at least this probability. Without it k
            nodes come back whether they contradict or not, each with its probability.
        candidates: how many of the topically nearest are looked at.
        alpha: weight of the sparsity in the score, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        callback_manager, object_map, objects, verbose: as in every retriever of LlamaIndex.

    Raises:
        ConfigurationError: a setting that cannot work, or an encoder without the vector or its
            constants.
        InputError: a filter that cannot be read.
    """

    def __init__(
        self,
        index: PassageIndex,
        k: int = 4,
        filter: AnyFilter = None,  # noqa: A002 - the word that both frameworks' adapters use
        min_probability: float | None = None,
        candidates: int = 1000,
        alpha: float | None = None,
        settings: ContradictionSettings | None = None,
        *,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        self.index = checked_index(index)
        check_count("k", k)
        check_filter(filter, index.prefixes)
        self.k = k
        self.filter = filter
        self.min_probability = min_probability
        self.candidates = candidates
        self.alpha = alpha
        self.settings = settings
        self._search()
        super().__init__(callback_manager, object_map, objects, verbose)

    @classmethod
    def over(
        cls,
        store: Any,
        k: int = 4,
        filter: AnyFilter = None,  # noqa: A002
        min_probability: float | None = None,
        candidates: int = 1000,
        alpha: float | None = None,
        settings: ContradictionSettings | None = None,
        *,
        encoder: Encoder | None = None,
        **opening: Unpack[Settings],
    ) -> Self:
        """A retriever over a store that is there already, on its clients.

        Args:
            store: a :class:`LogicVectorStore`, or LlamaIndex's ``QdrantVectorStore``.
            k: as above.
            filter: as above.
            min_probability: as above.
            candidates: as above.
            alpha: as above.
            settings: as above.
            encoder: makes all vectors of a ``QdrantVectorStore``, the topical one as the model did
                that embedded its nodes.
            **opening: as for :meth:`PassageIndex.open`.

        Raises:
            ConfigurationError: no such store, or no encoder that fits.
            CollectionError, ServerError: as :func:`open_index_over`.
        """
        _check_encoder(store, encoder, settings, alpha)
        index = open_index_over(store, encoder=encoder, **opening)
        return cls(index, k, filter, min_probability, candidates, alpha, settings)

    @classmethod
    async def aover(
        cls,
        store: Any,
        k: int = 4,
        filter: AnyFilter = None,  # noqa: A002
        min_probability: float | None = None,
        candidates: int = 1000,
        alpha: float | None = None,
        settings: ContradictionSettings | None = None,
        *,
        encoder: Encoder | None = None,
        **opening: Unpack[Settings],
    ) -> Self:
        """The asynchronous twin of :meth:`over`; works where the store has only aclient."""
        _check_encoder(store, encoder, settings, alpha)
        index = await aopen_index_over(store, encoder=encoder, **opening)
        return cls(index, k, filter, min_probability, candidates, alpha, settings)

    @classmethod
    def class_name(cls) -> str:
        """The class's name, as LlamaIndex's components have one."""
        return "ContradictionRetriever"

    def like(self, passage_id: str) -> list[NodeWithScore]:
        """What contradicts a stored node; itself and its copies are left out.

        Index nodes come as they are, and do not lead on to what they stand for.

        Args:
            passage_id: the node's id; the filter need not admit it.

        Raises:
            InputError: there is no such node.
            ConfigurationError: a setting that cannot work.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        with self._told(passage_id) as ended:
            return ended(self._search().search_like(passage_id, **self._asked()))

    async def alike(self, passage_id: str) -> list[NodeWithScore]:
        """:meth:`like` without blocking the event loop; the same nodes."""
        with self._told(passage_id) as ended:
            return ended(await self._search().asearch_like(passage_id, **self._asked()))

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return scored(self._search().search(query_bundle.query_str, **self._asked()))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return scored(await self._search().asearch(query_bundle.query_str, **self._asked()))

    def _search(self) -> ContradictionSearch:
        return ContradictionSearch(
            self.index,
            candidates=self.candidates,
            settings=self.settings,
            alpha=self.alpha,
            min_probability=self.min_probability,
        )

    def _asked(self) -> dict[str, Any]:
        return {"k": self.k, "filter": as_filter(self.filter, self.index.prefixes)}

    @contextmanager
    def _told(self, passage_id: str) -> Iterator[Callable[[Sequence[Hit]], list[NodeWithScore]]]:
        """LlamaIndex's events around a retrieval; gives the function that ends it."""
        _dispatcher.event(RetrievalStartEvent(str_or_query_bundle=passage_id))
        payload: dict[str, Any] = {EventPayload.QUERY_STR: passage_id}
        with self.callback_manager.event(CBEventType.RETRIEVE, payload=payload) as event:

            def ended(hits: Sequence[Hit]) -> list[NodeWithScore]:
                found = scored(hits)
                event.on_end(payload={EventPayload.NODES: found})
                _dispatcher.event(RetrievalEndEvent(str_or_query_bundle=passage_id, nodes=found))
                return found

            yield ended


def _check_encoder(
    store: Any,
    encoder: Encoder | None,
    settings: ContradictionSettings | None,
    alpha: float | None,
) -> None:
    """Refuses what cannot judge, before a collection is opened with it in vain."""
    if isinstance(store, LogicVectorStore):
        return
    if encoder is None:
        raise ConfigurationError(
            "LlamaIndex's QdrantVectorStore does not know which model embedded its nodes, and has"
            " none for contradictions. Pass encoder=CombinedEncoder([encoder_of(embed_model),"
            " (OnnxEncoder(), {'contradiction': 'contradiction'})])."
        )
    settings_for(encoder.specs, settings, alpha=alpha)
