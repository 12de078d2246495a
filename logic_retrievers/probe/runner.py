"""Runs every question under every configuration, with one reader, prompt, depth and seed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    LogicRetrieversError,
    MissingExtraError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.probe.grading import Grading, grade, top_passage_direction, validate_grading
from logic_retrievers.probe.prompt import Prompt, build_prompt
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.readers import Reader
from logic_retrievers.probe.result import ProbeResult, Trace
from logic_retrievers.probe.retrieval import Retrieve
from logic_retrievers.progress import ProgressCallback, ProgressMeter

_FATAL = (AuthenticationError, ConfigurationError, MissingExtraError, StorageError)
"""Errors that the next question would meet too."""


def probe(
    questions: ProbeSet,
    configurations: Mapping[str, Retrieve],
    reader: Reader,
    *,
    depth: int = 5,
    seed: int = 0,
    grading: Grading = "containment",
    progress: ProgressCallback | None = None,
) -> ProbeResult:
    """Measures whether answers are better with one way of retrieving than with another.

    All configurations of a question are asked one after the other, and a prompt that two share is
    asked once. Where retrieval or the reader fails, the question counts as failed for that
    configuration; what would fail for every question (a key, a setting, a full disk, a model that
    has not answered once and cannot be reached) ends the run.

    Args:
        questions: with the passages that they are about.
        configurations: name -> retrieval; the others are compared with the first.
        reader: answers from the passages.
        depth: how many passages it gets; a longer list is truncated.
        seed: of the prompts, and of the resampling; 0 or more.
        grading: what counts as right; see :data:`Grading`.
        progress: called after every answer.

    Raises:
        ConfigurationError: no configuration, a depth under 1, a seed under 0, or an unknown
            grading.
        AuthenticationError, ServerUnavailableError: the reader refused the key, or could not be
            reached from the start.
    """
    validate_grading(grading)
    if not configurations or depth < 1 or seed < 0:
        raise ConfigurationError(
            "name a configuration, a depth of at least 1, and a seed of at least 0"
        )
    runner = _ProbeRunner(reader, depth, seed)
    meter = ProgressMeter(progress, len(questions.questions) * len(configurations))
    traces: dict[str, dict[str, Trace]] = {name: {} for name in configurations}
    tasks = product(questions.questions, configurations.items())
    for done, (question, (name, retrieve)) in enumerate(tasks, start=1):
        traces[name][question.id] = runner.run(question, name, retrieve)
        meter.report(done)
    return ProbeResult(
        set=questions.name,
        reader=reader.name,
        depth=depth,
        seed=seed,
        grading=grading,
        kinds={question.id: question.kind for question in questions.questions},
        traces=traces,
    )


class _ReaderOutcome(NamedTuple):
    """The reader's answer to a prompt, or its error."""

    answer: str | None
    seconds: float
    error: str | None = None


class _ProbeRunner:
    """Retrieves, reads and grades; keeps the outcome of each prompt."""

    def __init__(self, reader: Reader, depth: int, seed: int) -> None:
        self._reader, self._depth, self._seed = reader, depth, seed
        self._outcomes: dict[Prompt, _ReaderOutcome] = {}

    def run(self, question: ProbeQuestion, name: str, retrieve: Retrieve) -> Trace:
        started = time.perf_counter()
        try:
            hits = list(retrieve(question, self._depth))[: self._depth]
        except Exception as error:
            return Trace(question.id, name, error=f"retrieval: {_describe_error(error)}")
        seconds = time.perf_counter() - started
        prompt = build_prompt(question.text, [hit.passage.text for hit in hits], self._seed)
        if prompt not in self._outcomes:
            self._outcomes[prompt] = self._read(prompt)
        outcome = self._outcomes[prompt]
        sources = [hit.passage.source or hit.passage.id for hit in hits]
        return Trace(
            question=question.id,
            configuration=name,
            passages=tuple(hit.passage.id for hit in hits),
            scores=tuple(float(hit.score) for hit in hits),
            answer=outcome.answer,
            grade=None if outcome.answer is None else grade(question, outcome.answer),
            direction=top_passage_direction(question, sources),
            retrieval_seconds=seconds,
            reader_seconds=outcome.seconds,
            error=outcome.error,
        )

    def _read(self, prompt: Prompt) -> _ReaderOutcome:
        started = time.perf_counter()
        try:
            answer = self._reader.answer(prompt)
        except Exception as error:
            has_answered = any(o.answer is not None for o in self._outcomes.values())
            if isinstance(error, ServerUnavailableError) and not has_answered:
                raise  # there is no server; one that fails in the middle may come back
            seconds = time.perf_counter() - started
            return _ReaderOutcome(None, seconds, f"reader: {_describe_error(error)}")
        return _ReaderOutcome(answer, time.perf_counter() - started)


def _describe_error(error: Exception) -> str:
    """The error in one line; only our own messages, since others may hold a key or a text.

    Raises:
        LogicRetrieversError: the next question would meet it too.
    """
    if isinstance(error, _FATAL):
        raise error
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, LogicRetrieversError) else kind
