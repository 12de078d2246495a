"""Documents examined on their way into a store."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.utils.aiter import abatch_iterate
from langchain_core.utils.iter import batch_iterate
from pydantic import Field, PrivateAttr

from langchain_logic_retrievers.documents import (
    passage_to_screen,
    trusted_to_screen,
    with_findings,
)
from langchain_logic_retrievers.settings import STRICT, TrustedFilterSetting
from logic_retrievers import cleaning
from logic_retrievers.adapters.built import Built, build
from logic_retrievers.adapters.settings import (
    CleanerFields,
    OnError,
    warn_cleaning_skipped,
)
from logic_retrievers.cleaning import ScreeningResult
from logic_retrievers.encoders import RecentEncoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.settings import check_count
from logic_retrievers.types import Passage

BATCH = 100
"""As many as ``langchain_core.indexing.index`` stores together."""
WINDOW = 1000


class CorpusCleaner(CleanerFields, BaseDocumentTransformer):
    """Finds what contradicts, repeats or replaces what is there already, before it is stored.

    Copies come back, all of them and in their order; metadata and ids stay as they were. Findings
    about a document lie under ``metadata["logic"]["cleaning"]``, and one that the resolution
    decides against has ``metadata["logic"]["quarantined"]``: :class:`LogicVectorStore` and
    langchain-qdrant's store then store it hidden. Stored ones that lose are hidden at once. A
    document without id goes by its :func:`document_key`.

    Nothing is ever deleted or left out; and by default nothing is hidden but what contradicts a
    document that the user trusts. The rules: :class:`logic_retrievers.cleaning.CorpusCleaner`,
    which also cleans what is stored.

    Args:
        index: the collection that the documents are going to. Without one those of a call are
            compared with each other.
        ledger: a ``Ledger``, or the path of its file; by default kept in memory alone.
        trusted: documents (or passages) that the user vouches for.
        trusted_filter: which documents of the collection, and of the given ones, are trusted too:
            ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        on_error: where the model, the ledger or Qdrant fails, ``raise`` its error, or ``skip``:
            the documents go on as they came, and a ``CleaningSkippedWarning`` says why. By default
            an error is raised: LangChain's ``index`` deletes old documents after this step.
        dry_run: say what would be decided, and hide nothing: no document gets a flag, and neither
            the collection nor the ledger is written to.

    The other settings (``resolution``, ``neighbours``, ``threshold``, ``judge``, ...) are those of
    :class:`logic_retrievers.cleaning.settings.CleaningSettings`; ``judge`` is None by default, and
    ``auto`` has the cross-encoder that comes with the package read the pairs.

    Raises:
        ValidationError: pydantic's, a ``ValueError``; it holds the message of the package's own
            ``UnknownResolutionError``, ``ConfigurationError`` or ``InputError``.
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
    _built: Built[cleaning.CorpusCleaner] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Makes the core's cleaner, so that a wrong setting is refused now, and its encoder loaded.

        Later it might be an event loop that waits for it.
        """
        super().model_post_init(context)
        self._cleaner()

    def transform_documents(  # type: ignore[override]  # a misspelt setting is refused
        self, documents: Sequence[Document]
    ) -> list[Document]:
        """Copies of the documents, in their order, with the findings about them.

        Args:
            documents: on their way into the collection.

        Raises:
            InputError: metadata that JSON cannot hold, or a resolution function that returns
                neither of its two passages.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        return self._stream(self._cleaner()).screen(documents)

    async def atransform_documents(  # type: ignore[override]
        self, documents: Sequence[Document]
    ) -> list[Document]:
        """:meth:`transform_documents` without blocking the event loop; the same documents."""
        return await self._stream(self._cleaner()).ascreen(documents)

    def lazy_transform_documents(
        self, documents: Iterable[Document], *, batch_size: int = BATCH, window: int = WINDOW
    ) -> Iterator[Document]:
        """:meth:`transform_documents` over a stream, for ``index()``: a batch at a time.

        Each batch is compared with the collection, and with those of this stream that came before
        and are not in it yet: the last ``window`` of those that stay. So many are in memory, and no
        more. One that has been handed on and loses against a later one cannot be marked any more;
        with an index and a ledger the next cleaning hides it once it is stored.

        Args:
            documents: read as they are needed.
            batch_size: how many are examined together.
            window: how many of those before are remembered; 0: none.

        Raises:
            ConfigurationError: a batch size under 1, or a window under 0.
            InputError, StorageError, CollectionError, ServerError: as
                :meth:`transform_documents`, for the batch that is due.
        """
        stream = self._stream(self._stream_cleaner(batch_size, window), window)
        return _screen_batches(stream, documents, batch_size)

    def alazy_transform_documents(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        *,
        batch_size: int = BATCH,
        window: int = WINDOW,
    ) -> AsyncIterator[Document]:
        """:meth:`lazy_transform_documents` without blocking the event loop, for ``aindex()``."""
        stream = self._stream(self._stream_cleaner(batch_size, window), window)
        return _ascreen_batches(stream, documents, batch_size)

    def _core_settings(self) -> dict[str, Any]:
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        del settings["on_error"], settings["dry_run"]
        settings["trusted"] = trusted_to_screen(self.trusted)
        return settings

    def _stream(self, cleaner: cleaning.CorpusCleaner, window: int = 0) -> _Stream:
        return _Stream(cleaner, self.on_error, self.dry_run, window)

    def _cleaner(self) -> cleaning.CorpusCleaner:
        """The core's cleaner with the present settings; kept, for its ledger may be in memory."""
        self._built = build(self._built, self._core_settings(), cleaning.CorpusCleaner)
        return self._built.core

    def _stream_cleaner(self, batch_size: int, window: int) -> cleaning.CorpusCleaner:
        """A cleaner that encodes only once what it remembers of a stream.

        Raises:
            ConfigurationError: a batch size under 1, or a window under 0.
        """
        check_count("batch_size", batch_size)
        if window < 0:
            raise ConfigurationError(f"window must be 0 or more, not {window}")
        core = self._cleaner()
        if self.index is not None or not window:
            return core  # what is stored by then is forgotten, so that hardly any comes twice
        recent = RecentEncoder(core.encoder, size=2 * (batch_size + window + len(self.trusted)))
        settings = {**self._core_settings(), "encoder": recent, "ledger": core.ledger}
        return cleaning.CorpusCleaner(**settings)


class _Stream:
    """Batches of documents, and those before them that may not be stored yet.

    Args:
        cleaner: the core's.
        on_error, dry_run: as in :class:`CorpusCleaner`.
        window: how many passages of earlier batches are remembered.
    """

    def __init__(
        self, cleaner: cleaning.CorpusCleaner, on_error: OnError, dry_run: bool, window: int
    ) -> None:
        self._cleaner = cleaner
        self._on_error = on_error
        self._dry_run = dry_run
        self._window = window
        self._earlier: dict[str, Passage] = {}

    def screen(self, batch: Sequence[Document]) -> list[Document]:
        """The batch with the findings about it."""
        try:
            passages = [passage_to_screen(document) for document in batch]
            if self._cleaner.index is not None and self._earlier:
                self._forget_stored(self._cleaner.index.get(list(self._earlier)))
            all_passages = self._with_earlier(passages)
            screened = self._cleaner.screen(all_passages, dry_run=self._dry_run)
        except Exception as error:
            return self._skip(batch, error)
        self._remember(passages, screened)
        return with_findings(batch, passages, screened)

    async def ascreen(self, batch: Sequence[Document]) -> list[Document]:
        """The asynchronous twin of :meth:`screen`."""
        try:
            passages = [passage_to_screen(document) for document in batch]
            if self._cleaner.index is not None and self._earlier:
                self._forget_stored(await self._cleaner.index.aget(list(self._earlier)))
            all_passages = self._with_earlier(passages)
            screened = await self._cleaner.ascreen(all_passages, dry_run=self._dry_run)
        except Exception as error:
            return self._skip(batch, error)
        self._remember(passages, screened)
        return with_findings(batch, passages, screened)

    def _skip(self, batch: Sequence[Document], error: Exception) -> list[Document]:
        if self._on_error == "raise":
            raise error
        warn_cleaning_skipped(len(batch), error, "documents")
        return list(batch)

    def _forget_stored(self, stored: Sequence[Passage]) -> None:
        for passage in stored:
            if self._earlier[passage.id].text == passage.text:
                del self._earlier[passage.id]

    def _with_earlier(self, passages: Sequence[Passage]) -> list[Passage]:
        new_ids = {passage.id for passage in passages}
        earlier = (passage for passage in self._earlier.values() if passage.id not in new_ids)
        return [*passages, *earlier]

    def _remember(self, passages: Sequence[Passage], screened: ScreeningResult) -> None:
        quarantined = set(screened.quarantined)
        seen = {**self._earlier, **{passage.id: passage for passage in passages}}
        staying = [passage for passage in seen.values() if passage.id not in quarantined]
        recent = staying[max(0, len(staying) - self._window) :]
        self._earlier = {passage.id: passage for passage in recent}


def _screen_batches(
    stream: _Stream, documents: Iterable[Document], batch_size: int
) -> Iterator[Document]:
    for batch in batch_iterate(batch_size, documents):
        yield from stream.screen(batch)


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
