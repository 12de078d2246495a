"""Contradictions kept out of the documents of any other retriever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import Field, PrivateAttr

from langchain_logic_retrievers.documents import (
    candidates_with_trusted_text,
    to_candidates,
    trusted_passages,
    with_contradictions,
)
from langchain_logic_retrievers.settings import STRICT, TrustedFilterSetting
from langchain_logic_retrievers.tracing import FILTERING, asend_event, send_event
from logic_retrievers import contradiction
from logic_retrievers.adapters.built import Built, build
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import FilterFields
from logic_retrievers.contradiction import FilterResult
from logic_retrievers.types import Passage


class ContradictionFilter(FilterFields, BaseDocumentCompressor):
    """Finds the documents of a list that contradict each other, or trusted ones, and decides.

    For ``ContextualCompressionRetriever``. The documents may come from anywhere, and keep their
    order; give it more than the context shall hold, and ``top_n``: what is dropped is replaced by
    the next in the list. Copies of those that stay come back, with the filter's evidence under
    ``metadata["logic"]["contradiction"]``; all other metadata stays as it was. A document
    with id, text and metadata of an earlier one counts once; several of one id that differ all
    count. What was dropped, and why: :meth:`filter`, or the custom event
    ``logic_retrievers.filtering`` of the run.

    Args:
        resolution: ``annotate`` (both stay, and name each other), ``prefer_newest``,
            ``prefer_source``, ``prefer_majority``, ``drop_both``; a ``ResolutionStrategy``; or a
            function of two ``Passage``s that returns the one that stays, or None.
        top_n: how many documents; all that can stay where None.
        trusted: documents (or passages) that the user vouches for. A given document is one of them
            where it has the id and the text of one; where either has no id, the text decides.
        trusted_filter: which of the given documents, and of the index's, are trusted:
            ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``, which can only pick from those given.

    The other settings (``encoder``, ``index``, ``threshold``, ``judge``, ...) are those of
    :class:`logic_retrievers.ContradictionFilter`, which also says how it decides.

    Raises:
        ValidationError: pydantic's, a ``ValueError``; it holds the message of the package's own
            ``UnknownResolutionError``, ``ConfigurationError`` or ``InputError``.

    Examples:
        >>> contradictions = ContradictionFilter(resolution="prefer_newest")  # doctest: +SKIP
        >>> contradictions.compress_documents(documents, query)               # doctest: +SKIP
    """

    model_config = STRICT

    trusted: tuple[Document | Passage, ...] = Field(default=(), repr=False)
    trusted_filter: TrustedFilterSetting | None = None
    _built: Built[contradiction.ContradictionFilter] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Makes the core's filter, so that a wrong setting is refused now, and its encoder loaded.

        Later it might be an event loop that waits for it.
        """
        super().model_post_init(context)
        self._core()

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """The documents that stay, in their order; see :meth:`filter`."""
        candidates, core = to_candidates(documents), self._core()
        result = core.filter(**self._request(candidates, query))
        send_event(FILTERING, partial(_describe, core, result), callbacks)
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """:meth:`compress_documents` without blocking the event loop; the same documents."""
        candidates, core = to_candidates(documents), self._core()
        result = await core.afilter(**self._request(candidates, query))
        await asend_event(FILTERING, partial(_describe, core, result), callbacks)
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]

    def __call__(self, documents: Sequence[Document]) -> Sequence[Document]:
        """:meth:`compress_documents` without a query: ``retriever | ContradictionFilter()``."""
        return self.compress_documents(documents, "")

    def filter(
        self,
        documents: Sequence[Document],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> FilterResult:
        """What stays, what was dropped and why, every conflict, and notes.

        Args:
            documents: the best first. A document without id goes by ``#`` and its position.
            query: what they were retrieved for; not needed.
            top_n: instead of the filter's own.
            trusted: further trusted documents, for this call.

        Raises:
            InputError: a resolution function that returns neither of its two passages.
            ConfigurationError: top_n is under 1.
            MissingVectorError: trusted passages are to be searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        request = self._request(to_candidates(documents), query, top_n, trusted)
        return self._core().filter(**request)

    async def afilter(
        self,
        documents: Sequence[Document],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> FilterResult:
        """:meth:`filter` without blocking the event loop; the same result."""
        request = self._request(to_candidates(documents), query, top_n, trusted)
        return await self._core().afilter(**request)

    def _request(
        self,
        candidates: Sequence[tuple[Passage, Document]],
        query: str | None,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> dict[str, Any]:
        """The arguments of the core's filter."""
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

    def _core(self) -> contradiction.ContradictionFilter:
        """The core's filter with the present settings; kept, for it keeps the trusted vectors."""
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        del settings["top_n"]
        settings["trusted"] = trusted_passages(self.trusted)
        self._built = build(self._built, settings, contradiction.ContradictionFilter)
        return self._built.core


def _describe(core: contradiction.ContradictionFilter, result: FilterResult) -> dict[str, Any]:
    return {"resolution": core.resolution.name, **result.without_texts()}
