"""Tables of systems over one data set: a row a system, intervals, corrected significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from logic_retrievers.evaluation import Result
from logic_retrievers.report.artefacts import Row, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.significance import against_in_all
from logic_retrievers.report.workbench import ROLES


@dataclass(frozen=True, slots=True)
class Published:
    """Figures of others, in another set-up.

    Args:
        system: as the paper calls it.
        figures: metric -> value, in our units.
        note: paper, table, encoder, cut and what differs.
    """

    system: str
    figures: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


def comparison(
    name: str,
    title: str,
    results: Mapping[str, Result],
    metrics: Sequence[str],
    *,
    baseline: str,
    published: Sequence[Published] = (),
    absent: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
) -> Table:
    """One row a system, one column a metric; each p is of the difference from the baseline.

    Args:
        name: of the table.
        title: of the table.
        results: system -> result; all over the same queries.
        metrics: columns; a dash where a system has none.
        baseline: the system that the others are compared with.
        published: rows of others, behind ours.
        absent: system -> role of the model that it lacks.
        notes: under the table; lists that are cut are told here.
        seed: of the tests.
    """
    ps = against_in_all(results[baseline], results, metrics, seed=seed)
    rows = [
        Row(cells=(system, *(shown(one.estimates.get(m), ps[m][system]) for m in metrics)))
        for system, one in results.items()
    ]
    empty = (None,) * len(metrics)
    rows += [
        Row(
            cells=(system, *empty),
            origin="absent",
            note=f"no model for the role {role!r}; made by {ROLES[role]}",
        )
        for system, role in (absent or {}).items()
    ]
    rows += [
        Row(
            cells=(one.system, *(one.figures.get(metric) for metric in metrics)),
            origin="published",
            note=one.note,
        )
        for one in published
    ]
    return Table(
        name=name,
        title=title,
        columns=("system", *metrics),
        rows=tuple(rows),
        baseline=baseline,
        notes=(*notes, *_short(results)),
    )


def _short(results: Mapping[str, Result]) -> list[str]:
    short = {label: one.short_lists for label, one in results.items() if one.short_lists}
    if not short:
        return []
    told = ", ".join(f"{label} ({count} queries)" for label, count in short.items())
    depth = next(iter(results.values())).depth
    return [f"Lists shorter than {depth}, which lower V@k for nothing: {told}."]
