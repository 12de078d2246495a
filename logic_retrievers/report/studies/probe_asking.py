"""Asks a question set of the RAG probe under several configurations."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.probe import (
    Grading,
    ProbeResult,
    ProbeSet,
    Reader,
    fill_index,
    probe,
    resolve_configurations,
)
from logic_retrievers.report.workbench import Workbench


def asked(
    bench: Workbench,
    questions: ProbeSet,
    reader: Reader,
    names: Sequence[str],
    *,
    depth: int,
    threshold: float | None = None,
    grading: Grading = "containment",
) -> ProbeResult:
    """What a reader answers, from one collection with the lexical vector.

    Args:
        bench: its encoder and seed.
        questions: with their corpus.
        reader: the same for all.
        names: of the configurations.
        depth: how many passages it reads.
        threshold: of a contradiction filter; the shipped one by default.
        grading: what counts as right.

    Raises:
        ConfigurationError: a question that could not be answered.
    """
    with PassageIndex.open("probe", bench.encoder, lexical=True) as index:
        fill_index(index, questions)
        ways = resolve_configurations(names, index, questions, threshold=threshold)
        result = probe(questions, ways, reader, depth=depth, seed=bench.seed, grading=grading)
    for name in names:
        for question, problem in result.failed(name).items():
            raise ConfigurationError(f"{name}, question {question}: {problem}")
    return result
