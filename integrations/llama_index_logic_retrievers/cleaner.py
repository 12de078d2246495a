"""Nodes examined on their way into a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Self, Unpack, get_args

from llama_index.core.schema import BaseNode, TransformComponent
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field

from llama_index_logic_retrievers import pickling
from llama_index_logic_retrievers.evidence import with_findings
from llama_index_logic_retrievers.filters import (
    AnyFilter,
    describe_filter,
    filter_from,
    to_trusted_filter,
)
from llama_index_logic_retrievers.nodes import AnyNode, passage_of, trusted_passages
from llama_index_logic_retrievers.settings import (
    check_fingerprints,
    fingerprints_of,
    refuse_unknown,
)
from logic_retrievers import cleaning
from logic_retrievers.adapters.descriptions import (
    SETTINGS_FROM,
    describe_passages,
    restore_settings,
)
from logic_retrievers.adapters.settings import CleanerFields, OnError, warn_cleaning_skipped
from logic_retrievers.cleaning import Ledger
from logic_retrievers.cleaning.settings import CommonCleaningOptions
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage


class CorpusCleaner(CleanerFields, TransformComponent):
    """Finds what contradicts, repeats or replaces what is there already, before it is stored.

        IngestionPipeline(
            transformations=[splitter, CorpusCleaner(store.index), store.embed_model],
            vector_store=store,
        )

    All nodes come back in their order, with their ids and hashes. One with findings is a copy that
    has them under ``metadata["logic"]["cleaning"]``, which no embedding model and no LLM reads; one
    that the resolution decides against has ``metadata["logic"]["quarantined"]``, and
    :class:`LogicVectorStore` and LlamaIndex's ``QdrantVectorStore`` then store it hidden. Stored
    nodes that lose are hidden at once.

    Nothing is ever deleted or left out; and by default nothing is hidden but what contradicts a
    node that the user trusts. The rules: :class:`logic_retrievers.cleaning.CorpusCleaner`, which
    also cleans what is stored.

    Args:
        index: the collection that the nodes are going to (``store.index``). Without one, and
            without a location, the nodes of a call are compared with each other.
        ledger: a ``Ledger``, or the path of its file; by default kept in memory alone.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        trusted: nodes (or passages) that the user vouches for; kept as passages.
        trusted_filter: which nodes of the collection, and of the given ones, are trusted too:
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``.
        on_error: where the model, the ledger or Qdrant fails, ``skip``: the nodes go on as they
            came, and a ``CleaningSkippedWarning`` says why; or ``raise`` the error. By default
            cleaning is skipped: a pipeline has deleted the old nodes of a changed document when its
            transformations run. A later cleaning of the collection examines what was skipped.
        location: of the collection, to be opened at the first call: in place of an index, or in
            the worker processes of one. A server's URL; an embedded folder can be opened by one
            process alone. The index's own where None.
        collection: its name; the index's where there is one.
        tenant: whose nodes; the index's where there is one.
        opening: further settings of ``PassageIndex.open`` for it.
        api_key: for its server; it stands in no description of the cleaner.
        skipped: how often cleaning was skipped. It counts by itself, so that a pipeline's cache
            forgets the nodes that went on unjudged.
        **settings: ``resolution``, ``neighbours``, ``threshold``, ``settings``,
            ``trusted_candidates``, ``against_trusted``, ``date_key``, ``source_key`` (a node
            without it is known by its ``ref_doc_id``), ``source_order``, ``scope_keys``,
            ``judge``, ``judge_above``: as in
            :class:`logic_retrievers.cleaning.settings.CleaningSettings`.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting that does not exist or cannot work, or an encoder without the
            vectors.
        InputError: a trusted node that is none, or a filter that cannot be read.
    """

    trusted: Annotated[tuple[Passage, ...], PlainSerializer(describe_passages)] = Field(
        default=(), repr=False
    )
    trusted_filter: Annotated[Any, PlainSerializer(describe_filter)] = None
    on_error: OnError = "skip"
    location: Annotated[str | None, PlainSerializer(pickling.without_credentials)] = Field(
        default=None, repr=False
    )
    collection: str | None = None
    tenant: str | None = None
    opening: Mapping[str, Any] = Field(default_factory=dict)
    api_key: str | None = Field(default=None, exclude=True, repr=False)
    skipped: int = 0
    _core: cleaning.CorpusCleaner | None = PrivateAttr(default=None)
    _opened: PassageIndex | None = PrivateAttr(default=None)
    _problem: str = PrivateAttr(default="")

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        encoder: Encoder | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        on_error: OnError = "skip",
        location: str | os.PathLike[str] | None = None,
        collection: str | None = None,
        tenant: str | None = None,
        opening: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        skipped: int = 0,
        **settings: Unpack[CommonCleaningOptions],
    ) -> None:
        refuse_unknown("CorpusCleaner", settings, {*type(self).model_fields, "class_name"})
        _check_on_error(on_error)
        core_settings: dict[str, Any] = {
            "index": index,
            "encoder": encoder,
            "trusted": trusted_passages(trusted),
            "trusted_filter": trusted_filter,
            **settings,
        }
        core_settings.pop("class_name", None)
        _core_cleaner(core_settings)  # refuses what cannot work
        own_settings: dict[str, Any] = {
            **pickling.check_place(index, location, collection, tenant, opening),
            "ledger": pickling.check_ledger(ledger),
            "on_error": on_error,
            "api_key": api_key,
            "skipped": skipped,
        }
        super().__init__(**core_settings, **own_settings)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses a value that cannot work, and goes on with one that can."""
        if name in _FIXED:
            raise ConfigurationError(f"{name} cannot be changed: make another cleaner.")
        if name == "trusted":
            value = trusted_passages(value)
        if name == "ledger":
            value = pickling.check_ledger(value)
        if name == "on_error":
            _check_on_error(value)
        if name in _CORE_SETTINGS:
            _core_cleaner({**self._core_settings(), name: value})
        super().__setattr__(name, value)
        if name in _CORE_SETTINGS | {"ledger"}:
            self._core = None

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "CorpusCleaner"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Which encoder judges: vector name -> fingerprint of its document side."""
        return {} if self._problem else fingerprints_of(self._encoder())

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def ledger_path(self) -> str | None:
        """Where the ledger is; None where it is kept in memory alone."""
        return pickling.ledger_path(self.ledger)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """A cleaner from its settings, and from what settings cannot hold.

        Raises:
            ConfigurationError: the cleaner had a function, another encoder or a collection without
                a location, and ``kwargs`` has none.
        """
        data = restore_settings(data, {**SETTINGS_FROM, "trusted_filter": filter_from}, kwargs)
        fingerprints, ledger = data.pop("fingerprints", None), data.pop("ledger_path", None)
        if "index" in kwargs:
            data["location"] = None
        made = super().from_dict({"ledger": ledger, **data}, **kwargs)
        check_fingerprints(fingerprints, made.fingerprints, "cleaner")
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process, which opens the collection itself, or says why it cannot."""
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        del settings["index"]
        settings |= {"encoder": self._encoder(), "ledger": self.ledger_path}
        problem = self._problem or pickling.why_unreachable(self.index, self.location)
        return pickling.reduce_part(type(self), settings, problem)

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """The nodes, in their order, with the findings about them.

        Args:
            nodes: on their way into the collection.
            **_: what a pipeline passes to all its transformations; not used.
        """
        if not nodes:
            return nodes
        try:
            passages = [passage_of(node) for node in nodes]
            return with_findings(nodes, self._cleaner().screen(passages))
        except Exception as error:
            return self._skip(nodes, error)

    async def acall(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """:meth:`__call__` without blocking the event loop; the same nodes."""
        if not nodes:
            return nodes
        try:
            passages = [passage_of(node) for node in nodes]
            core = await encoder_threads.submit(self._cleaner)
            return with_findings(nodes, await core.ascreen(passages))
        except Exception as error:
            return self._skip(nodes, error)

    def close(self) -> None:
        """Closes the connection that was opened by ``location``; the next call opens another."""
        self._core = None
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _core_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _CORE_SETTINGS}

    def _cleaner(self) -> cleaning.CorpusCleaner:
        """The core's cleaner over the collection, once there is one."""
        if self._problem:
            raise ConfigurationError(self._problem)
        index = self._open() if self.index is None else self.index
        if self._core is None or self._core.index is not index:
            settings = {**self._core_settings(), "index": index, "ledger": self.ledger}
            if index is not None:
                settings["encoder"] = None
            self._core = _core_cleaner(settings)
        return self._core

    def _open(self) -> PassageIndex | None:
        if self._opened is None and self.location is not None:
            self._opened = pickling.open_existing(
                self.collection or "passages",
                self._encoder(),
                self.location,
                {**self.opening, "tenant": self.tenant},
                self.api_key,
            )
        return self._opened

    def _encoder(self) -> Encoder:
        encoder = self.encoder if self.index is None else self.index.encoder
        return default_encoder() if encoder is None else encoder

    def _skip(self, nodes: Sequence[BaseNode], error: Exception) -> Sequence[BaseNode]:
        if self.on_error == "raise":
            raise error
        self.skipped += 1
        warn_cleaning_skipped(len(nodes), error, "nodes")
        return nodes


_FIXED = frozenset({"index", "encoder", "location", "collection", "tenant", "opening", "api_key"})
_CORE_SETTINGS = frozenset(CorpusCleaner.model_fields) - {
    *("ledger", "on_error", "location", "collection", "tenant", "opening", "api_key", "skipped"),
}


def _check_on_error(value: Any) -> None:
    if value not in get_args(OnError):
        raise ConfigurationError(f"on_error must be 'raise' or 'skip', not {value!r}")


def _core_cleaner(settings: Mapping[str, Any]) -> cleaning.CorpusCleaner:
    trusted_filter = to_trusted_filter(settings["trusted_filter"], settings["index"])
    return cleaning.CorpusCleaner(**{**settings, "trusted_filter": trusted_filter})
