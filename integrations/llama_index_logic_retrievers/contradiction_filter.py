"""Contradictions kept out of the nodes of any other retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Self, Unpack

from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.base import BaseEvent  # type: ignore[attr-defined]
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field

from llama_index_logic_retrievers.evidence import with_contradictions
from llama_index_logic_retrievers.filters import (
    FILTER_TYPES,
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
from logic_retrievers import contradiction
from logic_retrievers.adapters.descriptions import (
    SETTINGS_FROM,
    describe_passages,
    restore_settings,
)
from logic_retrievers.adapters.settings import FilterFields, FilterOptions
from logic_retrievers.contradiction import FilterResult
from logic_retrievers.contradiction.resolution_strategies import AnyResolution
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.settings import check_count
from logic_retrievers.types import Passage

_dispatcher = get_dispatcher(__name__)


class ContradictionFilterEvent(BaseEvent):
    """A filter's decisions, for LlamaIndex's instrumentation; without any node's text.

    Args:
        resolution: the strategy's name.
        hits: of each node that stays its ``id``, ``score``, ``passed_filter`` and ``reason``.
        dropped: the same of those that went.
        conflicts: every pair, as :meth:`logic_retrievers.contradiction.Conflict.to_dict` has it.
        short: fewer nodes than ``top_n`` could be given.
        notes: in sentences.
    """

    resolution: str
    hits: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    short: bool
    notes: list[str]

    @classmethod
    def class_name(cls) -> str:
        """The event's name, as LlamaIndex's events have one."""
        return "ContradictionFilterEvent"


class ContradictionFilter(FilterFields, BaseNodePostprocessor):
    """Finds the nodes of a list that contradict each other, or trusted ones, and decides.

        ContradictionFilter("prefer_newest", top_n=5).postprocess_nodes(nodes)

    The nodes may come from anywhere, and keep their order and scores; give it more than the context
    shall hold, and ``top_n``: what is dropped is replaced by the next in the list. Copies of those
    that stay come back, with the filter's evidence under ``metadata["logic"]["contradiction"]``;
    the given nodes are not changed. What was dropped, and why: :meth:`filter`, or
    :class:`ContradictionFilterEvent`. Nodes of one id count once; one without text stays. What a
    node says is its text alone; the metadata that LlamaIndex embeds with it only says what it is
    about.

    Args:
        resolution: ``annotate`` (both stay, and name each other), ``prefer_newest``,
            ``prefer_source``, ``prefer_majority``, ``drop_both``; a ``ResolutionStrategy``; or a
            function of two ``Passage``s that returns the one that stays, or None.
        top_n: how many nodes; all that can stay where None.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        index: a collection: its stored vectors are taken, and with a ``trusted_filter`` its trusted
            nodes judge too.
        trusted: nodes (or passages) that the user vouches for; kept as passages. A given node is
            one of them where it has the id and the text of one.
        trusted_filter: which of the given nodes, and of the index's, are trusted:
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``, which can only pick from those given.
        callback_manager: as in every postprocessor of LlamaIndex.
        **settings: ``threshold``, ``settings``, ``trusted_candidates``, ``against_trusted``,
            ``date_key``, ``source_key`` (a node without it is known by its ``ref_doc_id``),
            ``source_order``, ``judge``, ``judge_above``: as in
            :class:`logic_retrievers.ContradictionFilter`, which also says how it decides.

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
    _core: contradiction.ContradictionFilter = PrivateAttr()

    def __init__(
        self,
        resolution: AnyResolution = "annotate",
        top_n: int | None = None,
        encoder: Encoder | None = None,
        index: PassageIndex | None = None,
        *,
        trusted: Sequence[AnyNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        callback_manager: CallbackManager | None = None,
        **settings: Unpack[FilterOptions],
    ) -> None:
        refuse_unknown("ContradictionFilter", settings, {*type(self).model_fields, "class_name"})
        if top_n is not None:
            check_count("top_n", top_n)
        values: dict[str, Any] = {
            "resolution": resolution,
            "encoder": encoder,
            "index": index,
            "trusted": trusted_passages(trusted),
            "trusted_filter": trusted_filter,
            **settings,
        }
        core = _core_filter({name: values[name] for name in _CORE_SETTINGS & values.keys()})
        if callback_manager is not None:
            values["callback_manager"] = callback_manager
        super().__init__(**values, top_n=top_n)
        self._core = core

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses a value that cannot work, and goes on with one that can."""
        if name == "top_n" and value is not None:
            check_count(name, value)
        if name == "trusted":
            value = trusted_passages(value)
        if name in _CORE_SETTINGS:
            core = _core_filter({**self._core_settings(), name: value})
            super().__setattr__(name, value)
            self._core = core
        else:
            super().__setattr__(name, value)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "ContradictionFilter"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Which encoder judges: vector name -> fingerprint of its document side."""
        return fingerprints_of(self._core.encoder)

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def trusted_collection(self) -> str | None:
        """The collection whose trusted nodes judge too; None where none do."""
        searched = isinstance(self.trusted_filter, FILTER_TYPES) and self.trusted_candidates
        return self.index.collection if self.index is not None and searched else None

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """A filter from its settings, and from what settings cannot hold.

        Raises:
            ConfigurationError: the filter had a function, an index with trusted nodes or another
                encoder, and ``kwargs`` has none.
        """
        data = restore_settings(data, {**SETTINGS_FROM, "trusted_filter": filter_from}, kwargs)
        fingerprints = data.pop("fingerprints", None)
        collection = data.pop("trusted_collection", None)
        made = super().from_dict(data, **kwargs)
        check_fingerprints(fingerprints, made.fingerprints, "filter")
        if collection not in (None, made.trusted_collection):
            raise ConfigurationError(
                f"Trusted nodes of the collection {collection!r} judged for this filter. Pass"
                " index= with it, or trusted_candidates=0."
            )
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process; LlamaIndex's own way leaves out what cannot be pickled."""
        return partial(type(self), **self._core_settings(), top_n=self.top_n), ()

    def filter(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> FilterResult:
        """What stays, what was dropped and why, every conflict, and notes.

        Args:
            nodes: the best first.
            query: what they were retrieved for; not needed.
            top_n: instead of the filter's own.
            trusted: further trusted nodes, for this call.

        Raises:
            InputError: what is no node, or a resolution function that returns neither of its
                passages.
            ConfigurationError: top_n is under 1.
            MissingVectorError: trusted nodes are to be searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        return self._core.filter(**self._request(nodes, query, top_n, trusted))

    async def afilter(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> FilterResult:
        """:meth:`filter` without blocking the event loop; the same result."""
        return await self._core.afilter(**self._request(nodes, query, top_n, trusted))

    def _core_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _CORE_SETTINGS}

    def _request(
        self,
        nodes: Sequence[AnyNode],
        query: str | None,
        top_n: int | None,
        trusted: Sequence[AnyNode | Passage],
    ) -> dict[str, Any]:
        """The arguments of the core's filter."""
        return {
            "passages": [passage_of(node) for node in nodes],
            "k": self.top_n if top_n is None else top_n,
            "query": query,
            "trusted": trusted_passages(trusted),
        }

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = None if query_bundle is None else query_bundle.query_str
        with self._filter_events(nodes, query) as finish:
            return finish(self.filter(nodes, query))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = None if query_bundle is None else query_bundle.query_str
        with self._filter_events(nodes, query) as finish:
            return finish(await self.afilter(nodes, query))

    @contextmanager
    def _filter_events(
        self, nodes: list[NodeWithScore], query: str | None
    ) -> Iterator[Callable[[FilterResult], list[NodeWithScore]]]:
        """LlamaIndex's events around a filtering; yields the function that ends it."""
        resolution = self._core.resolution.name
        # of the types that callbacks know, a reranking is the nearest
        payload: dict[str, Any] = {
            EventPayload.NODES: nodes,
            EventPayload.MODEL_NAME: f"logic-retrievers:contradiction:{resolution}",
            EventPayload.TOP_K: len(nodes) if self.top_n is None else self.top_n,
        }
        if query is not None:
            payload[EventPayload.QUERY_STR] = query
        with self.callback_manager.event(CBEventType.RERANKING, payload=payload) as event:

            def finish(result: FilterResult) -> list[NodeWithScore]:
                by_id = {scored.node.node_id: scored for scored in reversed(nodes)}
                staying = [with_contradictions(by_id[hit.passage.id], hit) for hit in result.hits]
                description = {"resolution": resolution, **result.without_texts()}
                event.on_end(payload={EventPayload.NODES: staying, "contradictions": description})
                _dispatcher.event(ContradictionFilterEvent(**description))
                return staying

            yield finish


_CORE_SETTINGS = frozenset(ContradictionFilter.model_fields) - {"callback_manager", "top_n"}


def _core_filter(settings: Mapping[str, Any]) -> contradiction.ContradictionFilter:
    trusted_filter = to_trusted_filter(settings.get("trusted_filter"), settings.get("index"))
    return contradiction.ContradictionFilter(**{**settings, "trusted_filter": trusted_filter})
