"""Answers of the RAG probe as tables and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logic_retrievers.evaluation import Estimate
from logic_retrievers.probe import Comparison, ProbeResult
from logic_retrievers.report.artefacts import Bars, Figure, Measured, Row, Table
from logic_retrievers.report.cells import shown

SHOWN = {
    "accuracy": "right",
    "gold": "names a right answer",
    "wrong": "names a wrong one",
    "abstained": "abstains",
    "top_satisfying": "first passage satisfies",
    "top_violating": "first passage violates",
}
DRAWN = ("topical", "hybrid", "auto")
"""Configurations that have bars."""


def answers_table(
    name: str, title: str, result: ProbeResult, notes: Sequence[str], published: Sequence[Row] = ()
) -> Table:
    """A row a configuration, in its order; the first one is what the others are compared with.

    Args:
        name: of the table.
        title: of the table.
        result: of the probe.
        notes: under the table.
        published: rows of others, behind ours; see :func:`published_row`.
    """
    compared = result.comparisons()
    rows = [
        Row(
            cells=(
                one,
                *_figures(result.figures(one), compared.get(one)),
                _counts(compared.get(one)),
            )
        )
        for one in result.traces
    ]
    return Table(
        name=name,
        title=f"{title}, read by {reader_of(result)}",
        columns=("configuration", *SHOWN.values(), "gained / lost"),
        rows=(*rows, *published),
        baseline=next(iter(result.traces)),
        better={"right": "higher"},
        notes=(*notes, "p of McNemar's exact test, after Holm."),
    )


def published_row(system: str, share: float, source: str) -> Row:
    """What others had right."""
    blank = (None,) * len(SHOWN)
    return Row(cells=(system, Measured(value=share), *blank), origin="published", note=source)


def kinds_table(name: str, result: ProbeResult) -> Table:
    """The kinds of question, and which of them a configuration lost."""
    by_kind = {one: result.figures_by_kind(one) for one in result.traces}
    kinds = list(dict.fromkeys(result.kinds.values()))
    first = next(iter(result.traces))
    rows = []
    for kind in kinds:
        compared = result.comparisons(kind)
        asked = sum(1 for one in result.kinds.values() if one == kind)
        cells = [right(by_kind[one][kind]["accuracy"], compared.get(one)) for one in by_kind]
        lost = [one for one, found in compared.items() if found.lost > found.gained]
        rows.append(Row(cells=(kind, asked, *cells, ", ".join(lost) or None)))
    return Table(
        name=name,
        title=f"Share of right answers by kind of question, read by {reader_of(result)}",
        columns=("kind", "questions", *by_kind, f"worse than {first}"),
        rows=tuple(rows),
        notes=("p of each figure against the first configuration, after Holm over a row.",),
    )


def kinds_figure(name: str, result: ProbeResult) -> Figure:
    """The same as bars, of some."""
    by_kind = {one: result.figures_by_kind(one) for one in DRAWN}
    kinds = tuple(dict.fromkeys(result.kinds.values()))
    return Figure(
        name=name,
        title=f"Right answers by kind of question, read by {reader_of(result)}",
        caption="Share of questions whose answer names the right one and no wrong one, from one "
        "passage; 95 % intervals.",
        plot=Bars(
            y_label="right answers",
            labels=kinds,
            systems={
                one: tuple(right(found[kind]["accuracy"]) for kind in kinds)
                for one, found in by_kind.items()
            },
        ),
    )


def right(estimate: Estimate, compared: Comparison | None = None) -> Measured | None:
    """A cell of the probe, with the corrected p of its comparison."""
    return shown(estimate, None if compared is None else compared.p_corrected)


def reader_of(result: ProbeResult) -> str:
    """What read, without its settings."""
    return result.reader.partition(" (")[0]


def _figures(
    figures: Mapping[str, Estimate], compared: Comparison | None
) -> tuple[Measured | None, ...]:
    return tuple(
        right(figures[name], compared if name == "accuracy" else None) if name in figures else None
        for name in SHOWN
    )


def _counts(compared: Comparison | None) -> str | None:
    return None if compared is None else f"{compared.gained} / {compared.lost}"
