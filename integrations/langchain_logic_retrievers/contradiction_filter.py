"""Filter contradictions out of the documents of any retriever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import Field, PrivateAttr

from langchain_logic_retrievers.documents import (
    STRICT,
    candidates_with_trusted_text,
    to_candidates,
    trusted_passages,
    with_contradictions,
)
from langchain_logic_retrievers.tracing import FILTERING, asend_event, inside_run, send_event
from logic_retrievers import conflicts
from logic_retrievers.adapters.core_cache import Built, build
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import FilterFields, TrustedFilterSetting
from logic_retrievers.conflicts import FilterResult
from logic_retrievers.types import Passage


class ContradictionFilter(FilterFields, BaseDocumentCompressor):
    """Finds documents that contradict each other or trusted ones, and decides which stay.

    The filter works in a ``ContextualCompressionRetriever``. The documents may come from any source
    and keep their order. Pass more documents than the context should hold, and set ``top_n``, so
    that the next document in the list replaces a dropped one. The result holds copies, with only
    ``metadata["logic"]["contradiction"]`` added. Documents that agree in id, text and metadata
    count once; different ones that share an id all count. :meth:`filter` and the run's custom event
    ``logic_retrievers.filtering`` tell which documents were dropped and why.

    Args:
        resolution: decides a conflict: ``annotate`` (both stay, and name each other),
            ``prefer_newest``, ``prefer_source``, ``prefer_majority``, ``drop_both``, or your own.
        top_n: number of documents; None keeps all that can stay.
        trusted: documents (or passages) that the user vouches for. A given document is trusted if
            it has the id and text of a trusted one, or, if either lacks an id, the same text.
        trusted_filter: selects trusted documents from the given ones and the index. It is
            ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``, which sees only given ones.

    For the other settings (``encoder``, ``index``, ``threshold``, ``judge``, ...) and the decision
    rules see :class:`logic_retrievers.ContradictionFilter`.

    Raises:
        ValidationError: pydantic's ``ValueError``, with this package's message.

    Examples:
        >>> contradictions = ContradictionFilter(resolution="prefer_newest")  # doctest: +SKIP
        >>> contradictions.compress_documents(documents, query)               # doctest: +SKIP
    """

    model_config = STRICT

    trusted: tuple[Document | Passage, ...] = Field(default=(), repr=False)
    trusted_filter: TrustedFilterSetting | None = None
    _built: Built[conflicts.ContradictionFilter] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._core()  # refuses wrong settings; loads the encoder now, not inside an event loop

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """Return the documents that stay, in their order; see :meth:`filter`."""
        candidates, core = to_candidates(documents), self._core()
        with inside_run(callbacks):
            result = core.filter(**self._request(candidates, query))
        send_event(FILTERING, partial(_describe, core, result), callbacks)
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        candidates, core = to_candidates(documents), self._core()
        with inside_run(callbacks):
            result = await core.afilter(**self._request(candidates, query))
        await asend_event(FILTERING, partial(_describe, core, result), callbacks)
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]

    def __call__(self, documents: Sequence[Document]) -> Sequence[Document]:
        """Filter without a query, so that ``retriever | ContradictionFilter()`` works."""
        return self.compress_documents(documents, "")

    def filter(
        self,
        documents: Sequence[Document],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> FilterResult:
        """Return the documents that stay, the dropped ones with reasons, all conflicts, and notes.

        Args:
            documents: documents, best first. A document without id is named ``#`` and position.
            query: the query that retrieved them; optional.
            top_n: replaces the filter's ``top_n``.
            trusted: more trusted documents for this call.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.ContradictionFilter.filter`.
        """
        request = self._request(to_candidates(documents), query, top_n, trusted)
        return self._core().filter(**request)

    def _request(
        self,
        candidates: Sequence[tuple[Passage, Document]],
        query: str | None,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> dict[str, Any]:
        trusted = list(trusted)
        return {
            "passages": [passage for passage, _ in candidates],
            "k": self.top_n if top_n is None else top_n,
            "query": query,
            "trusted": [
                *trusted_passages(trusted, len(self.trusted)),
                *candidates_with_trusted_text(candidates, (*self.trusted, *trusted)),
            ],
        }

    def _core(self) -> conflicts.ContradictionFilter:
        """Return the core filter, kept to reuse trusted vectors until a setting changes."""
        settings: dict[str, Any] = dict(self)
        del settings["top_n"]
        settings["trusted"] = trusted_passages(self.trusted)
        self._built = build(self._built, settings, conflicts.ContradictionFilter)
        return self._built.core


def _describe(core: conflicts.ContradictionFilter, result: FilterResult) -> dict[str, Any]:
    return {"resolution": core.resolution.name, **result.without_texts()}
