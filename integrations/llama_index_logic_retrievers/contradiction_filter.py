"""Contradictions kept out of the nodes of any other retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Self, TypeAlias

from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from pydantic import Field, PlainSerializer, PrivateAttr, computed_field
from qdrant_client import models

from llama_index_logic_retrievers import descriptions
from llama_index_logic_retrievers.events import ContradictionFilterEvent
from llama_index_logic_retrievers.evidence import noted
from llama_index_logic_retrievers.filters import AnyFilter, as_filter
from llama_index_logic_retrievers.nodes import claim_of, vouched
from llama_index_logic_retrievers.settings import refuse_unknown
from logic_retrievers.answering import check_count
from logic_retrievers.contradiction import (
    ContradictionSettings,
    Filtered,
    SecondOpinion,
    filtering,
)
from logic_retrievers.contradiction.rules import AnyRule
from logic_retrievers.contradiction.verdicts import AgainstTrusted
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.payloads import METADATA
from logic_retrievers.types import Passage

AnyNode: TypeAlias = NodeWithScore | BaseNode
Finished: TypeAlias = Callable[[Filtered], list[NodeWithScore]]

_dispatcher = get_dispatcher(__name__)


class ContradictionFilter(BaseNodePostprocessor):
    """Finds the nodes of a list that contradict each other, or trusted ones, and decides.

        ContradictionFilter("prefer_newest", top_n=5).postprocess_nodes(nodes)

    The nodes may come from anywhere, and keep their order and scores; give it more than the context
    shall hold, and ``top_n``: what is dropped is replaced by the next in the list. Copies of those
    that stay come back, with the filter's evidence under ``metadata["logic"]["contradiction"]``;
    the given nodes are not changed. What was dropped, and why: :meth:`filtered`, or
    :class:`ContradictionFilterEvent`. Nodes of one id count once; one without text stays. What a
    node says is its text alone; the metadata that LlamaIndex embeds with it only says what it is
    about.

    The rules: :class:`logic_retrievers.ContradictionFilter`.

    Args:
        policy: ``annotate`` (both stay, and tell of each other), ``prefer_newest``,
            ``prefer_source``, ``prefer_majority``, ``drop_both``; a ``rules.ConflictPolicy``; or a
            function of two ``Passage``s that gives back the one that stays, or None.
        top_n: how many nodes; all that can stay where None.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        index: a collection: its stored vectors are taken, and with a ``trusted_filter`` its trusted
            nodes judge too.
        threshold: least probability of a conflict, instead of that of the settings.
        settings: of the contradiction vector, instead of those that the encoder brings.
        trusted: nodes (or passages) that the user vouches for; kept as passages. A given node is
            one of them where it has the id and the text of one.
        trusted_filter: which of the given nodes, and of the index's, are trusted:
            ``MetadataFilters``, a Qdrant ``Filter``, ``{"key": wanted}`` over the metadata, or a
            function of a ``Passage``, which can only pick from those given.
        trusted_candidates: how many trusted nodes of the index are looked at for each given one.
        against_trusted: ``drop``, or ``annotate``: what contradicts a trusted node stays too.
        date_key: of the date in the metadata, for ``prefer_newest``.
        source_key: of the source in the metadata, for ``prefer_source`` and ``prefer_majority``; a
            node without it is known by its document (``ref_doc_id``).
        source_order: the best source first, for ``prefer_source``.
        second_opinion: pairs of texts -> probabilities; see ``contradiction.SecondOpinion``.
        ask_above: least own probability of the pairs that it is asked about.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: a setting that there is not or that cannot work, or an encoder without
            the vectors.
        InputError: a trusted node that is none, or a filter that cannot be read.
    """

    policy: Annotated[Any, PlainSerializer(descriptions.described_rule)] = "annotate"
    top_n: int | None = None
    encoder: Any = Field(default=None, exclude=True, repr=False)
    index: Any = Field(default=None, exclude=True, repr=False)
    threshold: float | None = None
    settings: Annotated[Any, PlainSerializer(descriptions.described_settings)] = None
    trusted: Annotated[Any, PlainSerializer(descriptions.described_passages)] = Field(
        default=(), repr=False
    )
    trusted_filter: Annotated[Any, PlainSerializer(descriptions.described_filter)] = None
    trusted_candidates: int = 10
    against_trusted: str = "drop"
    date_key: str = "date"
    source_key: str = "source"
    source_order: tuple[str, ...] = ()
    second_opinion: Annotated[Any, PlainSerializer(descriptions.described_opinion)] = Field(
        default=None, repr=False
    )
    ask_above: float | None = None
    _core: filtering.ContradictionFilter = PrivateAttr()

    def __init__(
        self,
        policy: AnyRule = "annotate",
        top_n: int | None = None,
        encoder: Encoder | None = None,
        index: PassageIndex | None = None,
        *,
        threshold: float | None = None,
        settings: ContradictionSettings | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
        trusted_filter: AnyFilter | Callable[[Passage], bool] = None,
        trusted_candidates: int = 10,
        against_trusted: AgainstTrusted = "drop",
        date_key: str = "date",
        source_key: str = "source",
        source_order: Sequence[str] = (),
        second_opinion: SecondOpinion | None = None,
        ask_above: float | None = None,
        **others: Any,
    ) -> None:
        refuse_unknown(
            "ContradictionFilter",
            others,
            BaseNodePostprocessor.model_fields.keys() | {"class_name"},
        )
        if top_n is not None:
            check_count("top_n", top_n)
        chosen: dict[str, Any] = {
            "policy": policy,
            "encoder": encoder,
            "index": index,
            "threshold": threshold,
            "settings": settings,
            "trusted": vouched(trusted),
            "trusted_filter": trusted_filter,
            "trusted_candidates": trusted_candidates,
            "against_trusted": against_trusted,
            "date_key": date_key,
            "source_key": source_key,
            "source_order": source_order,
            "second_opinion": second_opinion,
            "ask_above": ask_above,
        }
        core = _core_of(chosen)
        super().__init__(**others, **chosen | {"top_n": top_n})
        self._core = core

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses a value that cannot work, and goes on with one that can."""
        if name == "top_n" and value is not None:
            check_count(name, value)
        if name == "trusted":
            value = vouched(value)
        core = None
        if name in _OF_THE_CORE:
            core = _core_of({one: getattr(self, one) for one in _OF_THE_CORE} | {name: value})
        super().__setattr__(name, value)
        if core is not None:
            self._core = core

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised settings carry."""
        return "ContradictionFilter"

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def fingerprints(self) -> dict[str, str]:
        """Which encoder judges: vector name -> fingerprint of its documents' side."""
        return {name: spec.fingerprint for name, spec in self._core.encoder.specs.items()}

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def trusted_collection(self) -> str | None:
        """The collection whose trusted nodes judge too; None where none do."""
        wanted = self.trusted_filter
        if self.index is None or not self.trusted_candidates or not isinstance(wanted, _SEARCHED):
            return None
        name: str = self.index.collection
        return name

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """A filter from its settings, and from what settings cannot hold.

        Raises:
            ConfigurationError: the filter had a function, an index with trusted nodes or another
                encoder, and ``kwargs`` has none.
        """
        data = dict(data)
        encoder, collection = data.pop("fingerprints", None), data.pop("trusted_collection", None)
        for name, made in descriptions.OBJECTS.items():
            if name in data and name not in kwargs:
                data[name] = made(data[name])
        found = super().from_dict(data, **kwargs)
        if encoder not in (None, found.fingerprints):
            raise ConfigurationError(
                "These are the settings of a filter with another encoder. Pass encoder= or index="
                " with the encoder that it had."
            )
        if collection not in (None, found.trusted_collection):
            raise ConfigurationError(
                f"Trusted nodes of the collection {collection!r} judged for this filter. Pass"
                " index= with it, or trusted_candidates=0."
            )
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process; LlamaIndex's own way leaves out what cannot be pickled."""
        chosen = {name: getattr(self, name) for name in (*_OF_THE_CORE, "top_n")}
        return partial(type(self), **chosen), ()

    def filtered(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> Filtered:
        """What stays, what was dropped and why, every conflict, and what else is to be said.

        Args:
            nodes: the best first.
            query: what they were found for; not needed.
            top_n: instead of the filter's own.
            trusted: further trusted nodes, for this call.

        Raises:
            InputError: what is no node, or a policy function that gives back none of its passages.
            ConfigurationError: top_n is under 1.
            MissingVectorError: trusted nodes are to be searched for in an index without topical
                vectors.
            ServerError: the index failed or could not be reached.
        """
        return self._core.filter(**self._asked(nodes, query, top_n, trusted))

    async def afiltered(
        self,
        nodes: Sequence[AnyNode],
        query: str | None = None,
        *,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> Filtered:
        """:meth:`filtered` without blocking the event loop; the same result."""
        return await self._core.afilter(**self._asked(nodes, query, top_n, trusted))

    def _asked(
        self,
        nodes: Sequence[AnyNode],
        query: str | None,
        top_n: int | None = None,
        trusted: Sequence[AnyNode | Passage] = (),
    ) -> dict[str, Any]:
        return {
            "passages": [claim_of(one) for one in nodes],
            "k": self.top_n if top_n is None else top_n,
            "query": query,
            "trusted": vouched(trusted),
        }

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = None if query_bundle is None else query_bundle.query_str
        with self._told(nodes, query) as ended:
            return ended(self.filtered(nodes, query))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = None if query_bundle is None else query_bundle.query_str
        with self._told(nodes, query) as ended:
            return ended(await self.afiltered(nodes, query))

    @contextmanager
    def _told(self, nodes: list[NodeWithScore], query: str | None) -> Iterator[Finished]:
        """LlamaIndex's events around a filtering; gives the function that ends it."""
        policy = self._core.policy.name
        # of the types that callbacks know, a reranking is the nearest
        payload: dict[str, Any] = {
            EventPayload.NODES: nodes,
            EventPayload.MODEL_NAME: f"logic-retrievers:contradiction:{policy}",
            EventPayload.TOP_K: len(nodes) if self.top_n is None else self.top_n,
        }
        if query is not None:
            payload[EventPayload.QUERY_STR] = query
        with self.callback_manager.event(CBEventType.RERANKING, payload=payload) as event:

            def ended(result: Filtered) -> list[NodeWithScore]:
                given = {one.node.node_id: one for one in reversed(nodes)}
                found = [noted(given[hit.passage.id], hit) for hit in result.hits]
                told = {"policy": policy, **result.without_texts()}
                event.on_end(payload={EventPayload.NODES: found, "contradictions": told})
                _dispatcher.event(ContradictionFilterEvent(**told))
                return found

            yield ended


_OF_THE_CORE = frozenset(ContradictionFilter.model_fields) - {"callback_manager", "top_n"}
_SEARCHED = (Mapping, models.Filter, MetadataFilters, MetadataFilter)


def _core_of(chosen: Mapping[str, Any]) -> filtering.ContradictionFilter:
    index, wanted = chosen["index"], chosen["trusted_filter"]
    translated = as_filter(wanted, (METADATA,) if index is None else index.prefixes)
    if wanted is not None and translated is None:
        translated = models.Filter()  # nothing was asked for: to be refused, not to pick nobody
    return filtering.ContradictionFilter(**{**chosen, "trusted_filter": translated})
