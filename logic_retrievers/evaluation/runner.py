"""Runs a search function over a data set and measures its rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.evaluation.metrics import Ranking, compute_metrics
from logic_retrievers.evaluation.queries import Query
from logic_retrievers.evaluation.result import EvaluationResult, estimate_metrics
from logic_retrievers.evaluation.statistics import RESAMPLES

Search: TypeAlias = Callable[[Sequence[str], int], Sequence[Ranking]]
"""What is evaluated: texts and k -> a ranking of at most k (document id, score) for each text."""


def evaluate(
    dataset: Dataset,
    search: Search,
    depth: int = 100,
    *,
    policy: str = "",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> EvaluationResult:
    """Searches for every query of a data set and measures the rankings.

    The labels and the depth decide which metrics there are: nDCG, MRR, MAP, P and R where
    there are satisfying documents; V@k, FVR and NegRecall@10 where there are violating ones;
    violation_rate where such a query is a negation; constraint_nDCG@10 where there are neutral
    ones; paired_accuracy where queries come in pairs. A metric deeper than ``depth`` is left out.

    Args:
        dataset: its queries are searched for, in its ``documents``.
        search: called once, with all query texts.
        depth: length of the rankings. Paired accuracy is exact where both documents of a query lie
            within it; a pair below it counts as a failure.
        policy: a name for the report.
        resamples: as :func:`bootstrap`.
        seed: as :func:`bootstrap`.

    Raises:
        ConfigurationError: the depth is below 1, or ``search`` returned something else than ranked
            documents of the data set.
        MissingExtraError: ir-measures is not installed.
    """
    if depth < 1:
        raise ConfigurationError(f"depth is {depth}; it must be at least 1")
    most_excluded = max((len(query.exclude) for query in dataset.queries), default=0)
    found = search([query.text for query in dataset.queries], depth + most_excluded)
    rankings = [list(ranking) for ranking in found]  # checked, then measured
    if len(rankings) != len(dataset.queries):
        counts = f"{len(rankings)} lists for {len(dataset.queries)} queries"
        raise ConfigurationError(f"search returned {counts}")
    by_query: dict[str, list[tuple[str, float]]] = {}
    short_lists = 0
    for query, ranking in zip(dataset.queries, rankings, strict=True):
        _check_ranking(query, ranking, dataset.documents)
        allowed = [
            (document, score) for document, score in ranking if document not in query.exclude
        ]
        by_query[query.id] = allowed[:depth]
        short_lists += len(allowed) < min(depth, len(dataset.documents) - len(query.exclude))
    per_query = compute_metrics(dataset.queries, by_query, depth)
    groups = {query.id: _bootstrap_group(query) for query in dataset.queries}
    return EvaluationResult(
        dataset=dataset.name,
        policy=policy,
        depth=depth,
        documents=len(dataset.documents),
        short_lists=short_lists,
        estimates=estimate_metrics(per_query, groups, resamples=resamples, seed=seed),
        per_query=per_query,
        groups=groups,
        run={
            query: tuple(document for document, _ in ranking) for query, ranking in by_query.items()
        },
    )


def _bootstrap_group(query: Query) -> str:
    """Queries that share documents or atoms are no independent evidence: same group."""
    if query.pair is not None:
        return f"pair {query.pair}"
    return query.id if query.group is None else f"group {query.group}"


def _check_ranking(query: Query, ranking: Ranking, documents: Mapping[str, str]) -> None:
    ids = [document for document, _ in ranking]
    unknown = next((document for document in ids if document not in documents), None)
    if unknown is not None:
        raise ConfigurationError(
            f"search returned {unknown!r} for query {query.id!r}; the data set has no such document"
        )
    if len(set(ids)) < len(ids):
        raise ConfigurationError(f"search returned a document twice for query {query.id!r}")
