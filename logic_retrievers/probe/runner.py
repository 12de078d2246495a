"""Runs every question under every configuration, with one reader, prompt, depth and seed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    LogicRetrieversError,
    MissingExtraError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.evaluation.statistics import RESAMPLES
from logic_retrievers.probe.grading import (
    Grading,
    grade,
    judge_answer,
    top_passage_direction,
    validate_grading,
)
from logic_retrievers.probe.prompt import Prompt, build_prompt, prompt_hash
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.readers import Reader
from logic_retrievers.probe.result import ProbeResult
from logic_retrievers.probe.retrieval import Retrieve, retrieval_settings
from logic_retrievers.probe.traces import Trace, TraceFile, content_hash
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
    judge: Reader | None = None,
    traces: Path | None = None,
    progress: ProgressCallback | None = None,
    resamples: int = RESAMPLES,
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
        judge: decides for every answer whether it is right, reported beside the accuracy.
        traces: a file of JSON lines, made where there is none; an interrupted run continues from
            it, and failed questions are tried again.
        progress: called after every answer, those of an earlier run included.
        resamples: number of bootstrap samples for the intervals.

    Raises:
        ConfigurationError: no configuration, a depth under 1, a seed under 0, an unknown grading,
            or traces of another run.
        AuthenticationError, ServerUnavailableError: the reader refused the key, or could not be
            reached from the start.
        ReadError, StorageError: the traces cannot be read or written.
    """
    validate_grading(grading)
    if not configurations or depth < 1 or seed < 0:
        raise ConfigurationError(
            "name a configuration, a depth of at least 1, and a seed of at least 0"
        )
    header = {
        "set": questions.name,
        "content": content_hash(questions),
        "reader": reader.name,
        "judge": "" if judge is None else judge.name,
        "depth": depth,
        "seed": seed,
        "wording": prompt_hash(build_prompt("", ())),  # without a question and passages
    }
    settings = {name: retrieval_settings(retrieve) for name, retrieve in configurations.items()}
    file = None if traces is None else TraceFile(traces, header, questions.questions, settings)
    stored = {} if file is None else file.traces
    runner = _ProbeRunner(reader, judge, depth, seed)
    for trace in stored.values():
        outcome = _ReaderOutcome(trace.answer, trace.judged, trace.reader_seconds)
        runner.outcomes[trace.question, trace.prompt] = outcome
    total = len(questions.questions) * len(configurations)
    meter, done = ProgressMeter(progress, total), 0
    results: dict[str, dict[str, Trace]] = {name: {} for name in configurations}
    for question in questions.questions:
        for name, retrieve in configurations.items():
            previous = stored.get((name, question.id))
            trace = previous or runner.run(question, name, retrieve)
            if previous is None and file is not None:
                file.append(trace)
            results[name][question.id] = trace
            done += 1
            meter.report(done)
    return ProbeResult(
        set=questions.name,
        reader=reader.name,
        depth=depth,
        seed=seed,
        grading=grading,
        kinds={question.id: question.kind for question in questions.questions},
        traces=results,
        resamples=resamples,
    )


class _ReaderOutcome(NamedTuple):
    """The reader's answer to a prompt with the judge's decision, or its error."""

    answer: str | None
    judged: bool | None
    seconds: float
    error: str | None = None


class _ProbeRunner:
    """Retrieves, reads, judges and grades; keeps the outcome of each question and prompt."""

    def __init__(self, reader: Reader, judge: Reader | None, depth: int, seed: int) -> None:
        self._reader, self._judge = reader, judge
        self._depth, self._seed = depth, seed
        self.outcomes: dict[tuple[str, str], _ReaderOutcome] = {}
        self._has_answered = False

    def run(self, question: ProbeQuestion, name: str, retrieve: Retrieve) -> Trace:
        started = time.perf_counter()
        try:
            hits = list(retrieve(question, self._depth))[: self._depth]
        except Exception as error:
            return Trace(question.id, name, error=f"retrieval: {_describe_error(error)}")
        seconds = time.perf_counter() - started
        prompt = build_prompt(question.text, [hit.passage.text for hit in hits], self._seed)
        key = question.id, prompt_hash(prompt)
        if key not in self.outcomes:
            self.outcomes[key] = self._read(question, prompt)
        outcome = self.outcomes[key]
        sources = [hit.passage.source or hit.passage.id for hit in hits]
        return Trace(
            question=question.id,
            configuration=name,
            passages=tuple(hit.passage.id for hit in hits),
            scores=tuple(float(hit.score) for hit in hits),
            prompt=key[1],
            answer=outcome.answer,
            grade=None if outcome.answer is None else grade(question, outcome.answer),
            direction=top_passage_direction(question, sources),
            judged=outcome.judged,
            retrieval_seconds=seconds,
            reader_seconds=outcome.seconds,
            error=outcome.error,
        )

    def _read(self, question: ProbeQuestion, prompt: Prompt) -> _ReaderOutcome:
        started = time.perf_counter()
        try:
            answer = self._reader.answer(prompt)
        except Exception as error:
            if isinstance(error, ServerUnavailableError) and not self._has_answered:
                raise  # there is no server; one that fails in the middle may come back
            seconds = time.perf_counter() - started
            return _ReaderOutcome(None, None, seconds, f"reader: {_describe_error(error)}")
        self._has_answered = True
        seconds = time.perf_counter() - started
        return _ReaderOutcome(answer, self._judge_answer(question, answer), seconds)

    def _judge_answer(self, question: ProbeQuestion, answer: str) -> bool | None:
        """None where the judge fails: it is reported beside the accuracy and must not cost any."""
        if self._judge is None:
            return None
        try:
            return judge_answer(self._judge, question, answer, self._seed)
        except Exception as error:
            _describe_error(error)
            return None


def _describe_error(error: Exception) -> str:
    """The error in one line; only our own messages, since others may hold a key or a text.

    Raises:
        LogicRetrieversError: the next question would meet it too.
    """
    if isinstance(error, _FATAL):
        raise error
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, LogicRetrieversError) else kind
