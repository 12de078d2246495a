"""AND and NOT over LIMIT's people, with expressions whose truth is computed."""

from __future__ import annotations

from logic_retrievers.evaluation import Dataset, Result, limit_queries, load_dataset, templates
from logic_retrievers.report.artefacts import Bars, Figure, Row, Table
from logic_retrievers.report.cells import bars
from logic_retrievers.report.studies.boolean_systems import BASE, as_expressions
from logic_retrievers.report.workbench import Workbench

PEOPLE = "limit_small"
PAIRS = 500
SHOWN = {"a_and_b": "AND", "a_not_b": "NOT"}
"""Template -> how it is called."""


def limit_artefacts(bench: Workbench) -> tuple[Table, Figure]:
    """Right people first, and all of those ruled out behind them."""
    dataset = limit_queries(load_dataset(PEOPLE), PAIRS, bench.seed)
    results = as_expressions(dataset, bench.encoder, len(dataset.documents), bench.say)
    first = {name: result.per_query["P@1"] for name, result in results.items()}
    below = {name: violators_below(dataset, result) for name, result in results.items()}
    groups = results[BASE].groups
    labels = {name: SHOWN[one] for name, one in templates(dataset.queries).items()}
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


def violators_below(dataset: Dataset, result: Result) -> dict[str, float]:
    """Query -> 1 where everybody whom it rules out stands below every right person."""
    found = {}
    for query in dataset.queries:
        places = {name: place for place, name in enumerate(result.run[query.id])}
        last = max(places.get(name, len(places)) for name in query.grades)
        first = min(places.get(name, len(places)) for name in query.violating)
        found[query.id] = float(last < first)
    return found
