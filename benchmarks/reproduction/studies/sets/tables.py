"""Tables of the set queries: systems, kinds of queries, and gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from benchmarks.common.query_templates import query_templates
from benchmarks.reproduction.artefacts import Measurement, Row, Table
from benchmarks.reproduction.studies.sets import published
from benchmarks.reproduction.studies.sets.answers import Answers
from benchmarks.reproduction.studies.sets.pool import FilmPool
from benchmarks.reproduction.studies.sets.systems import (
    BASE,
    BM25,
    CONTRASTIVE,
    ENSEMBLE,
    LOGICOL,
    OURS,
    OURS_HYBRID,
    OURS_IN_WORDS,
    OVER_LOGICOL,
    ROLES,
    WHOLE,
    WHOLE_DENSE,
)
from benchmarks.reproduction.table_cells import absent_row, column, gains
from logic_retrievers.evaluation import EvaluationResult

MEASURES = ("R@5", "R@20", "R@100", "R@1000", "violation_rate")
WITH_VARIANTS = "R@100, with variants"
BETTER: Mapping[str, Literal["higher", "lower"]] = {
    "violation rate": "lower",
    WITH_VARIANTS: "higher",
}
KINDS = {
    "a": "none",
    "a_and_b": "AND",
    "a_and_b_and_c": "AND",
    "a_not_b": "NOT",
    "a_and_b_not_c": "NOT",
    "a_or_b": "OR",
    "a_or_b_or_c": "OR",
}
"""Template -> its operator, as the paper groups them."""
PAIRS = (
    (LOGICOL, CONTRASTIVE),
    (ENSEMBLE, BASE),
    (OURS, ENSEMBLE),
    (OURS, WHOLE_DENSE),
    (OURS_HYBRID, WHOLE),
    (OURS_HYBRID, BM25),
    (OURS_IN_WORDS, OURS_HYBRID),
    (OVER_LOGICOL, LOGICOL),
)
"""Further comparisons: (system, baseline)."""

Columns = Mapping[str, Mapping[str, Measurement | None]]
"""Column -> system -> cell."""


def systems_table(pool: FilmPool, answers: Answers, seed: int) -> Table:
    """Every system against the base, and published figures."""
    columns: dict[str, Mapping[str, Measurement | None]] = {
        measure: results_column(answers.test_results, measure, seed) for measure in MEASURES
    }
    columns[WITH_VARIANTS] = results_column(answers.all_results, "R@100", seed)
    return Table(
        name="set-queries",
        title="Set queries over films: recall and violations",
        columns=("system", *(name.replace("_", " ") for name in columns)),
        rows=(
            *rows(list(answers.test_results), columns),
            *absent_rows(answers.test_results, len(columns)),
            *published.SYSTEMS,
        ),
        baseline=BASE,
        notes=(
            f"{len(pool.test_set.queries)} test queries, evenly over seven templates, and "
            f"{len(pool.all_queries.queries) - len(pool.test_set.queries)} variants of them (the "
            f"same atoms under other operators); {len(pool.test_set.documents)} of the films: a "
            "sample of what the data give, so that one core ranks it in minutes.",
            "Truth is computed from what the texts say; rules get the expression that a query was "
            "made from, but for the row in words, whose reading the parser makes.",
            "Violation rate: share of the queries with NOT whose excluded films stand above the "
            "right ones in mean rank; lower is better. Each row is tested against the base.",
        ),
        better=BETTER,
    )


def kinds_table(pool: FilmPool, answers: Answers, seed: int) -> Table:
    """R@100 by operator."""
    labels = {
        name: KINDS[template]
        for name, template in query_templates(pool.all_queries.queries).items()
    }
    columns = {}
    for kind in dict.fromkeys(KINDS.values()):
        of_kind = {
            name: {q: v for q, v in result.per_query["R@100"].items() if labels[q] == kind}
            for name, result in answers.all_results.items()
        }
        columns[kind] = column(of_kind, answers.all_results[BASE].groups, BASE, seed)
    return Table(
        name="set-queries-by-kind",
        title="R@100 by what joins the atoms, variants among the queries",
        columns=("system", *columns),
        rows=(
            *rows(list(answers.all_results), columns),
            *absent_rows(answers.all_results, len(columns)),
            *published.KINDS,
        ),
        baseline=BASE,
        notes=("Queries with NOT count under NOT, whatever else joins them.",),
        better=dict.fromkeys(columns, "higher"),
    )


def gains_table(answers: Answers, seed: int) -> Table:
    """Paired differences, corrected over the pairs."""
    pairs = [pair for pair in PAIRS if set(pair) <= answers.test_results.keys()]
    columns = [_gains(answers.test_results, pairs, measure, seed) for measure in ("R@5", "R@100")]
    columns.append(_gains(answers.test_results, pairs, "violation_rate", seed))
    columns.append(_gains(answers.all_results, pairs, "R@100", seed))
    return Table(
        name="set-queries-gains",
        title="What one system gains over another",
        columns=("system", "over", "R@5", "R@100", "violation rate", WITH_VARIANTS),
        rows=tuple(Row(cells=(*pair, *(cells.get(pair) for cells in columns))) for pair in pairs),
        notes=(
            "Mean difference over the same queries with its paired interval; p against no "
            "difference, corrected over the rows (Holm). Fewer violations are a negative figure.",
        ),
        better=BETTER,
    )


def results_column(
    results: Mapping[str, EvaluationResult], measure: str, seed: int
) -> dict[str, Measurement | None]:
    """The column of a measure, compared with the base."""
    values = {name: result.per_query[measure] for name, result in results.items()}
    return column(values, results[BASE].groups, BASE, seed)


def rows(systems: list[str], columns: Columns) -> tuple[Row, ...]:
    """A row per system."""
    return tuple(
        Row(cells=(name, *(cells.get(name) for cells in columns.values()))) for name in systems
    )


def absent_rows(available: Mapping[str, object], figures: int) -> tuple[Row, ...]:
    """A row for each missing model, with a dash for each figure."""
    return tuple(
        absent_row(name, role, figures) for name, role in ROLES.items() if name not in available
    )


def _gains(
    results: Mapping[str, EvaluationResult], pairs: list[tuple[str, str]], measure: str, seed: int
) -> dict[tuple[str, str], Measurement | None]:
    """Gains of the pairs with results."""
    measured_pairs = [pair for pair in pairs if set(pair) <= results.keys()]
    values = {name: result.per_query[measure] for name, result in results.items()}
    cells = gains(
        [(values[system], values[over]) for system, over in measured_pairs],
        results[BASE].groups,
        seed,
    )
    return dict(zip(measured_pairs, cells, strict=True))
