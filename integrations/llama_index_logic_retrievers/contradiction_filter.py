"""Filter contradictions out of the nodes of any retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Unpack

from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.base import BaseEvent  # type: ignore[attr-defined]
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import Field, PlainSerializer, PrivateAttr

from llama_index_logic_retrievers.evidence import with_contradictions
from llama_index_logic_retrievers.filters import AnyFilter, describe_filter
from llama_index_logic_retrievers.nodes import AnyNode, passage_of, trusted_passages, with_score
from llama_index_logic_retrievers.settings import core_settings, reduce_settings
from logic_retrievers import conflicts
from logic_retrievers.adapters.core_cache import Built, build
from logic_retrievers.adapters.descriptions import describe_passages
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import FilterFields, FilterOptions, refuse_unknown
from logic_retrievers.checks import check_count
from logic_retrievers.conflicts import FilterResult
from logic_retrievers.conflicts.resolution_strategies import AnyResolution
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts

_OWN_SETTINGS = ("callback_manager", "top_n")
_dispatcher = get_dispatcher(__name__)


class ContradictionFilterEvent(BaseEvent):
    """A filter's decisions for LlamaIndex's instrumentation, without the text of any node.

    Args:
        resolution: the strategy's name.
        hits: ``id``, ``score``, ``passed_filter`` and ``reason`` of each node that stays.
        dropped: the same for each dropped node.
        conflicts: every pair, as in :meth:`logic_retrievers.conflicts.Conflict.to_dict`.
        short: whether fewer than ``top_n`` nodes stay.
        notes: remarks, each a sentence.
    """

    resolution: str
    hits: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    short: bool
    notes: list[str]

    @classmethod
    def class_name(cls) -> str:
        return "ContradictionFilterEvent"


class ContradictionFilter(FilterFields, BaseNodePostprocessor):
    """Finds nodes that contradict each other or trusted ones, and decides which stay.

        ContradictionFilter("prefer_newest", top_n=5).postprocess_nodes(nodes)

    The nodes may come from any source and keep their order and scores. Pass more nodes than the
    context should hold, and set ``top_n``, so that the next node in the list replaces a dropped
    one. The result holds copies, with evidence under ``metadata["logic"]["contradiction"]``. Nodes
    that agree in id, text and metadata count once; different ones that share an id all count. Nodes
    without text stay. Only a node's text can contradict; metadata that LlamaIndex embeds with the
    text only affects its topical vector. :meth:`filter` and :class:`ContradictionFilterEvent` tell
    which nodes were dropped and why.

    Args:
        resolution: decides a conflict: ``annotate`` (both stay, and name each other),
            ``prefer_newest``, ``prefer_source``, ``prefer_majority``, ``drop_both``, or your own.
        top_n: number of nodes; None keeps all that can stay.
        encoder: makes the vectors; by default the index's encoder, else the package's own.
        index: a collection whose stored vectors are used; with a ``trusted_filter``, its trusted
            nodes too.
        trusted: nodes (or passages) that the user vouches for; kept as passages. A given node is
            trusted if it has the id and text of a trusted one.
        trusted_filter: selects trusted nodes from the given ones and the index. It is
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``, which sees only given ones.
        **settings: ``threshold``, ``settings``, ``trusted_candidates``, ``against_trusted``,
            ``date_key``, ``source_key`` (without it, a node's ``ref_doc_id`` counts),
            ``source_order``, ``validity``, ``judge``, ``judge_above``, ``drop_above``: as in
            :class:`logic_retrievers.ContradictionFilter`, which also explains the decision rules.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting does not exist or cannot work, or the encoder lacks a vector.
        InputError: a trusted node is not a node, or a filter cannot be read.
    """

    trusted: Annotated[tuple[Passage, ...], PlainSerializer(describe_passages)] = Field(
        default=(), repr=False
    )
    trusted_filter: Annotated[Any, PlainSerializer(describe_filter)] = None
    _built: Built[conflicts.ContradictionFilter] | None = PrivateAttr(default=None)

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
        if settings.get("edited_copies") is False:  # saved by an earlier version
            del settings["edited_copies"]  # type: ignore[typeddict-item]
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
        # refuses wrong settings with this package's errors, before pydantic's
        conflicts.ContradictionFilter(**core_settings(values, *_OWN_SETTINGS))
        super().__init__(**values, top_n=top_n)

    @classmethod
    def class_name(cls) -> str:
        return "ContradictionFilter"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_settings(self)

    def filter(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> FilterResult:
        """Return the nodes that stay, the dropped ones with reasons, all conflicts, and notes.

        Args:
            nodes: nodes, best first.
            query: the query that retrieved them; optional.
            top_n: replaces the filter's ``top_n``.
            trusted: more trusted nodes for this call.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.ContradictionFilter.filter`.
        """
        candidates = [(passage_of(node), node) for node in nodes]
        return self._core().filter(**self._request(candidates, query, top_n, trusted))

    def _core(self) -> conflicts.ContradictionFilter:
        """Return the core filter, kept to reuse trusted vectors until a setting changes."""
        settings = core_settings(dict(self), *_OWN_SETTINGS)
        self._built = build(self._built, settings, conflicts.ContradictionFilter)
        return self._built.core

    def _request(
        self,
        candidates: Sequence[tuple[Passage, Any]],
        query: QueryBundle | str | None,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> dict[str, Any]:
        return {
            "passages": [passage for passage, _ in candidates],
            "k": self.top_n if top_n is None else top_n,
            "query": query.query_str if isinstance(query, QueryBundle) else query,
            "trusted": trusted_passages(trusted),
        }

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        candidates = [(passage_of(node), with_score(node)) for node in nodes]
        request = self._request(candidates, query_bundle)
        return self._staying(candidates, self._core().filter(**request))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        candidates = [(passage_of(node), with_score(node)) for node in nodes]
        request = self._request(candidates, query_bundle)
        return self._staying(candidates, await self._core().afilter(**request))

    def _staying(
        self, candidates: Sequence[tuple[Passage, NodeWithScore]], result: FilterResult
    ) -> list[NodeWithScore]:
        """Copy the nodes that stay, and send the whole result to tracers."""
        resolution = self._core().resolution.name
        _dispatcher.event(ContradictionFilterEvent(resolution=resolution, **result.without_texts()))
        return [with_contradictions(*found) for found in paired(candidates, result.hits)]
