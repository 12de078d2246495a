"""The RAG probe over questions with exclusions, and over RAMDocs."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.common.gguf_reader import GgufReader
from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.films import film_questions
from benchmarks.probe_questions.limit import limit_questions
from benchmarks.reproduction.artefacts import Figure, Section, Table
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.studies.probe.answers import (
    answers_table,
    ask_reader,
    kinds_figure,
    kinds_table,
    published_row,
)
from benchmarks.reproduction.studies.probe.ramdocs import ramdocs_tables
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.probe import CachedReader, ExtractiveReader, ProbeResult, Reader

POLICIES = (
    *("topical", "lexical", "hybrid", "compatibility"),
    *("sequential", "coder-union", "union", "auto"),
)
FILMS = 120
"""Film questions, the first of 400; LIMIT adds 280."""
MAX_TOKENS = 24
"""Maximum tokens of an answer of a language model: a name."""
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


def run(bench: Workbench) -> Section:
    """Asks the extractive reader, and the language model if its file is available."""
    readers = _readers(bench)
    artefacts: list[Table | Figure] = []
    for name, reader in readers.items():
        bench.log(f"probe: questions read by {reader.name}")
        result = constraint_questions(bench, reader)
        artefacts += [
            _constraints_table(name, result),
            kinds_table(f"probe-kinds-{name}", result),
            kinds_figure(f"probe-kinds-{name}-bars", result),
            _boolean_table(name, boolean_questions(bench, reader)),
        ]
    artefacts += ramdocs_tables(bench, readers)
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=tuple(artefacts))


def constraint_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """The result of LIMIT's and the films' questions, tested together."""
    films = film_questions("wikipedia_movies", seed=bench.seed)
    sets = (
        limit_questions("limit_small", seed=bench.seed),
        replace(films, questions=films.questions[:FILMS]),
    )
    results = [ask_reader(bench, questions, reader, POLICIES, depth=1) for questions in sets]
    first = results[0]
    return replace(
        first,
        set=" and ".join(result.set for result in results),
        kinds={
            name: f"{result.set}: {kind}"
            for result in results
            for name, kind in result.kinds.items()
        },
        traces={
            name: {key: trace for result in results for key, trace in result.traces[name].items()}
            for name in first.traces
        },
    )


def boolean_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """The result of the answerable NOT questions of BoolQuestions, graded by support."""
    questions = boolquestions_questions("boolquestions_not", seed=bench.seed)
    return ask_reader(bench, questions, reader, POLICIES, depth=1, grading="support")


def _readers(bench: Workbench) -> dict[str, Reader]:
    readers: dict[str, Reader] = {"extractive": ExtractiveReader(bench.encoder)}
    folder = bench.model("reader")
    files = [] if folder is None else sorted(folder.glob("*.gguf"))
    if files:
        model = GgufReader(files[0], max_tokens=MAX_TOKENS)
        readers["model"] = CachedReader(model, bench.vectors.with_name("answers.sqlite"))
    return readers


def _constraints_table(name: str, result: ProbeResult) -> Table:
    return answers_table(
        f"probe-answers-{name}",
        f"{len(result.kinds)} questions that rule something out",
        result,
        (
            "LIMIT's people and films, one passage a question; the one right answer is computed. "
            "Right: it is named and no wrong one is.",
            "Every configuration searches the same collection, with the lexical vector; `lexical`, "
            "`hybrid` and `auto` read it.",
        ),
        [published_row(system, share, SOURCE) for system, share in PUBLISHED],
    )


def _boolean_table(name: str, result: ProbeResult) -> Table:
    return answers_table(
        f"probe-boolquestions-{name}",
        f"{len(result.kinds)} NOT questions of BoolQuestions",
        result,
        (
            "One passage a question. Nine in ten right answers are whole sentences, so that right "
            "is what says more of the right answer's words than of the wrong one's: the sentence "
            "of the violating passage that is nearest to the question.",
        ),
    )


_TEXT = (
    "The same reader, prompt, depth and seed for every configuration; only the passages differ. A "
    "passage that answers the question as it was not meant gives a wrong answer, however good the "
    "reader is.",
)

STUDY = Study(
    name="probe",
    title="Are the answers better? The RAG probe",
    data=("limit_small", "wikipedia_movies", "boolquestions_not", "ramdocs"),
    run=run,
    models=("reader",),
)
