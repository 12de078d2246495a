"""Answers of the RAG probe: asking a reader, tables and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.reproduction.artefacts import Bars, Figure, Measurement, Row, Table
from benchmarks.reproduction.table_cells import estimate_cell
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Estimate
from logic_retrievers.index import PassageIndex
from logic_retrievers.probe import (
    AccuracyComparison,
    Grading,
    ProbeResult,
    ProbeSet,
    Reader,
    fill_index,
    probe,
    resolve_configurations,
)

COLUMNS = {
    "accuracy": "right",
    "gold": "names a right answer",
    "wrong": "names a wrong one",
    "abstained": "abstains",
    "top_satisfying": "first passage satisfies",
    "top_violating": "first passage violates",
}
CHARTED = ("topical", "hybrid", "auto")
"""Configurations in figures."""


def answers_table(
    name: str, title: str, result: ProbeResult, notes: Sequence[str], published: Sequence[Row] = ()
) -> Table:
    """A row per configuration; the first one is the baseline.

    Args:
        name: of the table.
        title: of the table.
        result: of the probe.
        notes: under the table.
        published: rows of :func:`published_row`, after ours.
    """
    compared = result.comparisons()
    rows = [
        Row(
            cells=(
                name,
                *_figures(result.figures(name), compared.get(name)),
                _counts(compared.get(name)),
            )
        )
        for name in result.traces
    ]
    return Table(
        name=name,
        title=f"{title}, read by {reader_of(result)}",
        columns=("configuration", *COLUMNS.values(), "gained / lost"),
        rows=(*rows, *published),
        baseline=next(iter(result.traces)),
        better={"right": "higher"},
        notes=(*notes, "p of McNemar's exact test, after Holm."),
    )


def published_row(system: str, share: float, source: str) -> Row:
    """A row with a published share of right answers."""
    blank = (None,) * len(COLUMNS)
    return Row(cells=(system, Measurement(value=share), *blank), origin="published", note=source)


def kinds_table(name: str, result: ProbeResult) -> Table:
    """Right answers by kind of question, and the configurations that are worse."""
    by_kind = {name: result.figures_by_kind(name) for name in result.traces}
    kinds = list(dict.fromkeys(result.kinds.values()))
    first = next(iter(result.traces))
    rows = []
    for kind in kinds:
        compared = result.comparisons(kind)
        questions = sum(1 for question_kind in result.kinds.values() if question_kind == kind)
        cells = [
            right_cell(by_kind[name][kind]["accuracy"], compared.get(name)) for name in by_kind
        ]
        lost = [
            name for name, comparison in compared.items() if comparison.lost > comparison.gained
        ]
        rows.append(Row(cells=(kind, questions, *cells, ", ".join(lost) or None)))
    return Table(
        name=name,
        title=f"Share of right answers by kind of question, read by {reader_of(result)}",
        columns=("kind", "questions", *by_kind, f"worse than {first}"),
        rows=tuple(rows),
        notes=("p of each figure against the first configuration, after Holm over a row.",),
    )


def kinds_figure(name: str, result: ProbeResult) -> Figure:
    """Bars of right answers by kind of question."""
    by_kind = {name: result.figures_by_kind(name) for name in CHARTED}
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
                name: tuple(right_cell(figures[kind]["accuracy"]) for kind in kinds)
                for name, figures in by_kind.items()
            },
        ),
    )


def right_cell(
    estimate: Estimate, compared: AccuracyComparison | None = None
) -> Measurement | None:
    """The cell of a share, with the corrected p of its comparison."""
    return estimate_cell(estimate, None if compared is None else compared.p_corrected)


def reader_of(result: ProbeResult) -> str:
    """Name of the reader without its settings."""
    return result.reader.partition(" (")[0]


def _figures(
    figures: Mapping[str, Estimate], compared: AccuracyComparison | None
) -> tuple[Measurement | None, ...]:
    return tuple(
        right_cell(figures[name], compared if name == "accuracy" else None)
        if name in figures
        else None
        for name in COLUMNS
    )


def _counts(compared: AccuracyComparison | None) -> str | None:
    return None if compared is None else f"{compared.gained} / {compared.lost}"


def ask_reader(
    bench: Workbench,
    questions: ProbeSet,
    reader: Reader,
    names: Sequence[str],
    *,
    depth: int,
    threshold: float | None = None,
    grading: Grading = "containment",
) -> ProbeResult:
    """Asks a reader all questions under several configurations, over one collection.

    Args:
        bench: encoder and seed.
        questions: with their corpus.
        reader: the same for all configurations.
        names: of the configurations.
        depth: number of passages that it reads.
        threshold: of a contradiction filter; default: the shipped one.
        grading: rule for right answers.

    Raises:
        ConfigurationError: a question failed.
    """
    with PassageIndex.open("probe", bench.encoder, lexical=True) as index:
        fill_index(index, questions)
        configurations = resolve_configurations(names, index, questions, threshold=threshold)
        result = probe(
            questions, configurations, reader, depth=depth, seed=bench.seed, grading=grading
        )
    for name in names:
        for question, problem in result.failed(name).items():
            raise ConfigurationError(f"{name}, question {question}: {problem}")
    return result
