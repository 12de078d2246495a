"""Rerank the nodes of any retriever by a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from llama_index_logic_retrievers.evidence import with_ranking
from llama_index_logic_retrievers.nodes import passage_of
from llama_index_logic_retrievers.settings import PolicySetting, reduce_settings
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import (
    RankingSettings,
    RerankerFields,
    check_policy,
    read_settings,
    refuse_unknown,
)
from logic_retrievers.checks import check_count
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.policies import resolve_policy
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    QuerySyntax,
    check_exclude,
    check_syntax,
)
from logic_retrievers.types import Hit, Passage
from logic_retrievers.validation import check_parts

_dispatcher = get_dispatcher(__name__)


class CompatibilityReranker(RerankerFields, BaseNodePostprocessor):
    """Orders nodes by what a query wants and rules out.

        CompatibilityReranker(top_n=3).postprocess_nodes(nodes, query_str="quiet, not loud")

    The result holds copies, each with the reasons for its rank in ``metadata["logic"]``. Of nodes
    with the same id, text and metadata, only the first is ranked. Different nodes that share an id
    are ranked separately. A node without text (an image) comes last.

    Args:
        policy: a policy's name, or a policy with your own settings.
        top_n: number of nodes; None keeps all of them.
        encoder: makes the vectors; by default the index's encoder, else the package's own.
        index: a collection with some of the nodes, whose stored vectors are used.
        query_syntax, exclude, hard: as in :class:`ConstraintRetriever`.
        judge: as in :class:`ConstraintRetriever`. Under the policy ``judge``, the judge alone
            orders the nodes of every query.
        reranker, fields, now: as in :class:`ConstraintRetriever`.

    Raises:
        ConfigurationError: top_n is under 1; the policy, the syntax or a setting is unknown; or the
            policy cannot use ``exclude``.
        InputError: the excluded texts cannot be read.
    """

    policy: PolicySetting = "auto"

    def __init__(
        self,
        policy: AnyPolicy = "auto",
        top_n: int | None = None,
        encoder: Encoder | None = None,
        index: PassageIndex | None = None,
        query_syntax: QuerySyntax = "words",
        exclude: Sequence[str] = (),
        hard: Hard = False,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
        fields: Mapping[str, Any] | None = None,
        now: date | str | None = None,
        **settings: Any,
    ) -> None:
        known = BaseNodePostprocessor.model_fields.keys()
        refuse_unknown("CompatibilityReranker", settings, known)
        check_parts(encoder=encoder, index=index)
        if top_n is not None:
            check_count("top_n", top_n)
        chosen = check_policy(policy)
        check_syntax(query_syntax, chosen)
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        settings |= {
            "policy": chosen,
            "top_n": top_n,
            "query_syntax": query_syntax,
            "exclude": check_exclude(exclude, hard, chosen),
            "hard": hard,
            "judge": judge,
            "reranker": reranker,
            "encoder": encoder,
            "index": index,
            **read_settings(RankingSettings, chosen, {"fields": fields, "now": now}),
        }
        super().__init__(**settings)

    @classmethod
    def class_name(cls) -> str:
        return "CompatibilityReranker"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_settings(self)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query, candidates = _read(nodes, query_bundle)
        request = self._request(query, candidates)
        if not candidates:
            return []
        with self._rerank_events(candidates, query) as finish:
            return finish(self._reranker().rerank(**request))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query, candidates = _read(nodes, query_bundle)
        request = self._request(query, candidates)
        if not candidates:
            return []
        with self._rerank_events(candidates, query) as finish:
            return finish(await self._reranker().arerank(**request))

    @contextmanager
    def _rerank_events(
        self, candidates: Sequence[tuple[Passage, NodeWithScore]], query: str
    ) -> Iterator[Callable[[Sequence[Hit]], list[NodeWithScore]]]:
        """Send LlamaIndex's events around a reranking; yield the function that ends it."""
        name = f"logic-retrievers:{resolve_policy(self.policy).name}"
        nodes = [node for _, node in candidates]
        count = len(nodes) if self.top_n is None else self.top_n
        _dispatcher.event(ReRankStartEvent(query=query, nodes=nodes, top_n=count, model_name=name))
        payload: dict[str, Any] = {
            EventPayload.NODES: nodes,
            EventPayload.MODEL_NAME: name,
            EventPayload.QUERY_STR: query,
            EventPayload.TOP_K: count,
        }
        with self.callback_manager.event(CBEventType.RERANKING, payload=payload) as event:

            def finish(hits: Sequence[Hit]) -> list[NodeWithScore]:
                ranked = [
                    with_ranking(scored.node, hit) for scored, hit in paired(candidates, hits)
                ]
                event.on_end(payload={EventPayload.NODES: ranked})
                _dispatcher.event(ReRankEndEvent(nodes=ranked))
                return ranked

            yield finish


def _read(
    nodes: Sequence[NodeWithScore], query_bundle: QueryBundle | None
) -> tuple[str, list[tuple[Passage, NodeWithScore]]]:
    if query_bundle is None:
        raise InputError("A reranking needs the query: pass query_bundle= or query_str=.")
    return query_bundle.query_str, [(passage_of(node), node) for node in nodes]
