"""The RAG probe (CoDeR's appendix): questions with exclusions, NOT questions, and RAMDocs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.papers.published import probe_rows
from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.films import film_questions
from benchmarks.probe_questions.limit import limit_questions
from benchmarks.probe_questions.ramdocs import ramdocs_questions
from benchmarks.report.artefacts import Bars, Figure, Measurement, Row, Section, Table
from benchmarks.report.cells import estimate_cell
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers import PassageIndex
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Estimate
from logic_retrievers.probe import (
    AccuracyComparison,
    ExtractiveReader,
    Grading,
    ProbeResult,
    ProbeSet,
    Reader,
    fill_index,
    probe,
    resolve_configurations,
)

POLICIES = (
    *("topical", "lexical", "hybrid", "compatibility"),
    *("sequential", "coder-union", "union", "auto"),
)
# Configurations in figures.
CHARTED = ("topical", "hybrid", "auto")
# Number of film questions, the first of 400; LIMIT adds 280.
FILMS = 120
COLUMNS = {
    "accuracy": "right",
    "gold": "names a right answer",
    "wrong": "names a wrong one",
    "abstained": "abstains",
    "top_satisfying": "first passage satisfies",
    "top_violating": "first passage violates",
}
HEADS = ("configuration", *COLUMNS.values(), "gained / lost")

# For RAMDocs: configurations, passages read, filter thresholds (None: as shipped).
PLAIN, FILTERED = "topical", "topical+drop_both"
DEPTH = 5
THRESHOLDS = (None, 0.3, 0.1, 0.03, 0.01)
# A threshold must leave at most this share of the wrong answers.
FEWER = 2 / 3

_TEXT = (
    "The same reader, prompt, depth and seed for every configuration; only the passages differ. A "
    "passage that answers the question as it was not meant gives a wrong answer, however good the "
    "reader is.",
)


def run(bench: Workbench) -> Section:
    """Ask the extractive reader; the probe's command asks language models."""
    reader = ExtractiveReader(bench.encoder)
    bench.log(f"probe: questions read by {reader.name}")
    constraints = constraint_questions(bench, reader)
    negations = boolean_questions(bench, reader)
    dev = _try_thresholds(bench, "dev", reader, THRESHOLDS)
    chosen = choose_threshold(dev)
    test = _try_thresholds(bench, "test", reader, tuple(dict.fromkeys((None, *chosen))))
    artefacts = (
        answers_table(
            "probe-answers-extractive",
            f"{len(constraints.kinds)} questions that rule something out",
            constraints,
            (
                "LIMIT's people and films, one passage a question; the one right answer is "
                "computed. Right: it is named and no wrong one is.",
                "Every configuration searches the same collection, with the lexical vector; "
                "`lexical` and `hybrid` read it, and `auto` for an AND or OR.",
            ),
            probe_rows(len(HEADS)),
        ),
        kinds_table("probe-kinds-extractive", constraints),
        kinds_figure("probe-kinds-extractive-bars", constraints),
        answers_table(
            "probe-boolquestions-extractive",
            f"{len(negations.kinds)} NOT questions of BoolQuestions",
            negations,
            (
                "One passage a question. Nine in ten right answers are whole sentences, so that "
                "right is what says more of the right answer's words than of the wrong one's: the "
                "sentence of the violating passage that is nearest to the question.",
            ),
        ),
        filter_table("probe-ramdocs-dev", "dev", dev, chosen),
        filter_table("probe-ramdocs-test-extractive", "test", test, chosen),
    )
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=artefacts)


def constraint_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """Ask LIMIT's and the films' questions, and pool both results."""
    films = film_questions("wikipedia_movies", seed=bench.seed)
    sets = (
        limit_questions("limit_small", seed=bench.seed),
        replace(films, questions=films.questions[:FILMS]),
    )
    results = [ask_reader(bench, questions, reader, POLICIES, depth=1) for questions in sets]
    return replace(
        results[0],
        set=" and ".join(result.set for result in results),
        kinds={
            name: f"{result.set}: {kind}"
            for result in results
            for name, kind in result.kinds.items()
        },
        traces={
            name: {key: trace for result in results for key, trace in result.traces[name].items()}
            for name in results[0].traces
        },
    )


def boolean_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """Ask the answerable NOT questions of BoolQuestions, graded by support."""
    questions = boolquestions_questions("boolquestions_not", seed=bench.seed)
    return ask_reader(bench, questions, reader, POLICIES, depth=1, grading="support")


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
    """Ask a reader all questions under several configurations, over one collection.

    The reader gets ``depth`` passages. The contradiction filter has this ``threshold`` (None: as
    shipped).
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


def answers_table(
    name: str, title: str, result: ProbeResult, notes: Sequence[str], published: Sequence[Row] = ()
) -> Table:
    """Make one row per configuration; the first is the baseline."""
    compared = result.comparisons()
    rows = []
    for configuration in result.traces:
        figures, other = result.figures(configuration), compared.get(configuration)
        cells = (
            _cell(figures[column], other if column == "accuracy" else None)
            if column in figures
            else None
            for column in COLUMNS
        )
        counts = None if other is None else f"{other.gained} / {other.lost}"
        rows.append(Row(cells=(configuration, *cells, counts)))
    return Table(
        name=name,
        title=f"{title}, read by {_reader(result)}",
        columns=HEADS,
        rows=(*rows, *published),
        baseline=next(iter(result.traces)),
        better={"right": "higher"},
        notes=(*notes, "p of McNemar's exact test, after Holm."),
    )


def kinds_table(name: str, result: ProbeResult) -> Table:
    """Show right answers by kind of question, and note configurations that do worse."""
    first, *_ = names = list(result.traces)
    by_kind = {each: result.figures_by_kind(each) for each in names}
    rows = []
    for kind in dict.fromkeys(result.kinds.values()):
        compared = result.comparisons(kind)
        count = list(result.kinds.values()).count(kind)
        cells = [_cell(by_kind[each][kind]["accuracy"], compared.get(each)) for each in names]
        lost = [each for each, other in compared.items() if other.lost > other.gained]
        rows.append(Row(cells=(kind, count, *cells, ", ".join(lost) or None)))
    return Table(
        name=name,
        title=f"Share of right answers by kind of question, read by {_reader(result)}",
        columns=("kind", "questions", *names, f"worse than {first}"),
        rows=tuple(rows),
        notes=("p of each figure against the first configuration, after Holm over a row.",),
    )


def kinds_figure(name: str, result: ProbeResult) -> Figure:
    """Draw bars of right answers by kind of question."""
    kinds = tuple(dict.fromkeys(result.kinds.values()))
    by_kind = {each: result.figures_by_kind(each) for each in CHARTED}
    return Figure(
        name=name,
        title=f"Right answers by kind of question, read by {_reader(result)}",
        caption="Share of questions whose answer names the right one and no wrong one, from one "
        "passage; 95 % intervals.",
        plot=Bars(
            y_label="right answers",
            labels=kinds,
            systems={
                each: tuple(_cell(figures[kind]["accuracy"]) for kind in kinds)
                for each, figures in by_kind.items()
            },
        ),
    )


ThresholdResults = dict[float | None, ProbeResult]


def _try_thresholds(
    bench: Workbench, split: str, reader: Reader, thresholds: Sequence[float | None]
) -> ThresholdResults:
    bench.log(f"probe: RAMDocs {split} read by {reader.name}")
    questions = ramdocs_questions("ramdocs", split, bench.seed)
    names = (PLAIN, FILTERED)
    return {
        threshold: ask_reader(bench, questions, reader, names, depth=DEPTH, threshold=threshold)
        for threshold in thresholds
    }


def choose_threshold(results: ThresholdResults) -> list[float | None]:
    """Choose the first threshold that keeps all right answers and at most 2/3 of the wrong."""
    for threshold, result in results.items():
        plain, filtered = (result.figures(name) for name in (PLAIN, FILTERED))
        fewer = round(filtered["wrong"].mean - FEWER * plain["wrong"].mean, 9) <= 0
        if fewer and filtered["gold"].mean >= plain["gold"].mean:
            return [threshold]
    return []


def filter_table(
    name: str, split: str, results: ThresholdResults, chosen: Sequence[float | None]
) -> Table:
    """Show RAMDocs without the contradiction filter, and with it at each threshold."""
    first = next(iter(results.values()))
    labelled = [("without a filter", first, PLAIN)]
    for threshold, result in results.items():
        label = "as shipped" if threshold is None else f"threshold {threshold}"
        labelled.append((label + ", chosen on dev" * (threshold in chosen), result, FILTERED))
    rows = []
    for label, result, each in labelled:
        counts = [len(trace.passages) for trace in result.traces[each].values()]
        figures = result.figures(each)
        right = _cell(figures["accuracy"], result.comparisons().get(each))
        named = (_cell(figures[column]) for column in ("gold", "wrong"))
        rows.append(Row(cells=(label, right, *named, round(sum(counts) / len(counts), 2))))
    return Table(
        name=name,
        title=f"RAMDocs {split}: {len(first.kinds)} questions, one trusted document each, "
        f"read by {_reader(first)}",
        columns=("contradiction filter", *list(COLUMNS.values())[:3], "passages read"),
        rows=tuple(rows),
        baseline="without a filter",
        better={"right": "higher"},
        notes=(
            f"From up to {DEPTH} of a question's own documents. At a low threshold little is left "
            "besides the trusted document.",
        ),
    )


def _cell(estimate: Estimate, compared: AccuracyComparison | None = None) -> Measurement | None:
    """Make the cell of a share, with the corrected p of its comparison."""
    return estimate_cell(estimate, None if compared is None else compared.p_corrected)


def _reader(result: ProbeResult) -> str:
    """Return the reader's name without settings."""
    return result.reader.partition(" (")[0]


STUDY = Study(
    name="probe",
    title="Are the answers better? The RAG probe",
    data=("limit_small", "wikipedia_movies", "boolquestions_not", "ramdocs"),
    run=run,
)
