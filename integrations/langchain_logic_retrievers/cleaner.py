"""Clean documents before they are stored."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.utils.aiter import abatch_iterate
from langchain_core.utils.iter import batch_iterate
from pydantic import Field, PrivateAttr

from langchain_logic_retrievers.documents import (
    STRICT,
    passage_to_screen,
    with_findings,
)
from logic_retrievers import conflicts
from logic_retrievers.adapters.core_cache import Built, build
from logic_retrievers.adapters.settings import (
    CleanerFields,
    OnError,
    TrustedFilterSetting,
    warn_cleaning_skipped,
)
from logic_retrievers.checks import check_count
from logic_retrievers.conflicts import ScreeningResult
from logic_retrievers.encoders import RecentEncoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

# number of documents that langchain_core.indexing.index stores at a time
BATCH = 100
WINDOW = 1000


class CorpusCleaner(CleanerFields, BaseDocumentTransformer):
    """Finds documents that contradict, repeat or replace others, before they are stored.

    The result holds copies of all documents in the given order, with the same metadata and ids.
    Findings are under ``metadata["logic"]["cleaning"]``. A document that loses (the resolution
    decides against it) also has ``metadata["logic"]["quarantined"]``, which makes
    :class:`LogicVectorStore` and langchain-qdrant's store hide it. Stored documents that lose are
    hidden at once. A document without id gets its :func:`document_key` as id.

    No document is deleted or left out. By default only documents that contradict a trusted one are
    hidden. For the rules, and to clean stored documents, see
    :class:`~logic_retrievers.conflicts.CorpusCleaner`.

    Args:
        index: the collection that the documents will be stored in. By default the documents of a
            call are only compared with each other.
        ledger: a ``Ledger``, or the path of its file; the default is kept in memory only.
        trusted: documents (or passages) that the user vouches for.
        trusted_filter: selects more trusted documents from the given ones and the collection.
            It is ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``.
        encoder: makes the vectors; by default the index's encoder, else the package's own.
        on_error: ``raise`` the error if the model, the ledger or Qdrant fails, or ``skip`` the
            cleaning: return the documents unchanged, with a ``CleaningSkippedWarning``. ``raise``
            is the default because LangChain's ``index`` deletes old documents after this step.
        dry_run: report decisions without hiding anything. No document is flagged; neither
            collection nor ledger changes.

    For the other settings (``resolution``, ``neighbours``, ``threshold``, ``judge``, ...) see
    :class:`~logic_retrievers.conflicts.CleaningSettings`. With ``judge=None`` no
    cross-encoder reads the pairs, which is faster and finds less.

    Raises:
        ValidationError: pydantic's ``ValueError``, with this package's message.
        StorageError: the ledger cannot be opened.

    Examples:
        >>> cleaner = CorpusCleaner(index=store.index, ledger="ledger.sqlite")  # doctest: +SKIP
        >>> store.add_documents(cleaner.transform_documents(documents))         # doctest: +SKIP
    """

    model_config = STRICT

    trusted: tuple[Document | Passage, ...] = Field(default=(), repr=False)
    trusted_filter: TrustedFilterSetting | None = None
    on_error: OnError = "raise"
    dry_run: bool = Field(default=False, strict=True)
    _built: Built[conflicts.CorpusCleaner] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._core()  # refuses wrong settings; loads the encoder now, not inside an event loop

    def transform_documents(  # type: ignore[override]  # a misspelt setting is refused
        self, documents: Sequence[Document]
    ) -> list[Document]:
        """Return copies of the documents in the given order, with findings.

        Raises:
            InputError: JSON cannot hold the metadata, or a resolution function returned neither of
                its two passages.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        return _Stream(self, self._core()).screen(documents)

    async def atransform_documents(  # type: ignore[override]
        self, documents: Sequence[Document]
    ) -> list[Document]:
        return await _Stream(self, self._core()).ascreen(documents)

    def lazy_transform_documents(
        self, documents: Iterable[Document], *, batch_size: int = BATCH, window: int = WINDOW
    ) -> Iterator[Document]:
        """Clean a stream batch by batch, for ``index()``.

        Each batch is compared with the collection, and with the last ``window`` documents of the
        stream that are not stored yet. A document that loses against a later one has already been
        returned unmarked. With an index and a ledger, the next cleaning hides such a document.

        Args:
            documents: documents to clean, read as needed.
            batch_size: number of documents examined at a time.
            window: number of earlier documents to remember; 0 remembers none.

        Raises:
            ConfigurationError: the batch size is under 1, or the window is under 0.
            InputError, StorageError, CollectionError, ServerError: as
                :meth:`transform_documents`, for the current batch.
        """
        stream = _Stream(self, self._stream_core(batch_size, window), window)
        batches = batch_iterate(batch_size, documents)
        return chain.from_iterable(stream.screen(batch) for batch in batches)

    def alazy_transform_documents(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        *,
        batch_size: int = BATCH,
        window: int = WINDOW,
    ) -> AsyncIterator[Document]:
        """Clean a stream without blocking the event loop, for ``aindex()``."""
        stream = _Stream(self, self._stream_core(batch_size, window), window)
        return _ascreen_batches(stream, documents, batch_size)

    def _core_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = dict(self)
        del settings["on_error"], settings["dry_run"]
        settings["trusted"] = [
            one if isinstance(one, Passage) else passage_to_screen(one) for one in self.trusted
        ]
        return settings

    def _core(self) -> conflicts.CorpusCleaner:
        """Return the core cleaner, kept with its in-memory ledger until a setting changes."""
        self._built = build(self._built, self._core_settings(), conflicts.CorpusCleaner)
        return self._built.core

    def _stream_core(self, batch_size: int, window: int) -> conflicts.CorpusCleaner:
        """Return a cleaner that encodes each remembered document of a stream only once."""
        check_count("batch_size", batch_size)
        if window < 0:
            raise ConfigurationError(f"window must be 0 or more, not {window}")
        core = self._core()
        if self.index is not None or not window:
            return core  # stored documents are forgotten, so hardly any is encoded twice
        recent = RecentEncoder(core.encoder, size=2 * (batch_size + window + len(self.trusted)))
        settings = {**self._core_settings(), "encoder": recent, "ledger": core.ledger}
        return conflicts.CorpusCleaner(**settings)


class _Stream:
    """Cleans batches, and remembers earlier documents that may not be stored yet."""

    def __init__(
        self, cleaner: CorpusCleaner, core: conflicts.CorpusCleaner, window: int = 0
    ) -> None:
        self._cleaner = cleaner
        self._core = core
        self._window = window
        self._earlier: dict[str, Passage] = {}

    def screen(self, batch: Sequence[Document]) -> list[Document]:
        index, ids = self._core.index, list(self._earlier)
        try:
            passages = [passage_to_screen(document) for document in batch]
            stored = index.get(ids) if index is not None and ids else []
            all_passages = self._with_earlier(passages, stored)
            screened = self._core.screen(all_passages, dry_run=self._cleaner.dry_run)
        except Exception as error:
            return self._skip(batch, error)
        self._remember(passages, screened)
        return with_findings(batch, passages, screened)

    async def ascreen(self, batch: Sequence[Document]) -> list[Document]:
        index, ids = self._core.index, list(self._earlier)
        try:
            passages = [passage_to_screen(document) for document in batch]
            stored = await index.aget(ids) if index is not None and ids else []
            all_passages = self._with_earlier(passages, stored)
            screened = await self._core.ascreen(all_passages, dry_run=self._cleaner.dry_run)
        except Exception as error:
            return self._skip(batch, error)
        self._remember(passages, screened)
        return with_findings(batch, passages, screened)

    def _skip(self, batch: Sequence[Document], error: Exception) -> list[Document]:
        if self._cleaner.on_error == "raise":
            raise error
        warn_cleaning_skipped(len(batch), error, "documents")
        return list(batch)

    def _with_earlier(
        self, passages: Sequence[Passage], stored: Sequence[Passage]
    ) -> list[Passage]:
        """Forget earlier documents that are now stored, and append the rest to the batch."""
        for passage in stored:
            if self._earlier[passage.id].text == passage.text:
                del self._earlier[passage.id]
        new_ids = {passage.id for passage in passages}
        earlier = (passage for passage in self._earlier.values() if passage.id not in new_ids)
        return [*passages, *earlier]

    def _remember(self, passages: Sequence[Passage], screened: ScreeningResult) -> None:
        quarantined = set(screened.quarantined)
        seen = {**self._earlier, **{passage.id: passage for passage in passages}}
        staying = [passage for passage in seen.values() if passage.id not in quarantined]
        recent = staying[max(0, len(staying) - self._window) :]
        self._earlier = {passage.id: passage for passage in recent}


async def _ascreen_batches(
    stream: _Stream, documents: Iterable[Document] | AsyncIterable[Document], batch_size: int
) -> AsyncIterator[Document]:
    async for batch in abatch_iterate(batch_size, _iterate(documents)):
        for screened in await stream.ascreen(batch):
            yield screened


async def _iterate(
    documents: Iterable[Document] | AsyncIterable[Document],
) -> AsyncIterator[Document]:
    if isinstance(documents, AsyncIterable):
        async for document in documents:
            yield document
    else:
        for document in documents:
            yield document
