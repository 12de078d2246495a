"""Put a query's first candidates into final order after a judge has read their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from logic_retrievers.effects import Operation
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning, warn
from logic_retrievers.judging.judge import (
    MAX_WORDS,
    Judgement,
    TextPair,
    ask,
    check_probabilities,
    nearest_sentences,
)
from logic_retrievers.judging.settings import WeightedJudge
from logic_retrievers.policies import Policy, Ranked
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import CandidatePool, Evidence, Hit, Passage

# Deduction for unread candidates if the judge alone ranks (by margins from -1 to 1).
_UNJUDGED = 3.0


@dataclass(frozen=True, slots=True)
class CandidateRanking:
    """The ranking of one query before a judge reads its first candidates.

    Args:
        pool: the candidates.
        ranking: the policy's ranking, best first.
        depth: number of candidates to return.
        request: the policy's question; None asks no judge.
    """

    pool: CandidatePool
    ranking: Sequence[Ranked]
    depth: int
    request: JudgeRequest | None = None


def rank_candidates(
    policy: Policy,
    pool: CandidatePool,
    depth: int,
    request: JudgeRequest | None = None,
    judge: WeightedJudge | None = None,
) -> CandidateRanking:
    """Rank all candidates that the judge's verdicts could bring among the first ``depth``."""
    if judge is None and request is not None and request.alone:
        raise ConfigurationError(
            f"policy {policy.name!r} ranks by a pair judge, and there is none: pass judge=, a "
            "callable (see logic_retrievers.judging.QueryJudge), or leave it out"
        )
    judged = 0 if judge is None or request is None else judge.constants.candidates
    return CandidateRanking(pool, policy.rank(pool, depth + judged), depth, request)


def judge_candidates(
    rankings: Sequence[CandidateRanking],
    passages: Mapping[str, Passage],
    judge: WeightedJudge | None,
) -> Operation[list[list[Ranked]]]:
    """Return the first ``depth`` candidates of each query in their final order.

    A candidate that the judge does not read keeps its score, or comes last if the judge alone
    ranks. The judge is asked once about all queries. If the judge fails, the order stays unchanged,
    with a warning.
    """
    if judge is None:
        return [[*ranking.ranking[: ranking.depth]] for ranking in rankings]
    read: list[tuple[int, int, str]] = []  # query, candidate, excerpt for the judge
    pairs: list[TextPair] = []
    for number, ranking in enumerate(rankings):
        if ranking.request is None:
            continue
        query = ranking.request.query
        for ranked in ranking.ranking[: judge.constants.candidates]:
            if passage := passages.get(ranking.pool.ids[ranked.index]):
                excerpt = nearest_sentences(passage.text_to_embed, query, MAX_WORDS)
                read.append((number, ranked.index, excerpt))
                pairs.append((excerpt, query))
    reply = yield from ask(judge.judge, pairs, check_probabilities)
    if reply.answers is None:
        warn(PairJudgeWarning, reply.warning)
        return [[*ranking.ranking[: ranking.depth]] for ranking in rankings]
    judgements = {
        (number, index): Judgement(*answer, text)
        for (number, index, text), answer in zip(read, reply.answers, strict=True)
        if answer is not None
    }
    final = []
    for number, ranking in enumerate(rankings):
        order, request = [*ranking.ranking], ranking.request
        if request is not None:
            changed = {
                ranked.index: _judged(ranked, judgements[number, ranked.index], request, judge)
                for ranked in order
                if (number, ranked.index) in judgements
            }
            unjudged = _UNJUDGED if request.alone else 0.0
            order = _sorted(
                changed.get(ranked.index) or replace(ranked, score=ranked.score - unjudged)
                for ranked in order
            )
        final.append(order[: ranking.depth])
    return final


def _judged(
    ranked: Ranked, judgement: Judgement, request: JudgeRequest, judge: WeightedJudge
) -> Ranked:
    constants = judge.constants
    reason = {
        "satisfies": f"the judge reads that it satisfies the query ({judgement.satisfies:.2f})",
        "violates": f"the judge reads that it violates the query ({judgement.violates:.2f})",
        "neutral": f"the judge reads neither match nor violation in it ({judgement.neutral:.2f})",
    }[judgement.verdict]
    told = judgement.to_dict()
    score = judgement.margin
    if not request.alone:
        added = request.gate * (
            constants.satisfies_weight * judgement.satisfies
            - constants.violates_weight * judgement.violates
        )
        score = ranked.score + added
        told |= {"gate": round(request.gate, 6), "added": round(added, 6)}
        reason = f"{ranked.reason}; {reason}"
    return replace(ranked, score=score, reason=reason, details={**ranked.details, "judge": told})


def _sorted(ranking: Iterable[Ranked]) -> list[Ranked]:
    """Sort best first; candidates that failed a filter stay behind the others."""
    return sorted(ranking, key=lambda ranked: (not ranked.passed_filter, -ranked.score))


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
