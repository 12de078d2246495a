"""Documents examined on their way into a store."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from langchain_core.documents import BaseDocumentTransformer, Document
from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PrivateAttr

from langchain_logic_retrievers.documents import screenable
from langchain_logic_retrievers.evidence import judged
from langchain_logic_retrievers.settings import RuleSetting, TrustedSetting
from logic_retrievers import cleaning
from logic_retrievers.answering import check_count
from logic_retrievers.cleaning import Ledger, Screened
from logic_retrievers.cleaning.cleaner import AgainstTrusted
from logic_retrievers.cleaning.kinds import SCOPE_KEYS
from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.encoders import Encoder, RecentEncoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

BATCH = 100
"""As many as ``langchain_core.indexing.index`` stores together."""
WINDOW = 1000


class CorpusCleaner(BaseDocumentTransformer, BaseModel):
    """Finds what contradicts, repeats or replaces what is there already, before it is stored.

    Copies come back, all of them and in their order; metadata and ids stay as they were. What was
    found about a document lies under ``metadata["logic"]["cleaning"]``, and one that a policy
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
        policy: ``annotate`` (both stay), ``prefer_newest``, ``prefer_source``,
            ``prefer_majority``, ``quarantine_all``, a ``rules.ConflictPolicy``, a function of two
            ``Passage``s that gives back the one that stays, or None; or a list of them.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        neighbours: how many topical neighbours each document is compared with.
        threshold: least probability of a contradiction, instead of the core's.
        settings: of the contradiction vector, instead of those that the encoder brings.
        trusted: documents (or passages) that the user vouches for.
        trusted_filter: which documents of the collection, and of the given ones, are trusted too:
            ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``.
        trusted_candidates: how many trusted ones of the collection each one is compared with.
        trusted_top: how many of a trusted document's opponents are held against it by their rank.
        against_trusted: ``quarantine``, or ``annotate``: what contradicts a trusted one stays too.
        date_key: of the date in the metadata.
        source_key: of the source in the metadata.
        source_order: the best source first, for ``prefer_source``.
        scope_keys: of the metadata, that say what a document is true of.
        second_opinion: pairs of texts -> probabilities; see ``contradiction.SecondOpinion``.
        ask_above: least own probability of the pairs that it is asked about.

    Raises:
        ValidationError: pydantic's, a ``ValueError``; it holds the message of the package's own
            ``UnknownPolicyError``, ``ConfigurationError`` or ``InputError``.
        StorageError: the ledger cannot be opened.

    Example:
        >>> cleaner = CorpusCleaner(index=store.index, ledger="ledger.sqlite")  # doctest: +SKIP
        >>> store.add_documents(cleaner.transform_documents(documents))         # doctest: +SKIP
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True
    )

    index: PassageIndex | None = Field(default=None, exclude=True, repr=False)
    ledger: InstanceOf[Ledger] | str | os.PathLike[str] | None = Field(
        default=None, exclude=True, repr=False
    )
    policy: RuleSetting | tuple[RuleSetting, ...] = "annotate"
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    neighbours: int = Field(default=20, strict=True)
    threshold: float | None = None
    settings: ContradictionSettings | None = None
    trusted: tuple[Document | Passage, ...] = Field(default=(), repr=False)
    trusted_filter: TrustedSetting | None = None
    trusted_candidates: int = Field(default=10, strict=True)
    trusted_top: int | None = Field(default=None, strict=True)
    against_trusted: AgainstTrusted = "quarantine"
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    scope_keys: tuple[str, ...] = Field(default=SCOPE_KEYS, repr=False)
    second_opinion: Callable[..., Any] | None = Field(default=None, exclude=True, repr=False)
    ask_above: float | None = None
    _made: _Made | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Makes the core's cleaner, so that a wrong setting is refused now, and its encoder loaded.

        Later it might be an event loop that waits for it.
        """
        super().model_post_init(context)
        self._cleaner()

    def transform_documents(  # type: ignore[override]  # a misspelt setting is refused
        self, documents: Sequence[Document]
    ) -> list[Document]:
        """Copies of the documents, in their order, with what was found about them.

        Args:
            documents: on their way into the collection.

        Raises:
            InputError: metadata that JSON cannot hold, or a policy function that gives back none of
                its two passages.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        passages = [screenable(one) for one in documents]
        return _judged(documents, passages, self._cleaner().screen(passages))

    async def atransform_documents(  # type: ignore[override]
        self, documents: Sequence[Document]
    ) -> list[Document]:
        """:meth:`transform_documents` without blocking the event loop; the same documents."""
        passages = [screenable(one) for one in documents]
        return _judged(documents, passages, await self._cleaner().ascreen(passages))

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
        stream = _Stream(self._over_streams(batch_size, window), batch_size, window)
        return _lazily(stream, documents)

    def alazy_transform_documents(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        *,
        batch_size: int = BATCH,
        window: int = WINDOW,
    ) -> AsyncIterator[Document]:
        """:meth:`lazy_transform_documents` without blocking the event loop, for ``aindex()``."""
        stream = _Stream(self._over_streams(batch_size, window), batch_size, window)
        return _alazily(stream, documents)

    def _cleaner(self) -> cleaning.CorpusCleaner:
        """The core's cleaner with the settings of now; kept, for it may keep a ledger in memory."""
        chosen = {name: getattr(self, name) for name in type(self).model_fields}
        made = self._made
        if made is None or any(made.chosen[name] is not value for name, value in chosen.items()):
            made = _Made(_core_of(chosen), chosen)
            self._made = made
        return made.cleaner

    def _over_streams(self, batch_size: int, window: int) -> cleaning.CorpusCleaner:
        """A cleaner that encodes what it remembers of a stream only once.

        Raises:
            ConfigurationError: a batch size under 1, or a window under 0.
        """
        check_count("batch_size", batch_size)
        if window < 0:
            raise ConfigurationError(f"window must be 0 or more, not {window}")
        core = self._cleaner()
        if self.index is not None or not window:
            return core  # what is stored by then is forgotten, so that hardly any comes twice
        chosen = {name: getattr(self, name) for name in type(self).model_fields}
        recent = RecentEncoder(core.encoder, size=2 * (batch_size + window + len(self.trusted)))
        return _core_of({**chosen, "encoder": recent, "ledger": core.ledger})


class _Made(NamedTuple):
    """The core's cleaner and the settings that it was made of; stays behind in another process."""

    cleaner: cleaning.CorpusCleaner
    chosen: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class _Stream:
    """What is known of a stream: those that were handed on and may not be stored yet.

    Args:
        cleaner: the core's.
        batch_size: how many documents are examined together.
        window: how many passages are remembered.
    """

    def __init__(self, cleaner: cleaning.CorpusCleaner, batch_size: int, window: int) -> None:
        self.cleaner = cleaner
        self.batch_size = batch_size
        self._window = window
        self._before: dict[str, Passage] = {}

    def screen(self, batch: Sequence[Document]) -> list[Document]:
        """The batch with its verdicts."""
        passages = [screenable(one) for one in batch]
        if self.cleaner.index is not None and self._before:
            self._forget(self.cleaner.index.get(list(self._before)))
        screened = self.cleaner.screen(self._asked(passages))
        return self._heard(batch, passages, screened)

    async def ascreen(self, batch: Sequence[Document]) -> list[Document]:
        """The asynchronous twin of :meth:`screen`."""
        passages = [screenable(one) for one in batch]
        if self.cleaner.index is not None and self._before:
            self._forget(await self.cleaner.index.aget(list(self._before)))
        screened = await self.cleaner.ascreen(self._asked(passages))
        return self._heard(batch, passages, screened)

    def _forget(self, stored: Sequence[Passage]) -> None:
        for one in stored:
            if self._before[one.id].text == one.text:
                del self._before[one.id]

    def _asked(self, passages: Sequence[Passage]) -> list[Passage]:
        new = {one.id for one in passages}
        return [*passages, *(one for one in self._before.values() if one.id not in new)]

    def _heard(
        self, batch: Sequence[Document], passages: Sequence[Passage], screened: Screened
    ) -> list[Document]:
        hidden = set(screened.cleaned.quarantined)
        seen = {**self._before, **{one.id: one for one in passages}}
        staying = [one for one in seen.values() if one.id not in hidden]
        self._before = {one.id: one for one in staying[max(0, len(staying) - self._window) :]}
        return _judged(batch, passages, screened)


def _lazily(stream: _Stream, documents: Iterable[Document]) -> Iterator[Document]:
    left = iter(documents)
    while batch := list(islice(left, stream.batch_size)):
        yield from stream.screen(batch)


async def _alazily(
    stream: _Stream, documents: Iterable[Document] | AsyncIterable[Document]
) -> AsyncIterator[Document]:
    batch: list[Document] = []
    async for document in _each(documents):
        batch.append(document)
        if len(batch) == stream.batch_size:
            for one in await stream.ascreen(batch):
                yield one
            batch = []
    if batch:
        for one in await stream.ascreen(batch):
            yield one


async def _each(documents: Iterable[Document] | AsyncIterable[Document]) -> AsyncIterator[Document]:
    if isinstance(documents, AsyncIterable):
        async for document in documents:
            yield document
    else:
        for document in documents:
            yield document


def _core_of(chosen: dict[str, Any]) -> cleaning.CorpusCleaner:
    trusted = [one if isinstance(one, Passage) else screenable(one) for one in chosen["trusted"]]
    return cleaning.CorpusCleaner(**{**chosen, "trusted": trusted})


def _judged(
    documents: Sequence[Document], passages: Sequence[Passage], screened: Screened
) -> list[Document]:
    """Copies of the documents with the verdicts on their passages."""
    hidden = set(screened.cleaned.quarantined)
    about = screened.cleaned.by_passage()
    return [
        judged(document, one.id, about.get(one.id, ()), quarantined=one.id in hidden)
        for document, one in zip(documents, passages, strict=True)
    ]
