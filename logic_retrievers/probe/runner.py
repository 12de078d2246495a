"""Asks every question under every configuration: one reader, one prompt, one depth, one seed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from logic_retrievers.probe.grading import Grading, checked_grading, direction, grade
from logic_retrievers.probe.judging import judge as judged_by
from logic_retrievers.probe.prompt import build_prompt, prompt_key, wording_key
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.readers.base import Prompt, Reader
from logic_retrievers.probe.result import ProbeResult
from logic_retrievers.probe.retrieval import Retrieve, settings_of
from logic_retrievers.probe.traces import Header, Trace, TraceFile, content_of

_FINAL = (AuthenticationError, ConfigurationError, MissingExtraError, StorageError)
"""Errors that the next question would meet too."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a probe is.

    Args:
        done: questions times configurations that are answered or marked, with those of an earlier
            run.
        total: how many there will be.
        seconds_left: at the speed of this run so far; None before its first answer.
    """

    done: int
    total: int
    seconds_left: float | None


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
    progress: Callable[[Progress], None] | None = None,
    resamples: int = RESAMPLES,
) -> ProbeResult:
    """Measures whether answers are better with one way of retrieving than with another.

    All configurations of a question are asked one after the other, so a run that is cut off has
    whole questions. A prompt that two configurations share is asked once. Where retrieval or the
    reader fails, the question is marked for that configuration and the run goes on; what would
    fail for every question (a key, a setting, a full disk, a model that has not answered once and
    cannot be reached) ends it.

    Args:
        questions: and the passages that they are asked over.
        configurations: name -> retrieval; the others are compared with the first. A
            :class:`~logic_retrievers.probe.retrieval.Retrieval` says what changes its answers.
        reader: answers from the passages.
        depth: how many passages it gets; a longer list is cut.
        seed: of the prompts, and of the resampling; 0 or more.
        grading: what counts as right; see :data:`Grading`.
        judge: says of every answer whether it is right, reported beside the accuracy.
        traces: a file of JSON lines, made where there is none; a run that was cut off goes on where
            it was, and failed questions are tried again.
        progress: called after every answer.
        resamples: how many times the questions are drawn for the intervals.

    Raises:
        ConfigurationError: no configuration, a depth under 1, a seed under 0, an unknown grading,
            or traces of another run.
        AuthenticationError, ServerUnavailableError: the reader refused the key, or could not be
            reached from the start.
        ReadError, StorageError: the traces cannot be read or written.
    """
    checked_grading(grading)
    if not configurations or depth < 1 or seed < 0:
        raise ConfigurationError(
            "name a configuration, a depth of at least 1, and a seed of at least 0"
        )
    asked = {one.id: one for one in questions.questions}
    header = Header(
        set=questions.name,
        content=content_of(questions),
        reader=reader.name,
        judge="" if judge is None else judge.name,
        depth=depth,
        seed=seed,
        wording=wording_key(),
    )
    settings = {name: settings_of(retrieve) for name, retrieve in configurations.items()}
    file = None if traces is None else TraceFile(traces, header, asked, settings)
    run = _Run(reader, judge, depth, seed)
    known = {} if file is None else file.found
    for trace in known.values():
        run.remember(trace)
    clock = _Clock(len(asked) * len(configurations))
    found: dict[str, dict[str, Trace]] = {name: {} for name in configurations}
    for question in questions.questions:
        for name, retrieve in configurations.items():
            before = known.get((name, question.id))
            trace = before or run.ask(question, name, retrieve)
            if before is None and file is not None:
                file.append(trace)
            found[name][question.id] = trace
            told = clock.tick(fresh=before is None)
            if progress is not None:
                progress(told)
    return ProbeResult(
        set=questions.name,
        reader=reader.name,
        depth=depth,
        seed=seed,
        grading=grading,
        kinds={one.id: one.kind for one in questions.questions},
        traces=found,
        resamples=resamples,
    )


class _Said(NamedTuple):
    """What came of a prompt."""

    answer: str | None
    judged: bool | None
    seconds: float
    error: str | None = None


class _Run:
    """A reader and its judge, and what they have said to which question and prompt."""

    def __init__(self, reader: Reader, judge: Reader | None, depth: int, seed: int) -> None:
        self._reader, self._judge = reader, judge
        self._depth, self._seed = depth, seed
        self._said: dict[tuple[str, str], _Said] = {}
        self._reached = False

    def remember(self, trace: Trace) -> None:
        said = _Said(trace.answer, trace.judged, trace.reader_seconds)
        self._said[trace.question, trace.prompt] = said

    def ask(self, question: ProbeQuestion, name: str, retrieve: Retrieve) -> Trace:
        began = time.perf_counter()
        try:
            hits = list(retrieve(question, self._depth))[: self._depth]
        except Exception as error:
            return Trace(question.id, name, error=f"retrieval: {_told(error)}")
        seconds = time.perf_counter() - began
        passages = tuple(hit.passage.id for hit in hits)
        prompt = build_prompt(question.text, [hit.passage.text for hit in hits], self._seed)
        key = question.id, prompt_key(prompt)
        if key not in self._said:
            self._said[key] = self._answer(question, prompt)
        said = self._said[key]
        return Trace(
            question=question.id,
            configuration=name,
            passages=passages,
            scores=tuple(float(hit.score) for hit in hits),
            prompt=key[1],
            answer=said.answer,
            grade=None if said.answer is None else grade(question, said.answer),
            direction=direction(question, [hit.passage.source or hit.passage.id for hit in hits]),
            judged=said.judged,
            retrieval_seconds=seconds,
            reader_seconds=said.seconds,
            error=said.error,
        )

    def _answer(self, question: ProbeQuestion, prompt: Prompt) -> _Said:
        began = time.perf_counter()
        try:
            answer = self._reader.answer(prompt)
        except Exception as error:
            if isinstance(error, ServerUnavailableError) and not self._reached:
                raise  # nobody is there; a server that is lost in the middle may come back
            return _Said(None, None, time.perf_counter() - began, f"reader: {_told(error)}")
        self._reached = True
        seconds = time.perf_counter() - began
        return _Said(answer, self._judgement(question, answer), seconds)

    def _judgement(self, question: ProbeQuestion, answer: str) -> bool | None:
        """None where the judge fails: its word is beside the accuracy, and must not cost any."""
        if self._judge is None:
            return None
        try:
            return judged_by(self._judge, question, answer, self._seed)
        except Exception as error:
            _told(error)
            return None


def _told(error: Exception) -> str:
    """The error in a line; a stranger's message may hold a key or a text, and stays out.

    Raises:
        LogicRetrieversError: the next question would meet it too.
    """
    if isinstance(error, _FINAL):
        raise error
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, LogicRetrieversError) else kind


class _Clock:
    """Counts, and tells how long it will take at this speed."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = self._fresh = 0
        self._began = time.perf_counter()

    def tick(self, *, fresh: bool) -> Progress:
        self._done += 1
        self._fresh += fresh
        spent = time.perf_counter() - self._began
        left = (self._total - self._done) * spent / self._fresh if self._fresh else None
        return Progress(self._done, self._total, left)
