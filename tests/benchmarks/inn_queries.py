"""A few queries about inns with exclusions, as benchmark folders and in memory."""

from __future__ import annotations

from pathlib import Path

from jsonl_files import write_rows

from logic_retrievers.evaluation import Dataset, EvaluationResult, Query
from logic_retrievers.evaluation.metrics import compute_metrics
from logic_retrievers.evaluation.result import estimate_metrics

DOCUMENTS = {
    "quiet": "a quiet inn with a garden",
    "loud": "a loud inn with a garden and a nightclub",
    "pool": "a cheap inn with a pool",
    "stable": "a cheap inn with a stable",
    "boat": "boats for hire at the lake",
    "train": "trains to the coast",
}
QUERIES = (
    ("q1", "an inn with a garden but no nightclub", ("quiet",), ("loud",)),
    ("q2", "a cheap inn without a pool", ("stable",), ("pool",)),
    ("q3", "a cheap inn except with a stable", ("pool",), ("stable",)),
    ("q4", "a loud inn with a garden", ("loud",), ("quiet",)),
)


def inns() -> Dataset:
    """The data set."""
    queries = tuple(
        Query(name, text, dict.fromkeys(right, 1), frozenset(wrong))
        for name, text, right, wrong in QUERIES
    )
    return Dataset("inns", DOCUMENTS, queries)


def result_of(dataset: Dataset, **lists: list[str]) -> EvaluationResult:
    """Metrics of given lists to a depth of 10; queries without a list are skipped."""
    queries = [query for query in dataset.queries if query.id in lists]
    scored = {name: [(d, -float(n)) for n, d in enumerate(ids)] for name, ids in lists.items()}
    per_query = compute_metrics(queries, scored, 10)
    groups = {query.id: query.id for query in queries}
    run = {query.id: tuple(lists[query.id]) for query in queries}
    estimates = estimate_metrics(per_query, groups, resamples=10)
    return EvaluationResult(
        dataset.name, "", 10, len(DOCUMENTS), 0, estimates, per_query, groups, run
    )


def write_inns(folder: Path) -> None:
    """Write the set as a benchmark folder; queries in pairs if the folder is NevIR's."""
    corpus = [{"_id": name, "title": "", "text": text} for name, text in DOCUMENTS.items()]
    queries = [
        {
            "_id": name,
            "text": text,
            "satisfying": list(right),
            "violating": list(wrong),
            **({"pair_id": f"p{n // 2}"} if "nevir" in folder.parts else {}),
        }
        for n, (name, text, right, wrong) in enumerate(QUERIES)
    ]
    write_rows(folder / "corpus.jsonl", corpus)
    write_rows(folder / "queries.jsonl", queries)
