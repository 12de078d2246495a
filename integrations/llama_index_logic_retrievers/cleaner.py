"""Clean nodes before they are stored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Self, Unpack, get_args

from llama_index.core.schema import BaseNode, TransformComponent
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field

from llama_index_logic_retrievers.evidence import with_findings
from llama_index_logic_retrievers.filters import AnyFilter, describe_filter
from llama_index_logic_retrievers.nodes import AnyNode, passage_of, trusted_passages
from llama_index_logic_retrievers.settings import core_settings
from logic_retrievers import conflicts
from logic_retrievers.adapters.core_cache import Built, build
from logic_retrievers.adapters.descriptions import describe_passages
from logic_retrievers.adapters.settings import (
    CleanerFields,
    OnError,
    refuse_unknown,
    warn_cleaning_skipped,
)
from logic_retrievers.checks import check_choice, check_type
from logic_retrievers.conflicts import Ledger
from logic_retrievers.conflicts.cleaning.settings import CommonCleaningOptions
from logic_retrievers.conflicts.pair_judge import Reader
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts

_OWN_SETTINGS = ("on_error", "dry_run", "skipped")
# options of a qdrant-client that hold its server's address
_ADDRESS_OPTIONS = ("location", "url", "host", "port", "prefix")
_CREDENTIALS = re.compile(r"^(\w+://)?[^/]*@|[?#].*")


class CorpusCleaner(CleanerFields, TransformComponent):
    """Finds nodes that contradict, repeat or replace others, before they are stored.

        IngestionPipeline(
            transformations=[splitter, CorpusCleaner(store.index), store.embed_model],
            vector_store=store,
        )

    All nodes are returned in the given order, with the same ids and hashes. A node with findings is
    a copy with ``metadata["logic"]["cleaning"]``, which no embedding model and no LLM reads. A node
    that loses (the resolution decides against it) also has ``metadata["logic"]["quarantined"]``,
    which makes :class:`LogicVectorStore` and LlamaIndex's ``QdrantVectorStore`` hide it. Stored
    nodes that lose are hidden at once. The cleaner cannot be pickled, so run the pipeline without
    ``num_workers``.

    No node is deleted or left out. By default only nodes that contradict a trusted one are hidden.
    For the rules, and to clean stored nodes, see
    :class:`~logic_retrievers.conflicts.CorpusCleaner`.

    Args:
        index: the collection that the nodes will be stored in (``store.index``). By default the
            nodes of a call are only compared with each other.
        ledger: a ``Ledger``, or the path of its file; the default is kept in memory only.
        encoder: makes the vectors; by default the index's encoder, else the package's own.
        trusted: nodes (or passages) that the user vouches for; kept as passages.
        trusted_filter: selects more trusted nodes from the given ones and the collection. It is
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``.
        on_error: ``skip`` the cleaning if the model, the ledger or Qdrant fails (return the nodes
            unchanged, with a ``CleaningSkippedWarning``), or ``raise`` the error. ``skip`` is the
            default because a pipeline has already deleted the old nodes of changed documents. A
            later cleaning of the collection examines skipped nodes. Wrong settings always raise.
        dry_run: report decisions without hiding anything. No node is flagged; neither collection
            nor ledger changes.
        **settings: ``resolution``, ``neighbours``, ``threshold``, ``settings``,
            ``trusted_candidates``, ``against_trusted``, ``date_key``, ``version_key``,
            ``document_key``, ``source_key`` (without it, a node's ``ref_doc_id`` counts),
            ``source_order``, ``scope_keys``, ``validity``, ``supersede``, ``judge``
            (by default ``auto``: the package's own cross-encoder reads the pairs),
            ``judge_above``, ``hide_above``: as in
            :class:`~logic_retrievers.conflicts.CleaningSettings`.

    Attributes:
        skipped: number of skipped calls. The serialised settings include this number, so that a
            pipeline's cache forgets nodes that were not examined.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting does not exist or cannot work, or the encoder lacks a vector.
        InputError: a trusted node is not a node, or a filter cannot be read.
    """

    trusted: Annotated[tuple[Passage, ...], PlainSerializer(describe_passages)] = Field(
        default=(), repr=False
    )
    trusted_filter: Annotated[Any, PlainSerializer(describe_filter)] = None
    on_error: OnError = "skip"
    dry_run: bool = False
    skipped: int = 0
    _built: Built[conflicts.CorpusCleaner] | None = PrivateAttr(default=None)

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
        # refuses wrong settings with this package's errors, before pydantic's
        conflicts.CorpusCleaner(**core_settings(values))
        values |= {"ledger": ledger, "on_error": on_error, "dry_run": dry_run}
        super().__init__(**values)

    @classmethod
    def class_name(cls) -> str:
        return "CorpusCleaner"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def collection(self) -> str | None:
        return None if self.index is None else self.index.collection

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def tenant(self) -> str | None:
        return None if self.index is None else self.index.tenant

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def place(self) -> list[str]:
        """The collection's address without credentials; empty without an index."""
        if self.index is None:
            return []
        client = self.index.async_client or self.index.client
        options = getattr(client, "init_options", {})
        address = [str(options[name]) for name in _ADDRESS_OPTIONS if options.get(name) is not None]
        folder = [] if options.get("path") is None else [str(options["path"])]
        without_credentials = [_CREDENTIALS.sub(r"\1", part) for part in address]
        return [self.index.connection.place, *without_credentials, *folder]

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the encoder's document side, by vector, and of the cross-encoder."""
        encoder = self.encoder if self.index is None else self.index.encoder
        specs = (default_encoder() if encoder is None else encoder).specs
        reader = Reader.of(self.judge, "relation")
        read = {} if reader is None else {reader.name: reader.fingerprint}
        return {name: spec.fingerprint for name, spec in specs.items()} | read

    # the fields above are part of a pipeline's cache key, because findings depend on the
    # collection and the models

    @classmethod
    def from_dict(cls, *_: Any, **__: Any) -> Self:
        raise ConfigurationError(
            "A CorpusCleaner cannot be restored from its settings, which hold neither its index nor"
            " its ledger. Make it again: CorpusCleaner(store.index, ledger=..., resolution=...)."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # by default LlamaIndex silently leaves out the index and the ledger
        raise TypeError(
            "A CorpusCleaner cannot go to another process. Run the pipeline without num_workers."
        )

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        if not nodes:
            return nodes
        try:
            passages = [passage_of(node) for node in nodes]
            return with_findings(nodes, self._core().screen(passages, dry_run=self.dry_run))
        except Exception as error:
            return self._skip(nodes, error)

    async def acall(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        if not nodes:
            return nodes
        try:
            passages = [passage_of(node) for node in nodes]
            core = await encoder_threads.submit(self._core)
            return with_findings(nodes, await core.ascreen(passages, dry_run=self.dry_run))
        except Exception as error:
            return self._skip(nodes, error)

    def _core(self) -> conflicts.CorpusCleaner:
        """Return the core cleaner, kept with its in-memory ledger until a setting changes."""
        settings = core_settings(dict(self), *_OWN_SETTINGS)
        self._built = build(self._built, settings, conflicts.CorpusCleaner)
        return self._built.core

    def _skip(self, nodes: Sequence[BaseNode], error: Exception) -> Sequence[BaseNode]:
        if self.on_error == "raise" or isinstance(error, ConfigurationError):
            raise error
        self.skipped += 1
        warn_cleaning_skipped(len(nodes), error, "nodes")
        return nodes
