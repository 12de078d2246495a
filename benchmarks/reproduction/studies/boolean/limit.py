"""AND and NOT over LIMIT's people, with expressions whose truth is computed."""

from __future__ import annotations

from benchmarks.common.query_templates import query_templates
from benchmarks.datasets.limit import limit_queries
from benchmarks.reproduction.artefacts import Bars, Figure, Row, Table
from benchmarks.reproduction.studies.boolean.systems import BASE, search_expressions
from benchmarks.reproduction.table_cells import bars
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import Dataset, EvaluationResult, load_dataset

PEOPLE = "limit_small"
PAIRS = 500
SHOWN = {"a_and_b": "AND", "a_not_b": "NOT"}
"""Template -> its label."""


def limit_artefacts(bench: Workbench) -> tuple[Table, Figure]:
    """Measures a right person at rank 1, and all excluded people below the right ones."""
    dataset = limit_queries(load_dataset(PEOPLE), PAIRS, bench.seed)
    results = search_expressions(dataset, bench.encoder, len(dataset.documents), bench.log)
    first = {name: result.per_query["P@1"] for name, result in results.items()}
    below = {name: violators_below(dataset, result) for name, result in results.items()}
    groups = results[BASE].groups
    labels = {name: SHOWN[template] for name, template in query_templates(dataset.queries).items()}
    of_first, of_below = (
        bars(values, labels, groups, label, baseline=BASE, seed=bench.seed)
        for values, label in ((first, "P@1"), (below, "all violators below"))
    )
    return limit_table(dataset, of_first, of_below), Figure(
        name="boolean-limit-first",
        title="LIMIT: a right person first",
        caption="Who likes A and B, who likes A but not B: share of the questions, 95 % intervals.",
        plot=of_first,
    )


def limit_table(dataset: Dataset, first: Bars, below: Bars) -> Table:
    """Both measures under both templates."""
    heads = [f"{label}: {bar.y_label}" for label in first.labels for bar in (first, below)]
    return Table(
        name="boolean-limit",
        title="AND and NOT over LIMIT's people",
        columns=("system", *heads),
        rows=tuple(
            Row(
                cells=(
                    name,
                    *(
                        bar.systems[name][place]
                        for place in range(len(first.labels))
                        for bar in (first, below)
                    ),
                )
            )
            for name in first.systems
        ),
        baseline=BASE,
        notes=(
            f"{PAIRS} pairs of attributes that exactly one of {len(dataset.documents)} people has "
            "both of, and two questions for each. Whole questions for BM25 and the base; rules get "
            "the gold expression, but for the row in words, whose reading the parser makes.",
        ),
        better=dict.fromkeys(heads, "higher"),
    )


def violators_below(dataset: Dataset, result: EvaluationResult) -> dict[str, float]:
    """Query -> 1 if all excluded people rank below all right ones, else 0."""
    below = {}
    for query in dataset.queries:
        places = {name: place for place, name in enumerate(result.run[query.id])}
        last = max(places.get(name, len(places)) for name in query.grades)
        first = min(places.get(name, len(places)) for name in query.violating)
        below[query.id] = float(last < first)
    return below
