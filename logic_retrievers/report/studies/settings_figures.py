"""Heat maps of two settings, the trade-off of every family, and its lowest violations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from logic_retrievers.evaluation import Dataset, Result
from logic_retrievers.evaluation.metrics import FVR_DEPTH
from logic_retrievers.report.artefacts import (
    Curve,
    Curves,
    Figure,
    HeatMap,
    HeatMaps,
    Measured,
    Row,
    Table,
)
from logic_retrievers.report.cells import shown
from logic_retrievers.report.grids import Glances, Grid, Setting, front, lowest
from logic_retrievers.report.significance import against_in_all
from logic_retrievers.report.studies.exclusion_systems import AUTO, BASE

KEPT = 0.99
"""Share of the recall of plain search that a setting has to keep."""

_METRICS = ("V@5", "R@5", "R@1", "FVR")


class Tested(Protocol):
    """A test part under all settings."""

    dataset: Dataset
    plain: Mapping[str, float]
    glances: dict[str, Glances]
    measured: dict[str, Result]
    baseline: Result | None


def heat_maps(grid: Grid, part: str, glances: Glances) -> Figure:
    """FVR / 11, R@10 and V@5 over the two settings (CoDeR's heat maps, and the violations)."""

    def values(metric: str, scale: float) -> tuple[tuple[float, ...], ...]:
        return tuple(
            tuple(glances[row, column][metric] / scale for column in grid.columns[1])
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
    parts: Mapping[str, tuple[Mapping[str, float], Mapping[str, Glances]]],
    families: Mapping[str, Grid],
) -> Figure:
    """V@5 against R@5: auto by its penalty, of the others the settings that none beats in both."""
    panels = {}
    for part, (plain, glances) in parts.items():
        lines = {
            label: _by_penalty(families[label], found) if label == AUTO else _line(front(found))
            for label, found in glances.items()
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
    tested: Mapping[str, Tested],
    chosen: Mapping[str, Mapping[str, Setting]],
    families: Mapping[str, Grid],
    seed: int,
) -> Table:
    """The lowest V@5 that keeps 99 % of plain search's R@5, of every family."""
    rows: list[Row] = []
    for name, part in tested.items():
        assert part.baseline is not None
        results = {BASE: part.baseline, **part.measured}
        ps = against_in_all(part.baseline, results, _METRICS, seed=seed)
        rows.append(_row(part.dataset.name, BASE, "-", part.baseline, ps, "-"))
        for family, grid in families.items():
            setting = chosen[name].get(family)
            best = lowest(part.glances[family], part.plain["R@5"], KEPT)
            flattering = "none keeps it"
            if best is not None:
                flattering = f"{part.glances[family][best]['V@5']:.3f} ({grid.told(best)})"
            if setting is None:
                cells = (f"{part.dataset.name}: {family}", "none keeps it", None, None, None, None)
                rows.append(Row(cells=(*cells, flattering)))
            else:
                told = grid.told(setting)
                result = part.measured[family]
                rows.append(_row(part.dataset.name, family, told, result, ps, flattering))
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
    told: str,
    result: Result,
    ps: Mapping[str, Mapping[str, float | None]],
    flattering: str,
) -> Row:
    figures: list[Measured | None] = [
        shown(result.estimates.get(metric), ps[metric][label]) for metric in _METRICS
    ]
    return Row(cells=(f"{dataset}: {label}", told, *figures, flattering))


def _by_penalty(grid: Grid, glances: Glances) -> Curve:
    weight = grid.chosen[1]
    settings = [(penalty, weight) for penalty in grid.rows[1]]
    return Curve(
        x=tuple(glances[one]["R@5"] for one in settings),
        y=tuple(glances[one]["V@5"] for one in settings),
        labels=tuple(f"{penalty:g}" for penalty, _ in settings),
    )


def _line(points: list[tuple[float, float]]) -> Curve:
    return Curve(x=tuple(x for x, _ in points), y=tuple(y for _, y in points))
