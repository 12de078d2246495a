"""Nodes examined on their way into a store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Self, Unpack, get_args

from llama_index.core.schema import BaseNode, TransformComponent
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field

from llama_index_logic_retrievers.evidence import with_findings
from llama_index_logic_retrievers.filters import AnyFilter, describe_filter
from llama_index_logic_retrievers.nodes import AnyNode, passage_of, trusted_passages
from llama_index_logic_retrievers.settings import core_settings, refuse_unknown
from logic_retrievers import cleaning
from logic_retrievers.adapters.built import Built, build
from logic_retrievers.adapters.descriptions import describe_passages
from logic_retrievers.adapters.settings import CleanerFields, OnError, warn_cleaning_skipped
from logic_retrievers.cleaning import Ledger
from logic_retrievers.cleaning.settings import CommonCleaningOptions
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.settings import check_choice, check_type
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts

_OWN_SETTINGS = ("on_error", "dry_run", "skipped")
_ADDRESS_OPTIONS = ("location", "url", "host", "port", "prefix")
"""Of a client of qdrant-client: what says where its server is."""
_CREDENTIALS = re.compile(r"^(\w+://)?[^/]*@|[?#].*")


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
        index: the collection that the nodes are going to (``store.index``). Without one the nodes
            of a call are compared with each other.
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
            transformations run. A later cleaning of the collection examines what was skipped. A
            setting that cannot work is never skipped, but raised.
        dry_run: say what would be decided, and hide nothing: no node gets a flag, and neither the
            collection nor the ledger is written to.
        **settings: ``resolution``, ``neighbours``, ``threshold``, ``settings``,
            ``trusted_candidates``, ``against_trusted``, ``date_key``, ``source_key`` (a node
            without it is known by its ``ref_doc_id``), ``source_order``, ``scope_keys``,
            ``judge`` (by default None; ``auto`` has the cross-encoder that comes with the package
            read the pairs), ``judge_above``: as in
            :class:`logic_retrievers.cleaning.settings.CleaningSettings`.

    Attributes:
        skipped: how often cleaning was skipped. It counts by itself, so that a pipeline's cache
            forgets the nodes that went on unjudged.

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
    dry_run: bool = False
    skipped: int = 0
    _built: Built[cleaning.CorpusCleaner] | None = PrivateAttr(default=None)

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        encoder: Encoder | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        on_error: OnError = "skip",
        dry_run: bool = False,
        **settings: Unpack[CommonCleaningOptions],
    ) -> None:
        refuse_unknown("CorpusCleaner", settings, CommonCleaningOptions.__annotations__.keys())
        check_parts(encoder=encoder, index=index)
        check_choice("on_error", on_error, get_args(OnError))
        check_type("dry_run", dry_run, bool)
        if ledger is not None:
            check_type("ledger", ledger, Ledger, str, os.PathLike)
        values: dict[str, Any] = {
            "index": index,
            "encoder": encoder,
            "trusted": trusted_passages(trusted),
            "trusted_filter": trusted_filter,
            **settings,
        }
        cleaning.CorpusCleaner(**core_settings(values))  # refuses what cannot work
        values |= {"ledger": ledger, "on_error": on_error, "dry_run": dry_run}
        super().__init__(**values)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "CorpusCleaner"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def collection(self) -> str | None:
        """The collection's name; None without an index."""
        return None if self.index is None else self.index.collection

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def tenant(self) -> str | None:
        """Whose nodes are compared; None without an index, or without tenants."""
        return None if self.index is None else self.index.tenant

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def place(self) -> list[str]:
        """Where the collection is, without credentials; empty without an index."""
        return [] if self.index is None else _place(self.index)

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Which encoder judges: vector name -> fingerprint of its document side."""
        encoder = self.encoder if self.index is None else self.index.encoder
        specs = (default_encoder() if encoder is None else encoder).specs
        return {name: spec.fingerprint for name, spec in specs.items()}

    @classmethod
    def from_dict(cls, *_: Any, **__: Any) -> Self:
        """Refused: without its index and its ledger the cleaner would be another one.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError(
            "A CorpusCleaner does not come back from its settings, which hold neither its index nor"
            " its ledger. Make it anew: CorpusCleaner(store.index, ledger=..., resolution=...)."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process; an index does not go there, and says so."""
        settings = {name: value for name, value in self if name != "skipped"}
        return partial(type(self), **settings), ()

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
            return with_findings(nodes, self._core().screen(passages, dry_run=self.dry_run))
        except Exception as error:
            return self._skip(nodes, error)

    async def acall(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """:meth:`__call__` without blocking the event loop; the same nodes."""
        if not nodes:
            return nodes
        try:
            passages = [passage_of(node) for node in nodes]
            core = await encoder_threads.submit(self._core)
            return with_findings(nodes, await core.ascreen(passages, dry_run=self.dry_run))
        except Exception as error:
            return self._skip(nodes, error)

    def _core(self) -> cleaning.CorpusCleaner:
        """The core's cleaner with the present settings; kept, for its ledger may be in memory."""
        settings = core_settings(dict(self), *_OWN_SETTINGS)
        self._built = build(self._built, settings, cleaning.CorpusCleaner)
        return self._built.core

    def _skip(self, nodes: Sequence[BaseNode], error: Exception) -> Sequence[BaseNode]:
        if self.on_error == "raise" or isinstance(error, ConfigurationError):
            raise error
        self.skipped += 1
        warn_cleaning_skipped(len(nodes), error, "nodes")
        return nodes


def _place(index: PassageIndex) -> list[str]:
    """Where an index is; of a client that the user made, what that says."""
    client = index.async_client or index.client
    options = getattr(client, "init_options", {})
    address = [str(options[name]) for name in _ADDRESS_OPTIONS if options.get(name) is not None]
    folder = [] if options.get("path") is None else [str(options["path"])]
    return [
        index.connection.place,
        *(_CREDENTIALS.sub(r"\1", part) for part in address),
        *folder,
    ]
