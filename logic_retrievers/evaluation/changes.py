"""Which queries a change makes better or worse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logic_retrievers.evaluation.datasets import Dataset, Query

if TYPE_CHECKING:
    from logic_retrievers.evaluation.result import EvaluationResult

DEPTH = 10
# number of queries that are named
WORST = 5
NDCG = "nDCG@10"
RIGHT_FIRST = "mean of MRR@10 and 'a satisfying passage above all violating ones'"
RECIPROCAL_RANK = "MRR@10"
# smaller differences come from rounding
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class ChangedQuery:
    """A query whose value changed."""

    id: str
    text: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Changes:
    """How the values of queries change.

    Args:
        measure: name of the value of one query.
        better, worse, same: numbers of queries.
        worst: the five queries that lose most, or fewer; the greatest loss first.
    """

    measure: str
    better: int
    worse: int
    same: int
    worst: tuple[ChangedQuery, ...]

    def to_json(self) -> dict[str, Any]:
        """Return a plain dictionary for ``json.dumps``."""
        return {
            **{name: getattr(self, name) for name in ("measure", "better", "worse", "same")},
            "worst": [
                {name: getattr(query, name) for name in ("id", "text", "before", "after")}
                for query in self.worst
            ],
        }


def right_first(query: Query, ranked: Sequence[str]) -> float:
    """Return the reciprocal rank at 10 of the first satisfying document.

    For a query with violating documents, the mean of it and of 1 if that document ranks above all
    violating ones, else 0.
    """
    place = next((n for n, document in enumerate(ranked) if document in query.grades), None)
    reciprocal = 1 / (place + 1) if place is not None and place < DEPTH else 0.0
    if not query.violating:
        return reciprocal
    is_above = place is not None and query.violating.isdisjoint(ranked[:place])
    return (reciprocal + is_above) / 2


def values_by_query(
    dataset: Dataset, run: Mapping[str, Sequence[str]]
) -> tuple[str, dict[str, float]]:
    """Return the measure's name, and :func:`right_first` of each query with satisfying documents.

    ``run`` maps a query's id to its ranked documents.
    """
    queries = [query for query in dataset.queries if query.grades]
    measure = RIGHT_FIRST if any(query.violating for query in queries) else RECIPROCAL_RANK
    return measure, {query.id: right_first(query, run[query.id]) for query in queries}


def compare_queries(dataset: Dataset, before: EvaluationResult, after: EvaluationResult) -> Changes:
    """Count the queries that are better and worse in ``after``, and name the worst.

    Queries are compared by nDCG@10; in a data set with violating documents, by
    :func:`right_first`. A query without satisfying documents does not count.
    """
    measure, old = values_by_query(dataset, before.run)
    new = values_by_query(dataset, after.run)[1]
    if measure == RECIPROCAL_RANK and NDCG in before.per_query:
        measure, old, new = NDCG, dict(before.per_query[NDCG]), dict(after.per_query[NDCG])
    return changes(measure, dataset.queries, old, new)


def changes(
    measure: str, queries: Iterable[Query], before: Mapping[str, float], after: Mapping[str, float]
) -> Changes:
    """Compare the values of queries by id; a query without a value does not count."""
    changed = [
        ChangedQuery(query.id, query.text, before[query.id], after[query.id])
        for query in queries
        if query.id in before
    ]
    gains = [query.after - query.before for query in changed]
    worse = [q for q, gain in zip(changed, gains, strict=True) if gain < -_EQUAL]
    better = sum(gain > _EQUAL for gain in gains)
    return Changes(
        measure,
        better,
        len(worse),
        len(gains) - better - len(worse),
        tuple(sorted(worse, key=lambda query: query.after - query.before)[:WORST]),
    )
