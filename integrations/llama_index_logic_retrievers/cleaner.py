"""Nodes examined on their way into a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Self

from llama_index.core.schema import BaseNode, NodeWithScore, TransformComponent
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field

from llama_index_logic_retrievers import descriptions, travelling
from llama_index_logic_retrievers.filters import AnyFilter
from llama_index_logic_retrievers.nodes import claim_of, vouched
from llama_index_logic_retrievers.screening import core_of, judged_nodes
from llama_index_logic_retrievers.settings import refuse_unknown
from logic_retrievers import cleaning
from logic_retrievers.cleaning import Ledger
from logic_retrievers.cleaning.cleaner import AgainstTrusted
from logic_retrievers.cleaning.kinds import SCOPE_KEYS
from logic_retrievers.contradiction import ContradictionSettings, SecondOpinion
from logic_retrievers.contradiction.rules import AnyRule
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    LogicRetrieversError,
    warn,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.procedures import encoding
from logic_retrievers.types import Passage


class CorpusCleaner(TransformComponent):
    """Finds what contradicts, repeats or replaces what is there already, before it is stored.

        IngestionPipeline(
            transformations=[splitter, CorpusCleaner(store.index), store.embed_model],
            vector_store=store,
        )

    All nodes come back in their order, with their ids and hashes. One that something was found
    about is a copy with the findings under ``metadata["logic"]["cleaning"]``, which no embedding
    model and no LLM reads; one that a policy decides against has
    ``metadata["logic"]["quarantined"]``, and :class:`LogicVectorStore` and LlamaIndex's
    ``QdrantVectorStore`` then store it hidden. Stored nodes that lose are hidden at once.

    Nothing is ever deleted or left out; and by default nothing is hidden but what contradicts a
    node that the user trusts. The rules: :class:`logic_retrievers.cleaning.CorpusCleaner`, which
    also cleans what is stored.

    A pipeline has deleted the old nodes of a changed document when its transformations run. So
    where the model, the ledger or Qdrant fails, no error is raised: the nodes go on as they came,
    and a ``CleaningSkippedWarning`` says why. A later cleaning of the collection examines them.

    Args:
        index: the collection that the nodes are going to (``store.index``). Without one, and
            without a location, the nodes of a call are compared with each other.
        ledger: a ``Ledger``, or the path of its file; by default kept in memory alone.
        policy: ``annotate`` (both stay), ``prefer_newest``, ``prefer_source``,
            ``prefer_majority``, ``quarantine_all``, a ``rules.ConflictPolicy``, a function of two
            ``Passage``s that gives back the one that stays, or None; or a list of them.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        neighbours: how many topical neighbours each node is compared with.
        threshold: least probability of a contradiction, instead of the core's.
        settings: of the contradiction vector, instead of those that the encoder brings.
        trusted: nodes (or passages) that the user vouches for; kept as passages.
        trusted_filter: which nodes of the collection, and of the given ones, are trusted too:
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``.
        trusted_candidates: how many trusted ones of the collection each one is compared with.
        trusted_top: how many of a trusted node's opponents are held against it by their rank.
        against_trusted: ``quarantine``, or ``annotate``: what contradicts a trusted one stays too.
        date_key: of the date in the metadata.
        source_key: of the source in the metadata; a node without it is known by its document
            (``ref_doc_id``).
        source_order: the best source first, for ``prefer_source``.
        scope_keys: of the metadata, that say what a node is true of.
        second_opinion: pairs of texts -> probabilities; see ``contradiction.SecondOpinion``.
        ask_above: least own probability of the pairs that it is asked about.
        location: of the collection, to be opened at the first call: in place of an index, or in
            the worker processes of one. A server's URL; an embedded folder can be opened by one
            process alone. The index's own where None.
        collection: its name; the index's where there is one.
        tenant: whose nodes; the index's where there is one.
        opening: further settings of ``PassageIndex.open`` for it.
        api_key: for its server; it stands in no description of the cleaner.
        skipped: how often cleaning was skipped. It counts by itself, so that a pipeline's cache
            forgets the nodes that went on unjudged.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: a setting that there is not or that cannot work, or an encoder without
            the vectors.
        InputError: a trusted node that is none, or a filter that cannot be read.
    """

    index: Any = Field(default=None, exclude=True, repr=False)
    ledger: Any = Field(default=None, exclude=True, repr=False)
    policy: Annotated[Any, PlainSerializer(descriptions.described_policy)] = "annotate"
    encoder: Any = Field(default=None, exclude=True, repr=False)
    neighbours: int = 20
    threshold: float | None = None
    settings: Annotated[Any, PlainSerializer(descriptions.described_settings)] = None
    trusted: Annotated[Any, PlainSerializer(descriptions.described_passages)] = Field(
        default=(), repr=False
    )
    trusted_filter: Annotated[Any, PlainSerializer(descriptions.described_filter)] = None
    trusted_candidates: int = 10
    trusted_top: int | None = None
    against_trusted: str = "quarantine"
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    scope_keys: tuple[str, ...] = Field(default=SCOPE_KEYS, repr=False)
    second_opinion: Annotated[Any, PlainSerializer(descriptions.described_opinion)] = Field(
        default=None, repr=False
    )
    ask_above: float | None = None
    location: Annotated[str | None, PlainSerializer(travelling.without_credentials)] = Field(
        default=None, repr=False
    )
    collection: str | None = None
    tenant: str | None = None
    opening: Mapping[str, Any] = Field(default_factory=dict)
    api_key: str | None = Field(default=None, exclude=True, repr=False)
    skipped: int = 0
    _made: cleaning.CorpusCleaner | None = PrivateAttr(default=None)
    _opened: PassageIndex | None = PrivateAttr(default=None)
    _lost: str = PrivateAttr(default="")

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        policy: AnyRule | Sequence[AnyRule] = "annotate",
        encoder: Encoder | None = None,
        neighbours: int = 20,
        threshold: float | None = None,
        settings: ContradictionSettings | None = None,
        trusted: Sequence[NodeWithScore | BaseNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        trusted_candidates: int = 10,
        trusted_top: int | None = None,
        against_trusted: AgainstTrusted = "quarantine",
        date_key: str = "date",
        source_key: str = "source",
        source_order: Sequence[str] = (),
        scope_keys: Sequence[str] = SCOPE_KEYS,
        second_opinion: SecondOpinion | None = None,
        ask_above: float | None = None,
        location: str | os.PathLike[str] | None = None,
        collection: str | None = None,
        tenant: str | None = None,
        opening: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        skipped: int = 0,
        **others: Any,
    ) -> None:
        refuse_unknown("CorpusCleaner", others, {"class_name"})
        chosen: dict[str, Any] = {
            "index": index,
            "policy": policy,
            "encoder": encoder,
            "neighbours": neighbours,
            "threshold": threshold,
            "settings": settings,
            "trusted": vouched(trusted),
            "trusted_filter": trusted_filter,
            "trusted_candidates": trusted_candidates,
            "trusted_top": trusted_top,
            "against_trusted": against_trusted,
            "date_key": date_key,
            "source_key": source_key,
            "source_order": source_order,
            "scope_keys": scope_keys,
            "second_opinion": second_opinion,
            "ask_above": ask_above,
        }
        core_of(chosen)  # refuses what cannot work
        chosen |= travelling.checked_place(index, location, collection, tenant, opening)
        chosen |= {"ledger": travelling.checked_ledger(ledger), "api_key": api_key}
        super().__init__(**chosen | {"skipped": skipped})

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses a value that cannot work, and goes on with one that can."""
        if name in _FIXED:
            raise ConfigurationError(f"{name} cannot be changed: make another cleaner.")
        if name == "trusted":
            value = vouched(value)
        if name == "ledger":
            value = travelling.checked_ledger(value)
        if name in _OF_THE_CORE:
            core_of({one: getattr(self, one) for one in _OF_THE_CORE} | {name: value})
        super().__setattr__(name, value)
        if name in _OF_THE_CORE | {"ledger"}:
            self._made = None

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "CorpusCleaner"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Which encoder judges: vector name -> fingerprint of its documents' side."""
        specs = {} if self._lost else self._encoder().specs
        return {name: spec.fingerprint for name, spec in specs.items()}

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def ledger_path(self) -> str | None:
        """Where the ledger is; None where it is kept in memory alone."""
        return travelling.path_of(self.ledger)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """A cleaner from its settings, and from what settings cannot hold.

        Raises:
            ConfigurationError: the cleaner had a function, another encoder or a collection without
                a location, and ``kwargs`` has none.
        """
        data = dict(data)
        fingerprints, ledger = data.pop("fingerprints", None), data.pop("ledger_path", None)
        described = {**descriptions.OBJECTS, "policy": descriptions.policy_of}
        for name, made in described.items():
            if name in data and name not in kwargs:
                data[name] = made(data[name])
        if "index" in kwargs:
            data["location"] = None
        found = super().from_dict({"ledger": ledger, **data}, **kwargs)
        if fingerprints not in (None, found.fingerprints):
            raise ConfigurationError(
                "These are the settings of a cleaner with another encoder. Pass encoder= or index="
                " with the encoder that it had."
            )
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process, which opens the collection itself, or says why it cannot."""
        chosen = {name: getattr(self, name) for name in type(self).model_fields if name != "index"}
        chosen |= {"encoder": self._encoder(), "ledger": self.ledger_path}
        lost = self._lost or travelling.unreachable(self.index, self.location)
        return travelling.packed(type(self), chosen, lost)

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """The nodes, in their order, with what was found about them.

        Args:
            nodes: on their way into the collection.
            **_: what a pipeline tells all its transformations; of no use here.
        """
        if not nodes:
            return nodes
        try:
            given = [claim_of(node) for node in nodes]
            return judged_nodes(nodes, self._cleaner().screen(given))
        except Exception as error:
            return self._passed_on(nodes, error)

    async def acall(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """:meth:`__call__` without blocking the event loop; the same nodes."""
        if not nodes:
            return nodes
        try:
            given = [claim_of(node) for node in nodes]
            core = await encoding.submit(self._cleaner)
            return judged_nodes(nodes, await core.ascreen(given))
        except Exception as error:
            return self._passed_on(nodes, error)

    def close(self) -> None:
        """Closes the connection that was opened by ``location``; the next call opens another."""
        self._made = None
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _cleaner(self) -> cleaning.CorpusCleaner:
        """The core's cleaner over the collection, as far as there is one by now."""
        if self._lost:
            raise ConfigurationError(self._lost)
        index = self._open() if self.index is None else self.index
        if self._made is None or self._made.index is not index:
            chosen = {name: getattr(self, name) for name in _OF_THE_CORE}
            chosen |= {"index": index, "ledger": self.ledger}
            self._made = core_of(chosen if index is None else chosen | {"encoder": None})
        return self._made

    def _open(self) -> PassageIndex | None:
        if self._opened is None and self.location is not None:
            self._opened = travelling.opened(
                self.collection or "passages",
                self._encoder(),
                self.location,
                {**self.opening, "tenant": self.tenant},
                self.api_key,
            )
        return self._opened

    def _encoder(self) -> Encoder:
        encoder: Encoder | None = self.encoder if self.index is None else self.index.encoder
        return default_encoder() if encoder is None else encoder

    def _passed_on(self, nodes: Sequence[BaseNode], error: Exception) -> Sequence[BaseNode]:
        # what others raise may hold a key or a text, so that it is not repeated
        ours = isinstance(error, LogicRetrieversError)
        told = f"{type(error).__name__}: {error}" if ours else f"it raised {type(error).__name__}"
        self.skipped += 1
        warn(
            CleaningSkippedWarning,
            f"cleaning was skipped, and {len(nodes)} nodes go on unjudged ({told}). Clean the"
            " collection when this is mended: logic_retrievers.cleaning.CorpusCleaner.clean()",
        )
        return nodes


_FIXED = frozenset({"index", "encoder", "location", "collection", "tenant", "opening", "api_key"})
_OF_THE_CORE = frozenset(CorpusCleaner.model_fields) - {
    *("ledger", "location", "collection", "tenant", "opening", "api_key", "skipped"),
}
