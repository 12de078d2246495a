"""Metrics for retrieval under constraints, and the choice of those that fit a data set.

The metrics are pure functions of one ranked list and its labels. A list shorter than k has fewer
chances to violate and to satisfy, so never read V@k without the recall.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation.datasets import Query

# pairs (document id, score), best first
Ranking: TypeAlias = Sequence[tuple[str, float]]

FVR_DEPTH = 10
# our name -> name in ir-measures
_STANDARD = {name: name for name in ("P@1", "nDCG@5", "nDCG@10")} | {
    "MRR@10": "RR@10",
    "MAP@10": "AP@10",
}
_RECALL_DEPTHS, _VIOLATION_DEPTHS = (1, 5, 10, 20, 100, 1000), (1, 2, 5, 10)
_CONSTRAINT_METRICS = (  # in report order
    *(f"R@{k}" for k in _RECALL_DEPTHS),
    *(f"V@{k}" for k in _VIOLATION_DEPTHS),
    *("FVR", "NegRecall@10", "violation_rate", "constraint_nDCG@10"),
)

# metric without its depth -> explanation in one line
MEANINGS: Mapping[str, str] = {
    "P": "the first hit satisfies (share of queries)",
    "R": "share of the wanted passages among the first k",
    "V": "a violating passage is among the first k (share of queries; low is good)",
    "FVR": "rank of the first violating passage (high is good)",
    "MRR": "mean of 1 / rank of the first wanted passage",
    "nDCG": "wanted passages near the top, 1 at best",
    "MAP": "mean of the precision at each wanted passage",
    "NegRecall": "share of the violating passages among the first k (low is good)",
    "violation_rate": "violating passages have the better mean rank (share of queries)",
    "constraint_nDCG": "satisfying 2, neutral 1, violating 0: near the top, 1 at best",
    "paired_accuracy": "both queries of a pair rank what satisfies above what violates",
}


def violation_at_k(ranked: Sequence[str], violating: Collection[str], k: int) -> float:
    """V@k: 1 if a violating document is among the first k, else 0 (CoDeR, eq. 3)."""
    return float(any(document in violating for document in ranked[:k]))


def first_violating_rank(
    ranked: Sequence[str], violating: Collection[str], k: int = FVR_DEPTH
) -> int:
    """FVR: 1-based rank of the first violating document; k + 1 if the first k have none (eq. 4)."""
    ranks = (rank for rank, document in enumerate(ranked[:k], start=1) if document in violating)
    return next(ranks, k + 1)


def recall_at_k(ranked: Sequence[str], wanted: Collection[str], k: int) -> float:
    """R@k: share of the wanted documents among the first k.

    With satisfying documents this is the recall. With violating documents it is NegRecall@k
    (BoolQuestions), where smaller is better. NaN if ``wanted`` is empty.
    """
    if not wanted:
        return math.nan
    return sum(document in wanted for document in ranked[:k]) / len(wanted)


def mean_rank_violation(
    ranked: Sequence[str], satisfying: Collection[str], violating: Collection[str]
) -> float:
    """1 if the violating documents have a better mean rank than the satisfying ones, else 0.

    The mean over negation queries is the violation rate (Shen et al. 2025, LogiCoL). A document
    that is not in the list gets the rank after the list's end. Equal means are not a violation. An
    empty list violates nothing, so read the recall too. NaN if either set is empty.
    """
    if not satisfying or not violating:
        return math.nan
    ranks = {document: rank for rank, document in enumerate(ranked, start=1)}
    unranked = len(ranked) + 1
    satisfying_sum = sum(ranks.get(document, unranked) for document in satisfying)
    violating_sum = sum(ranks.get(document, unranked) for document in violating)
    # compare the two means in whole numbers, so that ties stay ties
    return float(violating_sum * len(satisfying) < satisfying_sum * len(violating))


def constraint_ndcg_at_k(
    ranked: Sequence[str], satisfying: Collection[str], neutral: Collection[str], k: int
) -> float:
    """nDCG@k with gains 2, 1 and 0 for satisfying, neutral and violating (CoDeR's diagnostics).

    NaN if no document has a gain.
    """

    def dcg(gains: Iterable[int]) -> float:
        return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(islice(gains, k)))

    ideal = dcg([2] * len(satisfying) + [1] * len(neutral))
    gains = (2 if d in satisfying else 1 if d in neutral else 0 for d in ranked)
    return dcg(gains) / ideal if ideal else math.nan


def ranks_above(ranked: Ranking, satisfying: Collection[str], violating: Collection[str]) -> bool:
    """Whether every satisfying document ranks above every violating one (one query of a pair).

    Documents outside the list rank below all documents in the list. Equal scores are a tie. A tie
    fails, and so does a missing satisfying document.
    """
    scores = dict(ranked)
    positions = {document: position for position, (document, _) in enumerate(ranked)}
    if any(document not in positions for document in satisfying):
        return False
    return all(
        positions[own] < positions[other] and scores[own] != scores[other]
        for own in satisfying
        for other in positions.keys() & set(violating)
    )


def import_ir_measures() -> Any:
    """Import ir-measures; call this before long work that needs the package.

    Raises:
        MissingExtraError: ir-measures is not installed.
    """
    try:
        import ir_measures
    except ModuleNotFoundError as error:
        raise MissingExtraError("ir-measures", "eval") from error
    return ir_measures


def standard_metrics(
    grades: Mapping[str, Mapping[str, int]], ranked: Mapping[str, Sequence[str]], depth: int = 100
) -> dict[str, dict[str, float]]:
    """Metric -> query -> value for P@1, nDCG@5, nDCG@10, MRR@10 and MAP@10, by ir-measures.

    nDCG has linear gains. ``grades`` maps query -> relevant document -> grade, 1 or more. An empty
    list scores 0. Metrics deeper than ``depth`` are left out.
    """
    ir_measures = import_ir_measures()
    qrels = [
        ir_measures.Qrel(query, document, grade)
        for query, documents in grades.items()
        for document, grade in documents.items()
    ]
    # trec_eval breaks ties of scores by id, so only strictly falling scores keep our order
    run = [
        ir_measures.ScoredDoc(query, document, 1 / rank)
        for query in grades
        for rank, document in enumerate(ranked[query], start=1)
    ]
    names = {
        ir_measures.parse_measure(theirs): name
        for name, theirs in _STANDARD.items()
        if int(name.partition("@")[2]) <= depth
    }
    values = {name: dict.fromkeys(grades, 0.0) for name in names.values()}
    if run:
        for value in ir_measures.iter_calc(list(names), qrels, run):
            values[names[value.measure]][value.query_id] = float(value.value)
    return values


def _constraint_metrics(query: Query, ids: Sequence[str]) -> Iterator[tuple[str, int, float]]:
    """Yield name, depth and value of every metric that the query's labels allow."""
    if query.grades:
        for k in _RECALL_DEPTHS:
            yield f"R@{k}", k, recall_at_k(ids, query.grades, k)
    if query.violating:
        for k in _VIOLATION_DEPTHS:
            yield f"V@{k}", k, violation_at_k(ids, query.violating, k)
        yield "FVR", FVR_DEPTH, float(first_violating_rank(ids, query.violating))
        yield "NegRecall@10", 10, recall_at_k(ids, query.violating, 10)
        if query.grades and query.is_negation:  # depth 0: for lists of any length
            yield "violation_rate", 0, mean_rank_violation(ids, query.grades, query.violating)
    if query.neutral:
        ndcg = constraint_ndcg_at_k(ids, query.satisfying, query.neutral, 10)
        yield "constraint_nDCG@10", 10, ndcg


def compute_metrics(
    queries: Sequence[Query], rankings: Mapping[str, Ranking], depth: int
) -> dict[str, dict[str, float]]:
    """Metric -> query id -> value, for all metrics that the labels and the depth allow."""
    ranked = {query: [document for document, _ in ranking] for query, ranking in rankings.items()}
    grades = {query.id: query.grades for query in queries if query.grades}
    values = standard_metrics(grades, ranked, depth)
    values |= {name: {} for name in _CONSTRAINT_METRICS}
    for query in queries:
        for name, metric_depth, value in _constraint_metrics(query, ranked[query.id]):
            if metric_depth <= depth:
                values[name][query.id] = value
    pairs: dict[str, list[Query]] = {}
    for query in queries:
        if query.pair and query.grades and query.violating:
            pairs.setdefault(query.pair, []).append(query)
    # both queries of a pair get the pair's value, so means over queries are means over pairs
    values["paired_accuracy"] = {
        query.id: float(all(ranks_above(rankings[q.id], q.grades, q.violating) for q in both))
        for both in pairs.values()
        if len(both) == 2
        for query in both
    }
    return {name: of_query for name, of_query in values.items() if of_query}
