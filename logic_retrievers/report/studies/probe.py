"""Are answers better? The RAG probe over questions that rule something out, and over RAMDocs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Estimate
from logic_retrievers.index import PassageIndex
from logic_retrievers.probe import (
    CachedReader,
    Comparison,
    ExtractiveReader,
    GgufReader,
    ProbeResult,
    ProbeSet,
    Reader,
    fill_index,
    probe,
    resolve_configurations,
)
from logic_retrievers.probe.sets.films import film_questions
from logic_retrievers.probe.sets.limit import limit_questions
from logic_retrievers.probe.sets.ramdocs import ramdocs_questions
from logic_retrievers.report.artefacts import Bars, Figure, Measured, Row, Section, Table
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import Workbench

POLICIES = (
    *("topical", "lexical", "hybrid", "compatibility"),
    *("sequential", "coder-union", "union", "auto"),
)
FILMS = 120
"""Questions over films that are asked, the first of 400; LIMIT's 280 beside them."""
MAX_TOKENS = 24
"""Longest answer of a language model: a name."""
FILTERED, PLAIN = "topical+drop_both", "topical"
THRESHOLDS = (None, 0.3, 0.1, 0.03, 0.01)
"""Of the contradiction filter, tried on RAMDocs' development part; None is the shipped one."""
FEWER = 2 / 3
"""Of the wrong answers, at most this share may be left for a threshold to be taken."""
RAMDOCS_DEPTH = 5
SHOWN = {
    "accuracy": "right",
    "gold": "names a right answer",
    "wrong": "names a wrong one",
    "abstained": "abstains",
    "top_satisfying": "first passage satisfies",
    "top_violating": "first passage violates",
}
PUBLISHED = (
    ("BM25", 0.15),
    ("BGE-large", 0.30),
    ("CoDeR-Seq", 0.40),
    ("CoDeR-Union", 0.35),
)
SOURCE = (
    "CoDeR (Yin et al. 2026), appendix: 20 questions of NevIR, one passage, another reader. "
    "With 20 questions an interval spans some 40 points."
)

_Tried: TypeAlias = Mapping[float | None, ProbeResult]
"""Threshold -> result, from the highest on."""


def run(bench: Workbench) -> Section:
    """Asks both readers, the language model only where its file is there."""
    artefacts: list[Table | Figure] = []
    for name, reader in _readers(bench).items():
        bench.say(f"probe: questions read by {reader.name}")
        result = constraint_questions(bench, reader)
        artefacts += [_answers(result, name), _kinds(result, name), _bars(result, name)]
    artefacts += _ramdocs(bench)
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=tuple(artefacts))


def constraint_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """LIMIT's and the films' questions as one result, so that they are tested together."""
    films = film_questions("wikipedia_movies", seed=bench.seed)
    asked = (
        limit_questions("limit_small", seed=bench.seed),
        replace(films, questions=films.questions[:FILMS]),
    )
    results = [_asked(bench, one, reader, POLICIES, depth=1) for one in asked]
    first = results[0]
    return replace(
        first,
        set=" and ".join(one.set for one in results),
        kinds={name: f"{one.set}: {kind}" for one in results for name, kind in one.kinds.items()},
        traces={
            name: {key: trace for one in results for key, trace in one.traces[name].items()}
            for name in first.traces
        },
    )


def _readers(bench: Workbench) -> dict[str, Reader]:
    readers: dict[str, Reader] = {"extractive": ExtractiveReader(bench.encoder)}
    folder = bench.model("reader")
    files = [] if folder is None else sorted(folder.glob("*.gguf"))
    if files:
        model = GgufReader(files[0], max_tokens=MAX_TOKENS)
        readers["model"] = CachedReader(model, bench.vectors.with_name("answers.sqlite"))
    return readers


def _asked(
    bench: Workbench,
    questions: ProbeSet,
    reader: Reader,
    names: Sequence[str],
    *,
    depth: int,
    threshold: float | None = None,
) -> ProbeResult:
    with PassageIndex.open("probe", bench.encoder, lexical=True) as index:
        fill_index(index, questions)
        ways = resolve_configurations(names, index, questions, threshold=threshold)
        result = probe(questions, ways, reader, depth=depth, seed=bench.seed)
    for name in names:
        for question, problem in result.failed(name).items():
            raise ConfigurationError(f"{name}, question {question}: {problem}")
    return result


def _answers(result: ProbeResult, reader: str) -> Table:
    compared = result.comparisons()
    rows = [
        Row(
            cells=(
                name,
                *_shown(result.figures(name), compared.get(name)),
                _counts(compared.get(name)),
            )
        )
        for name in result.traces
    ]
    rows += [
        Row(
            cells=(name, Measured(value=share), *(None for _ in SHOWN)),
            origin="published",
            note=SOURCE,
        )
        for name, share in PUBLISHED
    ]
    return Table(
        name=f"probe-answers-{reader}",
        title=f"{len(result.kinds)} questions that rule something out, read by {_told(result)}",
        columns=("configuration", *SHOWN.values(), "gained / lost"),
        rows=tuple(rows),
        baseline=next(iter(result.traces)),
        better={"right": "higher"},
        notes=(
            "LIMIT's people and films, one passage a question; the one right answer is computed. "
            "Right: it is named and no wrong one is. p of McNemar's exact test, after Holm.",
            "Every configuration searches the same collection, with the lexical vector; `lexical`, "
            "`hybrid` and `auto` read it.",
        ),
    )


def _kinds(result: ProbeResult, reader: str) -> Table:
    """The kinds of question, and which of them a configuration lost."""
    by_kind = {name: result.figures_by_kind(name) for name in result.traces}
    kinds = list(dict.fromkeys(result.kinds.values()))
    first = next(iter(result.traces))
    rows = []
    for kind in kinds:
        compared = result.comparisons(kind)
        asked = sum(1 for one in result.kinds.values() if one == kind)
        cells = [_measured(by_kind[name][kind]["accuracy"], compared.get(name)) for name in by_kind]
        lost = [name for name, one in compared.items() if one.lost > one.gained]
        rows.append(Row(cells=(kind, asked, *cells, ", ".join(lost) or None)))
    return Table(
        name=f"probe-kinds-{reader}",
        title=f"Share of right answers by kind of question, read by {_told(result)}",
        columns=("kind", "questions", *by_kind, f"worse than {first}"),
        rows=tuple(rows),
        notes=("p of each figure against the first configuration, after Holm over a row.",),
    )


def _bars(result: ProbeResult, reader: str) -> Figure:
    by_kind = {name: result.figures_by_kind(name) for name in ("topical", "hybrid", "auto")}
    kinds = tuple(dict.fromkeys(result.kinds.values()))
    return Figure(
        name=f"probe-kinds-{reader}-bars",
        title=f"Right answers by kind of question, read by {_told(result)}",
        caption="Share of questions whose answer names the right one and no wrong one, from one "
        "passage; 95 % intervals.",
        plot=Bars(
            y_label="right answers",
            labels=kinds,
            systems={
                name: tuple(_measured(found[kind]["accuracy"]) for kind in kinds)
                for name, found in by_kind.items()
            },
        ),
    )


def _ramdocs(bench: Workbench) -> list[Table | Figure]:
    """The threshold from the development part, then the test part at it and as it ships."""
    reader = ExtractiveReader(bench.encoder)
    found: dict[str, _Tried] = {}
    for split in ("dev", "test"):
        asked = ramdocs_questions("ramdocs", split, bench.seed)
        tried = THRESHOLDS if split == "dev" else dict.fromkeys((None, _chosen(found["dev"])))
        bench.say(f"probe: RAMDocs {split}")
        found[split] = {
            one: _asked(bench, asked, reader, (PLAIN, FILTERED), depth=RAMDOCS_DEPTH, threshold=one)
            for one in tried
        }
    return [_filter_table(split, results, found["dev"]) for split, results in found.items()]


def _chosen(results: _Tried) -> float | None:
    """The first threshold with no fewer right and at most two thirds of the wrong answers."""
    for threshold, result in results.items():
        plain, filtered = (result.figures(name) for name in (PLAIN, FILTERED))
        kept = filtered["gold"].mean >= plain["gold"].mean
        if kept and round(filtered["wrong"].mean - FEWER * plain["wrong"].mean, 9) <= 0:
            return threshold
    return None


def _filter_table(split: str, results: _Tried, dev: _Tried) -> Table:
    rows = []
    first = next(iter(results.values()))
    rows.append(Row(cells=("without a filter", *_filter_cells(first, PLAIN))))
    for threshold, result in results.items():
        chosen = ", chosen on dev" if threshold == _chosen(dev) else ""
        named = "as shipped" if threshold is None else f"threshold {threshold}"
        rows.append(Row(cells=(f"{named}{chosen}", *_filter_cells(result, FILTERED))))
    return Table(
        name=f"probe-ramdocs-{split}",
        title=f"RAMDocs {split}: {len(first.kinds)} questions, one trusted document each",
        columns=(
            "contradiction filter",
            "right",
            "names a right answer",
            "names a wrong one",
            "passages read",
        ),
        rows=tuple(rows),
        baseline="without a filter",
        better={"right": "higher"},
        notes=(
            f"Read by the extractive reader from up to {RAMDOCS_DEPTH} of a question's own "
            "documents. At a low threshold little is left beside the trusted document.",
        ),
    )


def _filter_cells(result: ProbeResult, name: str) -> tuple[Any, ...]:
    figures, compared = result.figures(name), result.comparisons().get(name)
    read = [len(trace.passages) for trace in result.traces[name].values()]
    return (
        _measured(figures["accuracy"], compared),
        _measured(figures["gold"]),
        _measured(figures["wrong"]),
        round(sum(read) / len(read), 2),
    )


def _shown(
    figures: Mapping[str, Estimate], compared: Comparison | None
) -> tuple[Measured | None, ...]:
    return tuple(
        _measured(figures[name], compared if name == "accuracy" else None)
        if name in figures
        else None
        for name in SHOWN
    )


def _measured(estimate: Estimate, compared: Comparison | None = None) -> Measured:
    return Measured(
        value=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        p=None if compared is None else compared.p_corrected,
    )


def _counts(compared: Comparison | None) -> str | None:
    return None if compared is None else f"{compared.gained} / {compared.lost}"


def _told(result: ProbeResult) -> str:
    return result.reader.partition(" (")[0]


_TEXT = (
    "The same reader, prompt, depth and seed for every configuration; only the passages differ. A "
    "passage that answers the question as it was not meant gives a wrong answer, however good the "
    "reader is.",
)

STUDY = Study(
    name="probe",
    title="Are the answers better? The RAG probe",
    data=("limit_small", "wikipedia_movies", "ramdocs"),
    run=run,
    models=("reader",),
)
