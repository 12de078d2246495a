"""What a collection holds against a statement, as a LlamaIndex retriever."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from llama_index.core.callbacks import CallbackManager
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.retrieval import (
    RetrievalEndEvent,
    RetrievalStartEvent,
)
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle

from llama_index_logic_retrievers.base_retriever import LogicRetriever
from llama_index_logic_retrievers.filters import AnyFilter, check_filter, to_user_filter
from llama_index_logic_retrievers.nodes import to_nodes
from llama_index_logic_retrievers.settings import check_index
from logic_retrievers.contradiction import ContradictionSearch, ContradictionSettings
from logic_retrievers.contradiction.pair_judge import AnyPairJudge
from logic_retrievers.index import PassageIndex
from logic_retrievers.settings import check_count

_dispatcher = get_dispatcher(__name__)


class SearchOptions(TypedDict, total=False):
    """Settings that a single call may replace; see :class:`ContradictionRetriever`."""

    similarity_top_k: int
    filter: AnyFilter
    min_probability: float | None
    candidates: int
    alpha: float | None


class ContradictionRetriever(LogicRetriever):
    """Retrieves what contradicts a statement: the query is a sentence or a passage, no question.

        retriever = ContradictionRetriever(index, min_probability=0.5)
        retriever.retrieve("The inn is quiet at night.")

    Every node carries ``metadata["logic"]``, with the probability of the contradiction under
    ``details``. All settings are public attributes and may be changed at any time; all but the
    index, the constants and the judge can also be given to one call. See
    :class:`logic_retrievers.ContradictionSearch`.

    Args:
        index: where the passages are, with the contradiction vector
            (``vectors=("topical", "contradiction")`` at opening, or a ``backfill``).
        similarity_top_k: how many nodes; fewer come back only where the collection has no more that
            the filter admits, or where ``min_probability`` lets no more through.
        filter: only nodes that it admits: ``MetadataFilters``, a Qdrant ``Filter``, or
            ``{"key": value}`` over the metadata.
        min_probability: only nodes that contradict it with at least this probability. Without it
            nodes come back whether they contradict or not, each with its probability.
        candidates: how many of the topically nearest are looked at.
        alpha: weight of the sparsity in the score, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        judge: reads the statement with the first candidates: ``auto``, cross-encoders that come
            with the package, ``OnnxConflictJudge`` of another bundle, or a model of your own.
        callback_manager, object_map, objects, verbose: as in every retriever of LlamaIndex.

    Raises:
        ConfigurationError: a setting that cannot work, or an encoder without the vector or its
            constants.
        InputError: a filter that cannot be read.
    """

    _call_settings = frozenset(SearchOptions.__annotations__)

    def __init__(
        self,
        index: PassageIndex,
        similarity_top_k: int = 4,
        filter: AnyFilter = None,  # noqa: A002 - the word that both frameworks' adapters use
        min_probability: float | None = None,
        candidates: int = 1000,
        alpha: float | None = None,
        settings: ContradictionSettings | None = None,
        *,
        judge: AnyPairJudge = None,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        self.index = check_index(index)
        check_count("similarity_top_k", similarity_top_k)
        check_filter(filter, index.prefixes)
        self.similarity_top_k = similarity_top_k
        self.filter = filter
        self.min_probability = min_probability
        self.candidates = candidates
        self.alpha = alpha
        self.settings = settings
        self.judge = judge
        self._search()
        super().__init__(callback_manager, object_map, objects, verbose)

    def like(self, passage_id: str, **settings: Unpack[SearchOptions]) -> list[NodeWithScore]:
        """What contradicts a stored node; itself and its copies are left out.

        Index nodes come as they are, and do not lead on to what they stand for.

        Args:
            passage_id: the node's id; the filter need not admit it.
            **settings: instead of the retriever's own: ``similarity_top_k``, ``filter``,
                ``min_probability``, ``candidates``, ``alpha``.

        Raises:
            InputError: there is no such node.
            ConfigurationError: a setting that does not exist or cannot work.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        retriever = self._with_settings({**settings})
        _dispatcher.event(RetrievalStartEvent(str_or_query_bundle=passage_id))
        nodes = to_nodes(retriever._search().search_like(passage_id, **retriever._request()))
        _dispatcher.event(RetrievalEndEvent(str_or_query_bundle=passage_id, nodes=nodes))
        return nodes

    async def alike(
        self, passage_id: str, **settings: Unpack[SearchOptions]
    ) -> list[NodeWithScore]:
        """:meth:`like` without blocking the event loop; the same nodes."""
        retriever = self._with_settings({**settings})
        _dispatcher.event(RetrievalStartEvent(str_or_query_bundle=passage_id))
        hits = await retriever._search().asearch_like(passage_id, **retriever._request())
        nodes = to_nodes(hits)
        _dispatcher.event(RetrievalEndEvent(str_or_query_bundle=passage_id, nodes=nodes))
        return nodes

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return to_nodes(self._search().search(query_bundle.query_str, **self._request()))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return to_nodes(await self._search().asearch(query_bundle.query_str, **self._request()))

    def _search(self) -> ContradictionSearch:
        return ContradictionSearch(
            self.index,
            candidates=self.candidates,
            settings=self.settings,
            alpha=self.alpha,
            min_probability=self.min_probability,
            judge=self.judge,
        )

    def _request(self) -> dict[str, Any]:
        return {
            "k": self.similarity_top_k,
            "filter": to_user_filter(self.filter, self.index.prefixes),
        }
