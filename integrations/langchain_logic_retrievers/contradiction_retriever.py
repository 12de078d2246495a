"""What a collection holds against a statement, as a LangChain retriever."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypedDict, Unpack

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from langchain_logic_retrievers.documents import to_document
from langchain_logic_retrievers.settings import STRICT, FilterSetting
from langchain_logic_retrievers.tracing import RETRIEVAL, asend_event, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.adapters.settings import Count, PairJudgeSetting
from logic_retrievers.contradiction import ContradictionSearch, ContradictionSettings
from logic_retrievers.contradiction.ranking import POLICY
from logic_retrievers.index import PassageIndex, UserFilter


class SearchOptions(TypedDict, total=False):
    """Settings that a single call may replace; see :class:`ContradictionRetriever`."""

    k: int | None
    filter: UserFilter
    min_probability: float | None
    candidates: int | None
    alpha: float | None


class ContradictionRetriever(BaseRetriever):
    """Retrieves what contradicts a statement: the query is a sentence or a passage, no question.

    Every document carries ``metadata["logic"]`` (with the probability of the contradiction under
    ``details``) and ``metadata["relevance_score"]``. All settings but the index, the constants and
    the judge can also be given to one call (``invoke(statement, k=3)``) and made configurable
    (``configurable_fields``). A run sends its hits to its handlers in the custom event
    ``logic_retrievers.retrieval``. See :class:`logic_retrievers.ContradictionSearch`.

    Args:
        index: where the documents are, with the contradiction vector
            (``vectors=("topical", "contradiction")`` at opening, or a ``backfill``).
        k: how many documents; fewer come back only where the collection has no more that the filter
            admits, or where ``min_probability`` lets no more through.
        filter: only documents that it admits; a Qdrant ``Filter`` or ``{"key": value}`` over the
            metadata.
        min_probability: only documents that contradict it with at least this probability. Without
            it k documents come back whether they contradict or not, each with its probability.
        candidates: how many of the topically nearest are looked at.
        alpha: weight of the sparsity in the score, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        judge: reads the statement with the first candidates: ``auto``, cross-encoders that come
            with the package, ``OnnxConflictJudge`` of another bundle, or a model of your own.

    Raises:
        ValidationError: pydantic's, a ``ValueError``; it holds the message of the package's own
            ``ConfigurationError`` or ``InputError``.

    Examples:
        >>> retriever = ContradictionRetriever(index=index, min_probability=0.5)  # doctest: +SKIP
        >>> retriever.invoke("The inn is quiet at night.", k=3)                   # doctest: +SKIP
    """

    model_config = STRICT

    index: PassageIndex = Field(exclude=True, repr=False)
    k: Count = 4
    filter: FilterSetting | None = None
    min_probability: float | None = None
    candidates: Count = 1000
    alpha: float | None = None
    settings: ContradictionSettings | None = None
    judge: Literal["auto"] | PairJudgeSetting | None = Field(default=None, repr=False)

    def model_post_init(self, context: Any, /) -> None:
        """Refuses what cannot work now, and not at the first query."""
        super().model_post_init(context)
        self._request()

    def like(self, passage_id: str, **settings: Unpack[SearchOptions]) -> list[Document]:
        """What contradicts a stored document; itself and its copies are left out.

        Args:
            passage_id: its id.
            **settings: instead of the retriever's own: ``k``, ``filter``, ``min_probability``,
                ``candidates``, ``alpha``.

        Raises:
            InputError: there is no such document.
            ConfigurationError: a setting that cannot work.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        search, request = self._request(**settings)
        hits = search.search_like(passage_id, **request)
        send_event(RETRIEVAL, partial(describe_hits, POLICY, hits), None)
        return [to_document(hit) for hit in hits]

    async def alike(self, passage_id: str, **settings: Unpack[SearchOptions]) -> list[Document]:
        """:meth:`like` without blocking the event loop; the same documents."""
        search, request = self._request(**settings)
        hits = await search.asearch_like(passage_id, **request)
        await asend_event(RETRIEVAL, partial(describe_hits, POLICY, hits), None)
        return [to_document(hit) for hit in hits]

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        **settings: Unpack[SearchOptions],
    ) -> list[Document]:
        search, request = self._request(**settings)
        hits = search.search(query, **request)
        send_event(RETRIEVAL, partial(describe_hits, POLICY, hits), run_manager.get_child())
        return [to_document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        **settings: Unpack[SearchOptions],
    ) -> list[Document]:
        search, request = self._request(**settings)
        hits = await search.asearch(query, **request)
        await asend_event(RETRIEVAL, partial(describe_hits, POLICY, hits), run_manager.get_child())
        return [to_document(hit) for hit in hits]

    def _request(
        self, **settings: Unpack[SearchOptions]
    ) -> tuple[ContradictionSearch, dict[str, Any]]:
        """The search of one call, and its arguments beside the statement."""
        own = {name: getattr(self, name) for name in SearchOptions.__annotations__}
        given = {name: value for name, value in settings.items() if value is not None}
        chosen = own | given
        request = {name: chosen.pop(name) for name in ("k", "filter")}
        return ContradictionSearch(
            self.index, settings=self.settings, judge=self.judge, **chosen
        ), request
