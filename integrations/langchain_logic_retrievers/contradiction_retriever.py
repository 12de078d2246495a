"""Search for contradictions as a LangChain retriever."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Unpack

from langchain_core.documents import Document
from pydantic import Field

from langchain_logic_retrievers.documents import to_document
from langchain_logic_retrievers.retriever import LogicRetriever
from langchain_logic_retrievers.tracing import RETRIEVAL, inside_run, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.adapters.settings import (
    ContradictionOptions,
    Count,
    FilterSetting,
    PairJudgeSetting,
)
from logic_retrievers.conflicts import ContradictionSearch, ContradictionSettings
from logic_retrievers.conflicts.search import POLICY
from logic_retrievers.index import PassageIndex, UserFilter


class SearchOptions(ContradictionOptions, total=False):
    """Settings that a single call may replace; see :class:`ContradictionRetriever`."""

    k: int | None
    filter: UserFilter


class ContradictionRetriever(LogicRetriever):
    """Retrieves documents that contradict a statement (a sentence or a passage, not a question).

    Every document carries ``metadata["logic"]`` (with the probability of the contradiction under
    ``details``) and ``metadata["relevance_score"]``. A single call may replace all settings
    (``invoke(statement, k=3)``) but the index, the constants (``settings``) and the judge. Settings
    can be made configurable (``configurable_fields``). A run sends its hits to its handlers in the
    custom event ``logic_retrievers.retrieval``. See :class:`logic_retrievers.ContradictionSearch`.

    Args:
        index: the collection that holds the documents, with the contradiction vector
            (``vectors=("topical", "contradiction")`` at opening, or a ``backfill``).
        k: number of documents; fewer only if too few pass the filter or ``min_probability``.
        filter: a Qdrant ``Filter`` or ``{"key": value}`` over the metadata, which every document
            must pass.
        min_probability: least probability of a contradiction. By default k documents are
            returned whether they contradict the statement or not.
        candidates, alpha, settings, judge: as in :class:`logic_retrievers.ContradictionSearch`.

    Raises:
        ValidationError: pydantic's ``ValueError``, with this package's message.

    Examples:
        >>> retriever = ContradictionRetriever(index=index, min_probability=0.5)  # doctest: +SKIP
        >>> retriever.invoke("The inn is quiet at night.", k=3)                   # doctest: +SKIP
    """

    index: PassageIndex = Field(exclude=True, repr=False)
    k: Count = 4
    filter: FilterSetting | None = None
    min_probability: float | None = None
    candidates: Count = 1000
    alpha: float | None = None
    settings: ContradictionSettings | None = None
    judge: Literal["auto"] | PairJudgeSetting | None = Field(default=None, repr=False)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._search({})  # refuses wrong settings now, not at the first query

    def like(self, passage_id: str, **settings: Unpack[SearchOptions]) -> list[Document]:
        """Retrieve documents that contradict a stored one, but neither this one nor its copies.

        Args:
            passage_id: the document's id.
            **settings: ``k``, ``filter``, ``min_probability``, ``candidates`` and ``alpha`` for
                this call.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.ContradictionSearch.search_like`.
        """
        core, request = self._search({**settings})
        with inside_run(None):
            hits = core.search_like(passage_id, **request)
        send_event(RETRIEVAL, partial(describe_hits, POLICY, hits), None)
        return [to_document(hit) for hit in hits]

    def _request(
        self, query: str, settings: dict[str, Any]
    ) -> tuple[str, ContradictionSearch, dict[str, Any]]:
        core, request = self._search(settings)
        return POLICY, core, {"statement": query, **request}

    def _search(self, settings: dict[str, Any]) -> tuple[ContradictionSearch, dict[str, Any]]:
        chosen = {name: getattr(self, name) for name in SearchOptions.__annotations__}
        chosen |= {name: value for name, value in settings.items() if value is not None}
        request = {name: chosen.pop(name) for name in ("k", "filter")}
        core = ContradictionSearch(self.index, settings=self.settings, judge=self.judge, **chosen)
        return core, request
