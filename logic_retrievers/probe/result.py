"""The result of a probe: figures of each configuration, by kind of question, and comparisons."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from logic_retrievers.evaluation.result import estimate_metrics, estimates_by_label
from logic_retrievers.evaluation.statistics import Estimate, bootstrap, holm, mcnemar
from logic_retrievers.files import write_text
from logic_retrievers.probe.grading import Direction, Grade, Grading

ACCURACY = "accuracy"


@dataclass(frozen=True, slots=True)
class Trace:
    """The outcome of one question under one configuration.

    Args:
        question: its id.
        configuration: its name.
        passages: ids, in the order in which the reader got them.
        scores: of the passages under the configuration.
        answer: as the reader gave it; None where there is none.
        grade: of the answer.
        direction: label of the first passage; None where the question has no labels.
        retrieval_seconds: for the passages.
        reader_seconds: for the answer; for a repeated prompt, what it took the first time.
        error: why there is no answer.
    """

    question: str
    configuration: str
    passages: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    answer: str | None = None
    grade: Grade | None = None
    direction: Direction | None = None
    retrieval_seconds: float = 0.0
    reader_seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AccuracyComparison:
    """The accuracy of a configuration against that of another one.

    Args:
        difference: of the shares of right answers, with a paired bootstrap interval.
        gained, lost: questions that only this one, or only the other one, has right.
        p: of McNemar's exact test, two-sided; ``p_corrected`` after Holm over all comparisons.
        questions: how many both have answered; ``left_out``: how many one of them has not.
    """

    difference: Estimate
    gained: int
    lost: int
    p: float
    p_corrected: float
    questions: int
    left_out: int

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {**asdict(self), "difference": self.difference._asdict()}


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The traces of a probe, and the figures computed from them.

    Args:
        set, reader: their names.
        depth: passages per question.
        seed: of the prompts, and of the resampling.
        grading: what counts as right.
        kinds: question -> kind, in the order of asking; empty where there is only one.
        traces: configuration -> question -> trace; the others are compared with the first.
    """

    set: str
    reader: str
    depth: int
    seed: int
    grading: Grading
    kinds: Mapping[str, str]
    traces: Mapping[str, Mapping[str, Trace]]

    def failed(self, configuration: str) -> dict[str, str]:
        """Question -> error, for the questions that got no answer."""
        traces = self.traces[configuration]
        return {name: trace.error for name, trace in traces.items() if trace.error is not None}

    def figures(self, configuration: str) -> dict[str, Estimate]:
        """Means with 95 % intervals over the questions that were answered.

        ``accuracy`` is the share of right answers; ``exact``, ``f1``, ``support``, ``gold``,
        ``wrong`` and ``abstained`` as in :class:`Grade` (``gold`` and ``wrong`` as shares of
        questions whose answer contains one); ``top_satisfying`` and ``top_violating`` the label of
        the first passage, for questions with labels; ``retrieval_seconds`` and ``reader_seconds``
        per question.
        """
        values = self._values(configuration)
        if not values:
            return {}
        answered = {name: name for name in values[ACCURACY]}
        return estimate_metrics(values, answered, seed=self.seed)

    def figures_by_kind(self, configuration: str) -> dict[str, dict[str, Estimate]]:
        """Kind -> :meth:`figures` of its questions."""
        return estimates_by_label(self._values(configuration), self._labels(), seed=self.seed)

    def comparisons(self, kind: str | None = None) -> dict[str, AccuracyComparison]:
        """Configuration -> its accuracy against the first's, over the questions of a kind.

        A question that got no answer under one of the two is left out for both, and counted.
        """
        questions = {name for name, label in self.kinds.items() if kind in {None, label}}
        baseline, *others = (self._correct(name, questions) for name in self.traces)
        return compare_accuracy(
            baseline,
            dict(zip(list(self.traces)[1:], others, strict=True)),
            seed=self.seed,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, ready for ``json.dumps``: all figures, without the traces."""
        kinds = list(dict.fromkeys(self._labels().values()))
        return {
            "set": self.set,
            "reader": self.reader,
            "depth": self.depth,
            "seed": self.seed,
            "grading": self.grading,
            "questions": len(self.kinds),
            "configurations": {
                name: {
                    "failed": self.failed(name),
                    "figures": _plain_figures(self.figures(name)),
                    "by_kind": {
                        kind: _plain_figures(figures)
                        for kind, figures in self.figures_by_kind(name).items()
                    },
                }
                for name in self.traces
            },
            "comparisons": _plain_comparisons(self.comparisons()),
            "comparisons_by_kind": {
                kind: _plain_comparisons(self.comparisons(kind)) for kind in kinds
            },
        }

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Writes :meth:`to_json`, the whole file or nothing.

        Raises:
            StorageError: the file cannot be written.
        """
        write_text(path, json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n")

    def write_traces(self, path: str | os.PathLike[str]) -> None:
        """Writes a line of JSON for each :class:`Trace`, the whole file or nothing.

        Raises:
            StorageError: the file cannot be written.
        """
        traces = (trace for by_question in self.traces.values() for trace in by_question.values())
        lines = (json.dumps(asdict(trace), ensure_ascii=False) + "\n" for trace in traces)
        write_text(path, "".join(lines))

    def _labels(self) -> dict[str, str]:
        return {name: kind for name, kind in self.kinds.items() if kind}

    def _correct(self, configuration: str, questions: Collection[str]) -> dict[str, bool]:
        return {
            name: trace.grade.correct(self.grading)
            for name, trace in self.traces[configuration].items()
            if name in questions and trace.grade is not None
        }

    def _values(self, configuration: str) -> dict[str, dict[str, float]]:
        """Metric -> question -> value, for the questions that were answered."""
        values: dict[str, dict[str, float]] = {}
        for name, trace in self.traces[configuration].items():
            for metric, value in _trace_metrics(trace, self.grading).items():
                values.setdefault(metric, {})[name] = value
        return values


def compare_accuracy(
    baseline: Mapping[str, bool],
    others: Mapping[str, Mapping[str, bool]],
    *,
    seed: int = 0,
) -> dict[str, AccuracyComparison]:
    """Compares configurations with the baseline, p corrected for their number.

    Both map a question that was answered to whether its answer is right; a configuration that
    shares none with the baseline is left out.
    """
    comparisons: dict[str, AccuracyComparison] = {}
    for name, other in others.items():
        shared = [question for question in baseline if question in other]
        if not shared:
            continue
        changes = [int(other[question]) - int(baseline[question]) for question in shared]
        gained, lost = changes.count(1), changes.count(-1)
        p = mcnemar(gained, lost)
        comparisons[name] = AccuracyComparison(
            difference=bootstrap(changes, seed=seed)[0],
            gained=gained,
            lost=lost,
            p=p,
            p_corrected=p,
            questions=len(shared),
            left_out=len(baseline.keys() | other.keys()) - len(shared),
        )
    corrected = holm([comparison.p for comparison in comparisons.values()])
    return {
        name: replace(comparison, p_corrected=p)
        for (name, comparison), p in zip(comparisons.items(), corrected, strict=True)
    }


def _trace_metrics(trace: Trace, grading: Grading) -> dict[str, float]:
    grade = trace.grade
    if grade is None:
        return {}
    metrics: dict[str, float] = {
        ACCURACY: grade.correct(grading),
        "exact": grade.exact,
        "f1": grade.f1,
        "support": grade.support,
        "gold": grade.gold > 0,
        "wrong": grade.wrong > 0,
        "abstained": grade.abstained,
        "retrieval_seconds": trace.retrieval_seconds,
        "reader_seconds": trace.reader_seconds,
    }
    if trace.direction is not None:
        metrics["top_satisfying"] = trace.direction == "satisfying"
        metrics["top_violating"] = trace.direction == "violating"
    return metrics


def _plain_figures(figures: Mapping[str, Estimate]) -> dict[str, dict[str, float]]:
    return {metric: estimate._asdict() for metric, estimate in figures.items()}


def _plain_comparisons(comparisons: Mapping[str, AccuracyComparison]) -> dict[str, dict[str, Any]]:
    return {name: comparison.to_dict() for name, comparison in comparisons.items()}
