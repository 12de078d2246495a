"""Are answers better? The RAG probe over questions that rule something out, and over RAMDocs."""

from __future__ import annotations

from dataclasses import replace

from logic_retrievers.probe import (
    CachedReader,
    ExtractiveReader,
    GgufReader,
    ProbeResult,
    Reader,
)
from logic_retrievers.probe.sets.boolquestions import boolquestions_questions
from logic_retrievers.probe.sets.films import film_questions
from logic_retrievers.probe.sets.limit import limit_questions
from logic_retrievers.report.artefacts import Figure, Section, Table
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.studies.probe_asking import asked
from logic_retrievers.report.studies.probe_filter import ramdocs_tables
from logic_retrievers.report.studies.probe_tables import (
    answers_table,
    kinds_figure,
    kinds_table,
    published_row,
)
from logic_retrievers.report.workbench import Workbench

POLICIES = (
    *("topical", "lexical", "hybrid", "compatibility"),
    *("sequential", "coder-union", "union", "auto"),
)
FILMS = 120
"""Questions over films that are asked, the first of 400; LIMIT's 280 beside them."""
MAX_TOKENS = 24
"""Longest answer of a language model: a name."""
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
    """Asks both readers, the language model only where its file is there."""
    readers = _readers(bench)
    artefacts: list[Table | Figure] = []
    for name, reader in readers.items():
        bench.say(f"probe: questions read by {reader.name}")
        result = constraint_questions(bench, reader)
        artefacts += [
            _exact(name, result),
            kinds_table(f"probe-kinds-{name}", result),
            kinds_figure(f"probe-kinds-{name}-bars", result),
            _prose(name, boolean_questions(bench, reader)),
        ]
    artefacts += ramdocs_tables(bench, readers)
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=tuple(artefacts))


def constraint_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """LIMIT's and the films' questions as one result, so that they are tested together."""
    films = film_questions("wikipedia_movies", seed=bench.seed)
    sets = (
        limit_questions("limit_small", seed=bench.seed),
        replace(films, questions=films.questions[:FILMS]),
    )
    results = [asked(bench, one, reader, POLICIES, depth=1) for one in sets]
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


def boolean_questions(bench: Workbench, reader: Reader) -> ProbeResult:
    """The NOT questions of BoolQuestions' test part that have an answer, graded by support."""
    questions = boolquestions_questions("boolquestions_not", seed=bench.seed)
    return asked(bench, questions, reader, POLICIES, depth=1, grading="support")


def _readers(bench: Workbench) -> dict[str, Reader]:
    readers: dict[str, Reader] = {"extractive": ExtractiveReader(bench.encoder)}
    folder = bench.model("reader")
    files = [] if folder is None else sorted(folder.glob("*.gguf"))
    if files:
        model = GgufReader(files[0], max_tokens=MAX_TOKENS)
        readers["model"] = CachedReader(model, bench.vectors.with_name("answers.sqlite"))
    return readers


def _exact(name: str, result: ProbeResult) -> Table:
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


def _prose(name: str, result: ProbeResult) -> Table:
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
