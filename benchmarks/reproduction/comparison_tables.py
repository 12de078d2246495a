"""Tables of systems over one data set: a row per system, intervals, corrected significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.reproduction.artefacts import Row, Table
from benchmarks.reproduction.table_cells import absent_row, corrected_p, estimate_cell
from logic_retrievers.evaluation import EvaluationResult, compare


@dataclass(frozen=True, slots=True)
class Published:
    """Figures of others, in another set-up.

    Args:
        system: its name in the paper.
        figures: metric -> value, in our units.
        note: paper, table, encoder, sample and differences.
    """

    system: str
    figures: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


def comparison_table(
    name: str,
    title: str,
    results: Mapping[str, EvaluationResult],
    metrics: Sequence[str],
    *,
    baseline: str,
    published: Sequence[Published] = (),
    absent: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
) -> Table:
    """A row per system, a column per metric; each p is of the difference from the baseline.

    Args:
        name: of the table.
        title: of the table.
        results: system -> result; all over the same queries.
        metrics: columns; a system without one gets a dash.
        baseline: the system that the others are compared with.
        published: rows from papers, after ours.
        absent: system -> role of its missing model.
        notes: under the table; one on short lists is added.
        seed: of the tests.
    """
    comparisons = compare(results[baseline], results, metrics, seed=seed)
    rows = [
        Row(
            cells=(
                system,
                *(
                    estimate_cell(
                        result.estimates.get(metric), corrected_p(comparisons, system, metric)
                    )
                    for metric in metrics
                ),
            )
        )
        for system, result in results.items()
    ]
    rows += [absent_row(system, role, len(metrics)) for system, role in (absent or {}).items()]
    rows += [
        Row(
            cells=(system.system, *(system.figures.get(metric) for metric in metrics)),
            origin="published",
            note=system.note,
        )
        for system in published
    ]
    return Table(
        name=name,
        title=title,
        columns=("system", *metrics),
        rows=tuple(rows),
        baseline=baseline,
        notes=(*notes, *_short_list_notes(results)),
    )


def _short_list_notes(results: Mapping[str, EvaluationResult]) -> list[str]:
    short = {label: result.short_lists for label, result in results.items() if result.short_lists}
    if not short:
        return []
    systems = ", ".join(f"{label} ({count} queries)" for label, count in short.items())
    depth = next(iter(results.values())).depth
    return [f"Lists shorter than {depth}, which lower V@k for nothing: {systems}."]
