"""``Reranker``: orders passages that any other search found, under a policy."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from logic_retrievers.checks import check_count
from logic_retrievers.effects import Operation
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import ConfigurationError, EmptyFilterWarning, warn
from logic_retrievers.index.client_calls import QueryVector
from logic_retrievers.index.filters import matching, to_qdrant_filter
from logic_retrievers.judging.settings import AnyJudge, check_any_judge, resolve_judge
from logic_retrievers.policies import resolve_policy
from logic_retrievers.policies.base import LEXICAL
from logic_retrievers.ranking.excluded_words import leave_out
from logic_retrievers.ranking.execution import (
    PlannedQuery,
    arun_over,
    encode_plans,
    passage_vectors,
    plan_queries,
    run_over,
    warn_if_untrained,
)
from logic_retrievers.ranking.order import (
    build_hits,
    judge_candidates,
    prefer_fields,
    rank_candidates,
    with_reading,
)
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    CheckedQuery,
    Hard,
    Query,
    check_exclude,
    check_now,
    check_query,
)
from logic_retrievers.scoring import cosine
from logic_retrievers.text import is_blank
from logic_retrievers.tracing import Attributes, reranking_attributes, traced
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Evidence, Hit, Passage
from logic_retrievers.validation import check_parts, check_passages, distinct

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.passage_index import PassageIndex
    from logic_retrievers.types import Scores


def _describe_reranking(
    hits: Sequence[Hit],
    reranker: Reranker,
    query: Query,
    passages: Sequence[Passage],
    k: int | None = None,
    **_: Any,
) -> Attributes:
    return reranking_attributes(hits, query, passages, reranker.policy, k)


class Reranker:
    """Orders given passages under a policy, by their scores on every vector query of its plan.

    Args:
        encoder: makes the vectors. None uses the index's encoder, or without an index the encoder
            that comes with the package.
        policy: a name, or a policy with settings of your own; the default is that of a search.
        index: a collection that holds some of the passages. Stored vectors are used, so only
            passages that are not stored, or whose text has changed, are encoded.
        judge: a judge as in :class:`logic_retrievers.Engine`. Under the policy ``auto`` it reads
            the first passages if the query may have a constraint, under ``judge`` for any query.
            The package's other policies do not ask it.
        reranker: a model that orders the first passages of every query, as in
            :class:`logic_retrievers.Engine`.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: ``judge`` or ``reranker`` is not a judge; or, when reranking, the
            encoder lacks a vector that the policy needs.

    Examples:
        >>> reranker = Reranker()                                          # doctest: +SKIP
        >>> reranker.rerank("quiet, not above a nightclub", passages, k=5)  # doctest: +SKIP
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        policy: AnyPolicy = "auto",
        *,
        index: PassageIndex | None = None,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
    ) -> None:
        check_parts(encoder=encoder, index=index)
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        self.judge = judge
        self.reranker = reranker
        self.policy = resolve_policy(policy)
        self.index = index
        self._encoder = encoder
        if encoder is None and index is None:
            default_encoder()  # loaded now, because loading it later might block an event loop

    @property
    def encoder(self) -> Encoder:
        """The reranker's own encoder, or else the index's current one, or else the default."""
        if self._encoder is not None:
            return self._encoder
        return default_encoder() if self.index is None else self.index.encoder

    @traced("rerank", "RERANKER", _describe_reranking)
    def rerank(
        self,
        query: Query,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        exclude: Sequence[str] = (),
        hard: Hard = False,
        now: date | str | None = None,
    ) -> list[Hit]:
        """Return the k best of the passages, best first.

        A passage with the same id, text and metadata as an earlier one is dropped. Different
        passages with the same id are ranked separately. Ties keep the input order. Passages without
        text cannot be scored and come last. A hit holds the passage object that was passed.

        Args:
            query: any text that is not empty, a :class:`ParsedQuery`, or an
                :class:`Expression`.
            passages: in any order.
            k: number of hits; None returns all.
            exclude: texts to exclude, as in :meth:`logic_retrievers.Engine.search`.
            hard: leave out passages that name an excluded text, as in a search.
            now: date or time from which "last year" counts, as in a search.

        Raises:
            EmptyTextError, InputError: the query or an excluded text is not a text, an item is
                not a passage, or the policy's filter names a field that cannot be filtered.
            ConfigurationError: k is under 1, the policy cannot use ``exclude``, or the encoder
                lacks a vector that the policy needs. No encoder makes the word vectors of
                ``lexical`` and ``hybrid``.
            MissingVectorError: the policy is ``AutoPolicy(base="hybrid")``, which needs words.
            ServerError: the index failed or could not be reached.
        """
        operation = self._plan(query, passages, k, exclude, hard, now)
        return run_over(self.index, operation)

    @traced("rerank", "RERANKER", _describe_reranking)
    async def arerank(
        self,
        query: Query,
        passages: Sequence[Passage],
        k: int | None = None,
        *,
        exclude: Sequence[str] = (),
        hard: Hard = False,
        now: date | str | None = None,
    ) -> list[Hit]:
        """Do :meth:`rerank` without blocking the event loop."""
        operation = self._plan(query, passages, k, exclude, hard, now)
        return await arun_over(self.index, operation)

    def _plan(
        self,
        query: Query,
        passages: Sequence[Passage],
        k: int | None,
        exclude: Sequence[str],
        hard: Hard,
        now: date | str | None,
    ) -> Operation[list[Hit]]:
        """Check the arguments before the operation starts, so that errors point to the caller."""
        excluded = check_exclude(exclude, hard, self.policy)
        checked, today = check_query(query), check_now(now)
        if k is not None:
            check_count("k", k)
        allowed = distinct(check_passages(passages))
        # one encoder for the whole reranking, even if it is replaced meanwhile
        return self._execute(checked, self.encoder, allowed, k, excluded, hard, today)

    def _execute(
        self,
        query: CheckedQuery,
        encoder: Encoder,
        passages: list[Passage],
        most: int | None,
        exclude: Sequence[str],
        hard: Hard,
        today: date,
    ) -> Operation[list[Hit]]:
        specs, count = encoder.specs, max(1, len(passages))
        (planned,) = yield from plan_queries(
            [query], self.policy, specs, list(specs), count, exclude, hard=hard, today=today
        )
        planned, passages = _filtered(planned, passages)
        if missing := sorted({leaf.vector for leaf in planned.plan} - set(specs)):
            remedy = (
                "only an index can match words: search there, or rerank with another policy"
                if missing[0] == LEXICAL
                else "pass an encoder that makes them"
            )
            raise ConfigurationError(
                f"policy {planned.policy.name!r} needs {missing[0]!r} vectors, and the encoder "
                f"makes only {', '.join(sorted(specs))}; {remedy}"
            )
        warn_if_untrained([planned], specs, planned.policy.name)
        k = len(passages) if most is None else most
        policy, words = planned.policy, planned.words
        readable = [passage for passage in passages if not is_blank(passage.text_to_embed)]
        unreadable = [passage for passage in passages if is_blank(passage.text_to_embed)]
        hits: list[Hit] = []
        question = ""
        if readable:
            (queries,) = yield from encode_plans([planned.plan], encoder)
            names = sorted({leaf.vector for leaf in planned.plan})
            matrices = yield from passage_vectors(readable, names, encoder, self.index)
            pool = CandidatePool(
                tuple(f"{number:09d}" for number in range(len(readable))),  # ties: input order
                {each.name: _cosines(each.query, matrices[each.vector]) for each in queries},
            )
            passages_by_id = dict(zip(pool.ids, readable, strict=True))
            judge = (yield from resolve_judge(self.judge)) if planned.request else None
            reranker = yield from resolve_judge(self.reranker, "reranker")
            depth = k if words is None and not planned.preferences else len(readable)
            asked = (planned.request, judge, planned.question, reranker)
            ranked = rank_candidates(policy, pool, depth, *asked)
            candidates = [prefer_fields(ranked, passages_by_id, planned.preferences)]
            (ranking,) = yield from judge_candidates(candidates, passages_by_id, judge, reranker)
            hits = build_hits(policy.name, pool, ranking, passages_by_id)
            hits = with_reading(hits, planned.reading)
            question = planned.read_by(judge)
        last_score = hits[-1].score if hits else 0.0
        evidence = Evidence(
            policy.name, {}, {}, passed_filter=False, reason="has no text to judge it by"
        )
        for passage in unreadable:
            hits.append(Hit(passage, len(hits) + 1, last_score, evidence))
        return hits[:k] if words is None else leave_out(hits, words, k, question)


def _filtered(planned: PlannedQuery, passages: list[Passage]) -> tuple[PlannedQuery, list[Passage]]:
    """Keep the passages that the query's filters let pass; if fields leave none, prefer them."""

    def left(query: PlannedQuery) -> list[Passage]:
        condition = to_qdrant_filter(also=query.filters)
        return (
            passages if condition is None else [*compress(passages, matching(passages, condition))]
        )

    kept = left(planned)
    if kept or not planned.required or not passages:
        return planned, kept
    said = "; ".join(map(str, planned.required))
    warn(EmptyFilterWarning, f"no passage meets {said}; passages that are near to it come first")
    planned = planned.preferring()
    return planned, left(planned)


def _cosines(query: QueryVector, rows: Scores) -> Scores:
    return np.round(cosine(np.asarray(query, dtype=np.float64), rows), SCORE_DECIMALS)
