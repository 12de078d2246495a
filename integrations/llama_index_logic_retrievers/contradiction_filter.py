"""Contradictions kept out of the nodes of any other retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Unpack

from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.base import BaseEvent  # type: ignore[attr-defined]
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import Field, PlainSerializer, PrivateAttr

from llama_index_logic_retrievers.evidence import with_contradictions
from llama_index_logic_retrievers.filters import AnyFilter, describe_filter
from llama_index_logic_retrievers.nodes import AnyNode, passage_of, trusted_passages
from llama_index_logic_retrievers.settings import core_settings, refuse_unknown
from logic_retrievers import contradiction
from logic_retrievers.adapters.built import Built, build
from logic_retrievers.adapters.descriptions import describe_passages
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import FilterFields, FilterOptions
from logic_retrievers.contradiction import FilterResult
from logic_retrievers.contradiction.resolution_strategies import AnyResolution
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.settings import check_count
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts

_OWN_SETTINGS = ("callback_manager", "top_n")
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
    :class:`ContradictionFilterEvent`. A node with id, text and metadata of an earlier one counts
    once; several of one id that differ all count. One without text stays. What a node says is its
    text alone; the metadata that LlamaIndex embeds with it only says what it is about.

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
        **settings: ``threshold``, ``settings``, ``trusted_candidates``, ``against_trusted``,
            ``date_key``, ``source_key`` (a node without it is known by its ``ref_doc_id``),
            ``source_order``, ``judge``, ``judge_above``, ``drop_above``: as in
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
    _built: Built[contradiction.ContradictionFilter] | None = PrivateAttr(default=None)

    def __init__(
        self,
        resolution: AnyResolution = "annotate",
        top_n: int | None = None,
        encoder: Encoder | None = None,
        index: PassageIndex | None = None,
        *,
        trusted: Sequence[AnyNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        **settings: Unpack[FilterOptions],
    ) -> None:
        refuse_unknown("ContradictionFilter", settings, type(self).model_fields.keys())
        check_parts(encoder=encoder, index=index)
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
        # refuses what cannot work
        contradiction.ContradictionFilter(**core_settings(values, *_OWN_SETTINGS))
        super().__init__(**values, top_n=top_n)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "ContradictionFilter"

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process; LlamaIndex's own way leaves out what cannot be pickled."""
        settings = {name: value for name, value in self if name != "callback_manager"}
        return partial(type(self), **settings), ()

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
        passages = [passage_of(node) for node in nodes]
        return self._core().filter(**self._request(passages, query, top_n, trusted))

    async def afilter(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> FilterResult:
        """:meth:`filter` without blocking the event loop; the same result."""
        passages = [passage_of(node) for node in nodes]
        return await self._core().afilter(**self._request(passages, query, top_n, trusted))

    def _core(self) -> contradiction.ContradictionFilter:
        """The core's filter with the present settings; kept, for it keeps the trusted vectors."""
        settings = core_settings(dict(self), *_OWN_SETTINGS)
        self._built = build(self._built, settings, contradiction.ContradictionFilter)
        return self._built.core

    def _request(
        self,
        passages: Sequence[Passage],
        query: str | None,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> dict[str, Any]:
        """The arguments of the core's filter."""
        return {
            "passages": passages,
            "k": self.top_n if top_n is None else top_n,
            "query": query,
            "trusted": trusted_passages(trusted),
        }

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        candidates = [(passage_of(node), node) for node in nodes]
        result = self._core().filter(**self._request(_passages(candidates), _text(query_bundle)))
        return self._staying(candidates, result)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        candidates = [(passage_of(node), node) for node in nodes]
        request = self._request(_passages(candidates), _text(query_bundle))
        return self._staying(candidates, await self._core().afilter(**request))

    def _staying(
        self, candidates: Sequence[tuple[Passage, NodeWithScore]], result: FilterResult
    ) -> list[NodeWithScore]:
        """Copies of the nodes that stay; tracers get the whole result."""
        resolution = self._core().resolution.name
        _dispatcher.event(ContradictionFilterEvent(resolution=resolution, **result.without_texts()))
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]


def _passages(candidates: Sequence[tuple[Passage, NodeWithScore]]) -> list[Passage]:
    return [passage for passage, _ in candidates]


def _text(query_bundle: QueryBundle | None) -> str | None:
    return None if query_bundle is None else query_bundle.query_str
