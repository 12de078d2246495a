"""Tables of the set queries: every system, by kind, and what one gains over another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from logic_export.studies.sets import published
from logic_export.studies.sets.answers import Answers
from logic_export.studies.sets.pool import FilmPool
from logic_export.studies.sets.systems import (
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
from logic_retrievers.evaluation import Result, templates
from logic_retrievers.report.artefacts import Measured, Row, Table
from logic_retrievers.report.cells import column, gains
from logic_retrievers.report.workbench import ROLES as RECIPES

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
"""Template -> what joins its atoms, as the paper groups them."""
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
"""What is compared beside the base: (system, over)."""

Columns = Mapping[str, Mapping[str, Measured | None]]
"""Head -> system -> cell."""


def systems_table(pool: FilmPool, found: Answers, seed: int) -> Table:
    """Every system beside the base, and what is published."""
    columns: dict[str, Mapping[str, Measured | None]] = {
        measure: of_results(found.asked, measure, seed) for measure in MEASURES
    }
    columns[WITH_VARIANTS] = of_results(found.everything, "R@100", seed)
    return Table(
        name="set-queries",
        title="Set queries over films: recall and violations",
        columns=("system", *(name.replace("_", " ") for name in columns)),
        rows=(
            *rows(list(found.asked), columns),
            *absent(found.asked, len(columns)),
            *published.SYSTEMS,
        ),
        baseline=BASE,
        notes=(
            f"{len(pool.asked.queries)} test queries, evenly over seven templates, and "
            f"{len(pool.everything.queries) - len(pool.asked.queries)} variants of them (the same "
            f"atoms under other operators); {len(pool.asked.documents)} of the films: a sample of "
            "what the data give, so that one core ranks it in minutes.",
            "Truth is computed from what the texts say; rules get the expression that a query was "
            "made from, but for the row in words, whose reading the parser makes.",
            "Violation rate: share of the queries with NOT whose excluded films stand above the "
            "right ones in mean rank; lower is better. Each row is tested against the base.",
        ),
        better=BETTER,
    )


def kinds_table(pool: FilmPool, found: Answers, seed: int) -> Table:
    """R@100 by what joins the atoms."""
    labels = {name: KINDS[one] for name, one in templates(pool.everything.queries).items()}
    columns = {}
    for kind in dict.fromkeys(KINDS.values()):
        of_kind = {
            name: {q: v for q, v in result.per_query["R@100"].items() if labels[q] == kind}
            for name, result in found.everything.items()
        }
        columns[kind] = column(of_kind, found.everything[BASE].groups, BASE, seed)
    return Table(
        name="set-queries-by-kind",
        title="R@100 by what joins the atoms, variants among the queries",
        columns=("system", *columns),
        rows=(
            *rows(list(found.everything), columns),
            *absent(found.everything, len(columns)),
            *published.KINDS,
        ),
        baseline=BASE,
        notes=("Queries with NOT count under NOT, whatever else joins them.",),
        better=dict.fromkeys(columns, "higher"),
    )


def gains_table(found: Answers, seed: int) -> Table:
    """Paired differences, corrected over the pairs."""
    pairs = [pair for pair in PAIRS if set(pair) <= found.asked.keys()]
    columns = [_gains(found.asked, pairs, measure, seed) for measure in ("R@5", "R@100")]
    columns.append(_gains(found.asked, pairs, "violation_rate", seed))
    columns.append(_gains(found.everything, pairs, "R@100", seed))
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


def of_results(
    results: Mapping[str, Result], measure: str, seed: int
) -> dict[str, Measured | None]:
    """A measure of every system, against the base."""
    values = {name: result.per_query[measure] for name, result in results.items()}
    return column(values, results[BASE].groups, BASE, seed)


def rows(systems: list[str], columns: Columns) -> tuple[Row, ...]:
    """A row a system."""
    return tuple(
        Row(cells=(name, *(cells.get(name) for cells in columns.values()))) for name in systems
    )


def absent(found: Mapping[str, object], figures: int) -> tuple[Row, ...]:
    """A row for each model that is not there, with so many dashes."""
    return tuple(
        Row(
            cells=(name, *[None] * figures),
            origin="absent",
            note=f"no model of that role: {RECIPES[role]}",
        )
        for name, role in ROLES.items()
        if name not in found
    )


def _gains(
    results: Mapping[str, Result], pairs: list[tuple[str, str]], measure: str, seed: int
) -> dict[tuple[str, str], Measured | None]:
    """The gain of each pair that this was measured of."""
    there = [pair for pair in pairs if set(pair) <= results.keys()]
    values = {name: result.per_query[measure] for name, result in results.items()}
    cells = gains([(values[one], values[over]) for one, over in there], results[BASE].groups, seed)
    return dict(zip(there, cells, strict=True))
