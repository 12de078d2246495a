"""Put a query's first candidates into final order after a judge has read their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from logic_retrievers.effects import Operation
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning, warn
from logic_retrievers.fields import Condition, FieldReading, mean_closeness
from logic_retrievers.index.groups import Grouping, first_of_groups, group_key
from logic_retrievers.judging.judge import (
    AnyJudgement,
    Question,
    TextPair,
    ask,
    check_answer,
    join_answers,
    nearest_sentences,
)
from logic_retrievers.judging.settings import WeightedJudge
from logic_retrievers.policies import Policy, Ranked
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.ranking.judged_order import judged, preferred, reranked
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import CandidatePool, Evidence, Hit, Passage


@dataclass(frozen=True, slots=True)
class CandidateRanking:
    """The ranking of one query before a judge reads its first candidates.

    Args:
        pool: the candidates.
        ranking: the policy's ranking, best first.
        depth: number of candidates to return.
        request: the policy's question; None asks no judge.
        question: the query as a reranker reads it; None asks none.
    """

    pool: CandidatePool
    ranking: Sequence[Ranked]
    depth: int
    request: JudgeRequest | None = None
    question: Question | None = None


def rank_candidates(
    policy: Policy,
    pool: CandidatePool,
    depth: int,
    request: JudgeRequest | None = None,
    judge: WeightedJudge | None = None,
    question: Question | None = None,
    reranker: WeightedJudge | None = None,
    grouping: Grouping | None = None,
) -> CandidateRanking:
    """Rank all candidates that judge or reranker could bring among the first ``depth``.

    With ``grouping``, keep the best candidates of that many groups instead.
    """
    if judge is None and request is not None and request.alone:
        raise ConfigurationError(
            f"policy {policy.name!r} ranks by a pair judge, and there is none: pass judge=, a "
            "callable (see logic_retrievers.judging.QueryJudge), or leave it out"
        )
    if reranker is not None and request is not None and request.alone:
        raise ConfigurationError(
            f"policy {policy.name!r} ranks by its judge alone: leave out reranker=, or pass its"
            " model as judge="
        )
    if grouping is not None:
        every = _with_groups(policy.rank(pool, max(1, len(pool.ids))), pool)
        best = first_of_groups(every, _group_of, grouping.count, grouping.per_group)
        return CandidateRanking(pool, best, len(best), request, question)
    read = [
        asked.constants.candidates
        for asked, asks in ((judge, request), (reranker, question))
        if asked is not None and asks is not None
    ]
    ranking = policy.rank(pool, depth + max(read, default=0))
    return CandidateRanking(pool, ranking, depth, request, question)


def prefer_fields(
    ranking: CandidateRanking, passages: Mapping[str, Passage], conditions: Sequence[Condition]
) -> CandidateRanking:
    """Put candidates first whose metadata are near to what the query prefers."""
    if not conditions:
        return ranking
    closeness = {
        ranked.index: mean_closeness(conditions, passage.metadata)
        for ranked in ranking.ranking
        if (passage := passages.get(ranking.pool.ids[ranked.index]))
    }
    return replace(ranking, ranking=preferred(ranking.ranking, closeness, conditions))


def _with_groups(ranking: Sequence[Ranked], pool: CandidatePool) -> list[Ranked]:
    """Note in the details of each candidate by which value it is grouped."""
    return [
        replace(ranked, details={**ranked.details, "group": pool.groups[ranked.index]})
        for ranked in ranking
    ]


def _group_of(ranked: Ranked) -> object:
    value = ranked.details["group"]
    return None if value is None else group_key(value)


def judge_candidates(
    rankings: Sequence[CandidateRanking],
    passages: Mapping[str, Passage],
    judge: WeightedJudge | None,
    reranker: WeightedJudge | None = None,
) -> Operation[list[list[Ranked]]]:
    """Return the first ``depth`` candidates of each query in their final order.

    If the reranker reads more candidates than the judge, the judge reads those that it puts first.
    A candidate that the judge does not read keeps its score, or comes last if the judge alone
    ranks. Judge and reranker are each asked once about all queries. If one fails, the order stays
    as it is without it, with a warning.
    """
    orders = [[*ranking.ranking] for ranking in rankings]
    if reranker is not None:
        questions = [ranking.question for ranking in rankings]
        read = yield from _read("reranker", reranker, questions, orders, rankings, passages)
        weight = reranker.constants.relevance_weight
        orders = [reranked(*each, weight) for each in zip(orders, read, strict=True)]
    if judge is not None:
        requests = [ranking.request for ranking in rankings]
        asked = [None if request is None else request.question for request in requests]
        depth = judge.constants.candidates
        if reranker is not None:
            depth = max(depth, reranker.constants.candidates)
        heads = [{ranked.index for ranked in each.ranking[:depth]} for each in rankings]
        firsts = [
            [ranked for ranked in order if ranked.index in head]
            for order, head in zip(orders, heads, strict=True)
        ]
        read = yield from _read("pair judge", judge, asked, firsts, rankings, passages)
        orders = [
            order if request is None else judged(order, judgements, request, judge.constants)
            for order, judgements, request in zip(orders, read, requests, strict=True)
        ]
    return [order[: r.depth] for order, r in zip(orders, rankings, strict=True)]


def _read(
    role: str,
    judge: WeightedJudge,
    questions: Sequence[Question | None],
    orders: Sequence[Sequence[Ranked]],
    rankings: Sequence[CandidateRanking],
    passages: Mapping[str, Passage],
) -> Operation[list[dict[int, AnyJudgement]]]:
    """Return the judgements of each query by candidate; warn if the judge failed."""
    read: list[tuple[int, int, str, int]] = []  # query, candidate, excerpt, number of texts
    pairs: list[TextPair] = []
    ids: list[str] = []  # of each pair, for a tracer
    for number, question in enumerate(questions):
        if question is None:
            continue
        texts = question.texts(judge.constants.ask)
        for ranked in orders[number][: judge.constants.candidates]:
            if passage := passages.get(rankings[number].pool.ids[ranked.index]):
                excerpt = nearest_sentences(
                    passage.text_to_embed, question, judge.constants.max_words
                )
                read.append((number, ranked.index, excerpt, len(texts)))
                pairs += [(excerpt, text) for text in texts]
                ids += [passage.id] * len(texts)
    reply = yield from ask(judge.judge, pairs, check_answer, role, ids)
    if reply.warning:
        warn(PairJudgeWarning, reply.warning_of(role))
    judgements: list[dict[int, AnyJudgement]] = [{} for _ in rankings]
    kinds = {type(answer) for answer in reply.answers or () if answer is not None}
    if len(kinds) > 1:
        warn(PairJudgeWarning, f"the {role} does not count: it mixes scores and probabilities")
    if len(kinds) != 1:
        return judgements
    answers = iter(reply.answers or ())
    for number, index, excerpt, count in read:
        joined = join_answers([*islice(answers, count)], excerpt)
        if joined is not None:
            judgements[number][index] = joined
    return judgements


def with_reading(hits: Sequence[Hit], reading: FieldReading | None) -> list[Hit]:
    """Add to the evidence what the query says of declared fields."""
    if reading is None or not reading.conditions:
        return [*hits]
    read = [each.to_dict() for each in reading.conditions]
    required = "; ".join(f"{each}, from {each.words!r}" for each in reading.required)
    told = []
    for hit in hits:
        reason = "; ".join(filter(None, (hit.evidence.reason, required)))
        details = {**hit.evidence.details, "fields": read, "searched": reading.rest}
        evidence = replace(hit.evidence, reason=reason, details=details)
        told.append(replace(hit, evidence=evidence))
    return told


def build_hits(
    policy: str, pool: CandidatePool, ranking: Sequence[Ranked], passages: Mapping[str, Passage]
) -> list[Hit]:
    """Make hits with evidence; skip candidates whose passages have been deleted."""
    columns = {name: scores.tolist() for name, scores in pool.scores.items()}
    ranks = {name: ordinal_ranks(scores) for name, scores in pool.scores.items()}
    hits: list[Hit] = []
    for ranked in ranking:
        passage = passages.get(pool.ids[ranked.index])
        if passage is None:
            continue
        scores = {name: column[ranked.index] for name, column in columns.items()}
        evidence = Evidence(
            policy=policy,
            scores={name: None if np.isnan(score) else score for name, score in scores.items()},
            ranks={name: int(column[ranked.index]) or None for name, column in ranks.items()},
            passed_filter=ranked.passed_filter,
            reason=ranked.reason,
            details=ranked.details,
        )
        hits.append(Hit(passage, len(hits) + 1, ranked.score, evidence))
    return hits
