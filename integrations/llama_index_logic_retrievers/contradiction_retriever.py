"""Search for contradictions as a LlamaIndex retriever."""

from __future__ import annotations

from typing import Any, Unpack

from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.retrieval import (
    RetrievalEndEvent,
    RetrievalStartEvent,
)
from llama_index.core.schema import NodeWithScore

from llama_index_logic_retrievers.filters import AnyFilter, to_user_filter
from llama_index_logic_retrievers.nodes import to_nodes
from llama_index_logic_retrievers.retriever import LogicRetriever, RetrieverOptions
from logic_retrievers.adapters.settings import ContradictionOptions
from logic_retrievers.conflicts import ContradictionSearch, ContradictionSettings
from logic_retrievers.conflicts.pair_judge import AnyPairJudge
from logic_retrievers.index import PassageIndex

_dispatcher = get_dispatcher(__name__)


class SearchOptions(ContradictionOptions, total=False):
    """Settings that a single call may replace; see :class:`ContradictionRetriever`."""

    similarity_top_k: int | None
    filter: AnyFilter


class ContradictionRetriever(LogicRetriever):
    """Retrieves nodes that contradict a statement (a sentence or a passage, not a question).

        retriever = ContradictionRetriever(index, min_probability=0.5)
        retriever.retrieve("The inn is quiet at night.")

    Every node carries ``metadata["logic"]``, with the probability of the contradiction under
    ``details``. All settings are public attributes and may be changed at any time. A single call
    may replace all but the index, the constants (``settings``) and the judge. See
    :class:`logic_retrievers.ContradictionSearch`.

    Args:
        index: the collection that holds the passages, with the contradiction vector
            (``vectors=("topical", "contradiction")`` at opening, or a ``backfill``).
        similarity_top_k: number of nodes; fewer only if too few pass the filter or
            ``min_probability``.
        filter: ``MetadataFilters``, a Qdrant ``Filter``, or ``{"key": value}`` over the metadata,
            which every node must pass.
        min_probability: least probability of a contradiction. By default nodes are returned
            whether they contradict the statement or not.
        candidates, alpha, settings, judge: as in :class:`logic_retrievers.ContradictionSearch`.
        **options: ``callback_manager``, ``object_map``, ``objects`` and ``verbose``, as in every
            retriever of LlamaIndex.

    Raises:
        ConfigurationError: a setting cannot work, or the encoder lacks the vector or its constants.
        InputError: the filter cannot be read.
    """

    _call_settings = frozenset(SearchOptions.__annotations__)

    def __init__(
        self,
        index: PassageIndex,
        similarity_top_k: int = 4,
        filter: AnyFilter = None,  # noqa: A002 - all integrations use this name
        min_probability: float | None = None,
        candidates: int = 1000,
        alpha: float | None = None,
        settings: ContradictionSettings | None = None,
        *,
        judge: AnyPairJudge = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        super().__init__(index, similarity_top_k, filter, **options)
        self.min_probability = min_probability
        self.candidates = candidates
        self.alpha = alpha
        self.settings = settings
        self.judge = judge
        self._search()  # refuses wrong settings now, not at the first query

    def like(self, passage_id: str, **settings: Unpack[SearchOptions]) -> list[NodeWithScore]:
        """Return nodes that contradict a stored one, but neither this one nor its copies.

        Index nodes are returned, not followed.

        Args:
            passage_id: id of the node, which need not pass the filter.
            **settings: ``similarity_top_k``, ``filter``, ``min_probability``, ``candidates`` and
                ``alpha`` for this call.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.ContradictionSearch.search_like`.
        """
        core, request = self._with_settings({**settings})._search()
        _dispatcher.event(RetrievalStartEvent(str_or_query_bundle=passage_id))
        nodes = to_nodes(core.search_like(passage_id, **request))
        _dispatcher.event(RetrievalEndEvent(str_or_query_bundle=passage_id, nodes=nodes))
        return nodes

    def _request(self, query: str) -> tuple[ContradictionSearch, dict[str, Any]]:
        core, request = self._search()
        return core, {"statement": query, **request}

    def _search(self) -> tuple[ContradictionSearch, dict[str, Any]]:
        core = ContradictionSearch(
            self.index,
            candidates=self.candidates,
            settings=self.settings,
            alpha=self.alpha,
            min_probability=self.min_probability,
            judge=self.judge,
        )
        condition = to_user_filter(self.filter, self.index.prefixes)
        return core, {"k": self.similarity_top_k, "filter": condition}
