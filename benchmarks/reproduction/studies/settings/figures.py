"""Heat maps of two settings, trade-off curves, and the table of lowest violations."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.reproduction.artefacts import (
    Curve,
    Curves,
    Figure,
    HeatMap,
    HeatMaps,
    Measurement,
    Row,
    Table,
)
from benchmarks.reproduction.studies.exclusion.systems import AUTO, BASE
from benchmarks.reproduction.studies.settings.grids import (
    ExploredPart,
    Grid,
    QuickResults,
    Setting,
    lowest_violation,
    pareto_front,
)
from benchmarks.reproduction.table_cells import corrected_p, estimate_cell
from logic_retrievers.evaluation import Comparison, EvaluationResult, compare
from logic_retrievers.evaluation.metrics import FVR_DEPTH

KEPT = 0.99
"""Share of the recall of plain search that a setting must keep."""

_METRICS = ("V@5", "R@5", "R@1", "FVR")


def heat_maps(grid: Grid, part: str, quick_results: QuickResults) -> Figure:
    """FVR / 11, R@10 and V@5 over the two settings (CoDeR's heat maps, and the violations)."""

    def values(metric: str, scale: float) -> tuple[tuple[float, ...], ...]:
        return tuple(
            tuple(quick_results[row, column][metric] / scale for column in grid.columns[1])
            for row in grid.rows[1]
        )

    return Figure(
        name=f"settings-{grid.name}-{part.replace('/', '-').replace('_', '-')}",
        title=f"{grid.system} on {part}",
        caption=(
            f"{grid.rows[0]} against {grid.columns[0]}; the default is marked. FVR / "
            f"{FVR_DEPTH + 1} and R@10: higher is better; V@5: lower is better."
        ),
        plot=HeatMaps(
            row_name=grid.rows[0],
            column_name=grid.columns[0],
            rows=tuple(f"{value:g}" for value in grid.rows[1]),
            columns=tuple(f"{value:g}" for value in grid.columns[1]),
            maps=(
                HeatMap(title=f"FVR / {FVR_DEPTH + 1}", values=values("FVR", FVR_DEPTH + 1)),
                HeatMap(title="R@10", values=values("R@10", 1)),
                HeatMap(title="V@5", values=values("V@5", 1)),
            ),
            chosen=grid.chosen_place,
        ),
    )


def trade_off(
    parts: Mapping[str, tuple[Mapping[str, float], Mapping[str, QuickResults]]],
    families: Mapping[str, Grid],
) -> Figure:
    """V@5 against R@5: auto by its penalty, the Pareto front of the others."""
    panels = {}
    for part, (plain, quick_results) in parts.items():
        lines = {
            label: _by_penalty(families[label], figures)
            if label == AUTO
            else _line(pareto_front(figures))
            for label, figures in quick_results.items()
        }
        panels[part] = {**lines, BASE: _line([(plain["R@5"], plain["V@5"])])}
    return Figure(
        name="settings-trade-off",
        title="Violations against recall",
        caption=(
            "Share of queries with a violating passage among the first five (lower is better) "
            "against recall at 5 (further right is better). auto: by its penalty, from 0 on; "
            "the others: the settings of a grid that no other setting beats in both, so the best "
            "that can be had of them on this very part."
        ),
        plot=Curves(x_label="R@5", y_label="V@5", panels=panels),
    )


def lowest_table(
    tested: Mapping[str, ExploredPart],
    chosen: Mapping[str, Mapping[str, Setting]],
    families: Mapping[str, Grid],
    seed: int,
) -> Table:
    """The lowest V@5 of every family at 99 % of plain search's R@5."""
    rows: list[Row] = []
    for name, part in tested.items():
        assert part.baseline is not None
        results = {BASE: part.baseline, **part.results}
        comparisons = compare(part.baseline, results, _METRICS, seed=seed)
        rows.append(_row(part.dataset.name, BASE, "-", part.baseline, comparisons, "-"))
        for family, grid in families.items():
            setting = chosen[name].get(family)
            best = lowest_violation(part.quick_results[family], part.plain["R@5"], KEPT)
            flattering = "none keeps it"
            if best is not None:
                flattering = (
                    f"{part.quick_results[family][best]['V@5']:.3f} ({grid.describe(best)})"
                )
            if setting is None:
                cells = (f"{part.dataset.name}: {family}", "none keeps it", None, None, None, None)
                rows.append(Row(cells=(*cells, flattering)))
            else:
                description = grid.describe(setting)
                result = part.results[family]
                rows.append(
                    _row(part.dataset.name, family, description, result, comparisons, flattering)
                )
    return Table(
        name="settings-lowest-violations",
        title=f"Lowest V@5 at {KEPT:.0%} of the recall of plain search",
        columns=("data set and family", "setting", *_METRICS, "V@5 chosen on the test part"),
        rows=tuple(rows),
        notes=(
            "Settings are chosen on the tuning part (ExcluIR train, NevIR dev, BoolQuestions dev, "
            f"the last of 29 queries) for the lowest V@5 among those that keep {KEPT:.0%} of plain "
            "search's R@5 there, and measured on the test part, where they may keep a little less. "
            "CoDeR's encoder was trained on ExcluIR's train part: its choice there is in-sample. "
            f"p: against the {BASE} of the same set, corrected over its families.",
        ),
    )


def _row(
    dataset: str,
    label: str,
    description: str,
    result: EvaluationResult,
    comparisons: Mapping[str, Mapping[str, Comparison]],
    flattering: str,
) -> Row:
    figures: list[Measurement | None] = [
        estimate_cell(result.estimates.get(metric), corrected_p(comparisons, label, metric))
        for metric in _METRICS
    ]
    return Row(cells=(f"{dataset}: {label}", description, *figures, flattering))


def _by_penalty(grid: Grid, quick_results: QuickResults) -> Curve:
    weight = grid.chosen[1]
    settings = [(penalty, weight) for penalty in grid.rows[1]]
    return Curve(
        x=tuple(quick_results[setting]["R@5"] for setting in settings),
        y=tuple(quick_results[setting]["V@5"] for setting in settings),
        labels=tuple(f"{penalty:g}" for penalty, _ in settings),
    )


def _line(points: list[tuple[float, float]]) -> Curve:
    return Curve(x=tuple(x for x, _ in points), y=tuple(y for _, y in points))
