"""Contradictions kept out of the documents of any other retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field, PrivateAttr

from langchain_logic_retrievers.documents import candidates, recognised, vouched
from langchain_logic_retrievers.events import FILTERING, asend, of_filtered, send
from langchain_logic_retrievers.evidence import noted
from langchain_logic_retrievers.settings import Count, RuleSetting, TrustedSetting
from logic_retrievers.contradiction import ContradictionSettings, Filtered, filtering
from logic_retrievers.contradiction.verdicts import AgainstTrusted
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage


class ContradictionFilter(BaseDocumentCompressor):
    """Finds the documents of a list that contradict each other, or trusted ones, and decides.

    For ``ContextualCompressionRetriever``. The documents may come from anywhere, and keep their
    order; give it more than the context shall hold, and ``top_n``: what is dropped is replaced by
    the next in the list. Copies of those that stay come back, with the filter's evidence under
    ``metadata["logic"]["contradiction"]``; all other metadata stays as it was. Documents of one id
    count once. What was dropped, and why: :meth:`filtered`, or the custom event
    ``logic_retrievers.filtering`` of the run.

    The rules: :class:`logic_retrievers.ContradictionFilter`.

    Args:
        policy: ``annotate`` (both stay, and tell of each other), ``prefer_newest``,
            ``prefer_source``, ``prefer_majority``, ``drop_both``; a ``rules.ConflictPolicy``; or a
            function of two ``Passage``s that gives back the one that stays, or None.
        top_n: how many documents; all that can stay where None.
        threshold: least probability of a conflict, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        trusted: documents (or passages) that the user vouches for. A given document is one of them
            where it has the id and the text of one; where either has no id, the text tells.
        trusted_filter: which of the given documents, and of the index's, are trusted:
            ``{"key": wanted}`` over the metadata, a Qdrant ``Filter``, or a function of a
            ``Passage``, which can only pick from those given.
        trusted_candidates: how many trusted passages of the index are looked at for each document.
        against_trusted: ``drop``, or ``annotate``: what contradicts a trusted one stays too.
        date_key: of the date in the metadata, for ``prefer_newest``.
        source_key: of the source in the metadata, for ``prefer_source`` and ``prefer_majority``.
        source_order: the best source first, for ``prefer_source``.
        second_opinion: pairs of texts -> probabilities; see ``contradiction.SecondOpinion``.
        ask_above: least own probability of the pairs that it is asked about.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        index: a collection: its stored vectors are taken, and with a ``trusted_filter`` its trusted
            passages judge too.

    Raises:
        ValidationError: pydantic's, a ``ValueError``; it holds the message of the package's own
            ``UnknownPolicyError``, ``ConfigurationError`` or ``InputError``.

    Example:
        >>> contradictions = ContradictionFilter(policy="prefer_newest", top_n=5)  # doctest: +SKIP
        >>> contradictions.compress_documents(documents, query)                    # doctest: +SKIP
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True
    )

    policy: RuleSetting = "annotate"
    top_n: Count | None = None
    threshold: float | None = None
    settings: ContradictionSettings | None = None
    trusted: tuple[Document | Passage, ...] = Field(default=(), repr=False)
    trusted_filter: TrustedSetting | None = None
    trusted_candidates: int = Field(default=10, strict=True)
    against_trusted: AgainstTrusted = "drop"
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    second_opinion: Callable[..., Any] | None = Field(default=None, exclude=True, repr=False)
    ask_above: float | None = None
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    index: PassageIndex | None = Field(default=None, exclude=True, repr=False)
    _made: _Made | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Makes the core's filter, so that a wrong setting is refused now, and its encoder loaded.

        Later it might be an event loop that waits for it.
        """
        super().model_post_init(context)
        self._filter()

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """The documents that stay, in their order; see :meth:`filtered`."""
        given, core = candidates(documents), self._filter()
        result = core.filter(**self._asked(given, query))
        send(FILTERING, partial(of_filtered, core.policy.name, result), callbacks)
        return [noted(given[hit.passage.id][1], hit) for hit in result.hits]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """:meth:`compress_documents` without blocking the event loop; the same documents."""
        given, core = candidates(documents), self._filter()
        result = await core.afilter(**self._asked(given, query))
        await asend(FILTERING, partial(of_filtered, core.policy.name, result), callbacks)
        return [noted(given[hit.passage.id][1], hit) for hit in result.hits]

    def filtered(
        self,
        documents: Sequence[Document],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> Filtered:
        """What stays, what was dropped and why, every conflict, and what else is to be said.

        Args:
            documents: the best first. A document without id goes by ``#`` and its position.
            query: what they were found for; not needed.
            top_n: instead of the filter's own.
            trusted: further trusted documents, for this call.

        Raises:
            InputError: a policy function that gives back none of its two passages.
            ConfigurationError: top_n is under 1.
            MissingVectorError: trusted passages are to be searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        return self._filter().filter(**self._asked(candidates(documents), query, top_n, trusted))

    async def afiltered(
        self,
        documents: Sequence[Document],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> Filtered:
        """:meth:`filtered` without blocking the event loop; the same result."""
        asked = self._asked(candidates(documents), query, top_n, trusted)
        return await self._filter().afilter(**asked)

    def _asked(
        self,
        given: dict[str, tuple[Passage, Document]],
        query: str | None,
        top_n: int | None = None,
        trusted: Sequence[Document | Passage] = (),
    ) -> dict[str, Any]:
        """What the core's filter is asked."""
        return {
            "passages": [passage for passage, _ in given.values()],
            "k": self.top_n if top_n is None else top_n,
            "query": query,
            "trusted": [
                *vouched(trusted, len(self.trusted)),
                *recognised(given, (*self.trusted, *trusted)),
            ],
        }

    def _filter(self) -> filtering.ContradictionFilter:
        """The core's filter with the settings of now; kept, for it keeps the trusted vectors."""
        passages = vouched(self.trusted)
        chosen = {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name not in {"top_n", "trusted"}
        }
        made = self._made
        if (
            made is None
            or made.trusted != passages
            or any(made.chosen[name] is not value for name, value in chosen.items())
        ):
            made = _Made(
                filtering.ContradictionFilter(trusted=passages, **chosen), passages, chosen
            )
            self._made = made
        return made.filter


class _Made(NamedTuple):
    """The core's filter and the settings that it was made of; stays behind in another process."""

    filter: filtering.ContradictionFilter
    trusted: list[Passage]
    chosen: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()
