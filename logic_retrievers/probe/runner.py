"""Ask every question under every configuration, with the same reader, prompt, depth and seed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import product
from typing import NamedTuple, get_args

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    LogicRetrieversError,
    MissingExtraError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.probe.grading import Grading, grade, top_passage_direction
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.readers import Prompt, Reader, build_prompt
from logic_retrievers.probe.result import ProbeResult, Trace
from logic_retrievers.probe.retrieval import Retrieve
from logic_retrievers.progress import ProgressCallback, ProgressMeter

# errors that every further question would repeat
_FATAL = (AuthenticationError, ConfigurationError, MissingExtraError, StorageError)


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
    """Measure which way of retrieving gives better answers.

    Each question is asked under all configurations in turn; a prompt that recurs is asked once.
    If retrieval or the reader fails, the question counts as failed for that configuration. The run
    ends at an error that every question would repeat: a refused key, a wrong setting, a full disk,
    or a model that never answered and cannot be reached.

    ``configurations`` maps names to retrievals; the first is the baseline. The reader gets
    ``depth`` passages. ``seed`` is for prompts and resampling. ``progress`` is called after every
    answer.

    Raises:
        ConfigurationError: no configuration, depth under 1, seed under 0, or unknown grading.
        AuthenticationError, ServerUnavailableError: the reader refused the key, or could not be
            reached from the start.
    """
    gradings = get_args(Grading)
    if not configurations or depth < 1 or seed < 0 or grading not in gradings:
        raise ConfigurationError(
            "name a configuration, a depth of at least 1, a seed of at least 0, and a grading of "
            f"{' or '.join(gradings)}"
        )
    meter = ProgressMeter(progress, len(questions.questions) * len(configurations))
    traces: dict[str, dict[str, Trace]] = {name: {} for name in configurations}
    runner = _ProbeRunner(reader, depth, seed, {})
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


class _Outcome(NamedTuple):
    answer: str | None
    seconds: float
    error: str | None


class _ProbeRunner(NamedTuple):
    """Retrieves, reads and grades; keeps the outcome of each prompt."""

    reader: Reader
    depth: int
    seed: int
    outcomes: dict[Prompt, _Outcome]

    def run(self, question: ProbeQuestion, name: str, retrieve: Retrieve) -> Trace:
        started = time.perf_counter()
        try:
            hits = list(retrieve(question, self.depth))[: self.depth]
        except Exception as error:
            return Trace(question.id, name, error=f"retrieval: {_describe_error(error)}")
        seconds = time.perf_counter() - started
        prompt = build_prompt(question.text, [hit.passage.text for hit in hits], self.seed)
        if prompt not in self.outcomes:
            self.outcomes[prompt] = self._read(prompt)
        outcome = self.outcomes[prompt]
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

    def _read(self, prompt: Prompt) -> _Outcome:
        started = time.perf_counter()
        try:
            answer = self.reader.answer(prompt)
            return _Outcome(answer, time.perf_counter() - started, None)
        except Exception as error:
            has_answered = any(outcome.answer is not None for outcome in self.outcomes.values())
            if isinstance(error, ServerUnavailableError) and not has_answered:
                raise  # never answered, so no server is there; one that answered may return
            failure = f"reader: {_describe_error(error)}"
            return _Outcome(None, time.perf_counter() - started, failure)


def _describe_error(error: Exception) -> str:
    """Describe an error, a foreign one by type (its text may hold a key); raise a fatal one."""
    if isinstance(error, _FATAL):
        raise error
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, LogicRetrieversError) else kind
