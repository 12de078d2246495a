"""The result of a probe: figures of each configuration, also by kind; comparisons."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from logic_retrievers.evaluation.result import estimates_by_label
from logic_retrievers.evaluation.statistics import Estimate, bootstrap, holm, mcnemar
from logic_retrievers.files import write_text
from logic_retrievers.probe.grading import Direction, Grade, Grading


@dataclass(frozen=True, slots=True)
class Trace:
    """The outcome of one question under one configuration.

    Args:
        question: the question's id.
        configuration: the configuration's name.
        passages: ids in the order that the reader got.
        scores: the passages' scores under the configuration.
        answer: the reader's answer; None if it failed.
        grade: the answer's grade.
        direction: label of the first passage; None if the question has no labels.
        retrieval_seconds: time to find the passages.
        reader_seconds: time to answer; a repeated prompt has the time of its first answer.
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
    """The accuracy of a configuration compared with a baseline.

    Args:
        difference: difference of the shares of right answers, with a paired bootstrap interval.
        gained, lost: number of questions that only the configuration, or only the baseline,
            answers right.
        p: two-sided p-value of McNemar's exact test.
        p_corrected: ``p`` after Holm's correction over all comparisons.
        questions: number of questions answered under both.
        left_out: number of questions answered under only one.
    """

    difference: Estimate
    gained: int
    lost: int
    p: float
    p_corrected: float
    questions: int
    left_out: int

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "difference": self.difference._asdict()}


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The traces of a probe, and the figures computed from them.

    Args:
        set, reader: names of the question set and of the reader.
        depth: passages per question.
        seed: seed of prompts and resampling.
        grading: which answers count as right.
        kinds: question -> kind (may be empty), in the order of asking.
        traces: configuration -> question -> trace. The first configuration is the baseline.
    """

    set: str
    reader: str
    depth: int
    seed: int
    grading: Grading
    kinds: Mapping[str, str]
    traces: Mapping[str, Mapping[str, Trace]]

    def failed(self, configuration: str) -> dict[str, str]:
        """Question -> error, for questions without an answer."""
        traces = self.traces[configuration]
        return {name: trace.error for name, trace in traces.items() if trace.error is not None}

    def figures(self, configuration: str) -> dict[str, Estimate]:
        """Means with 95 % intervals over the answered questions.

        ``accuracy`` is the share of right answers. :class:`Grade` explains ``exact``, ``f1``,
        ``support`` and ``abstained``. ``gold`` and ``wrong`` are the shares of questions whose
        answer contains a right or a wrong answer. ``top_satisfying`` and ``top_violating`` are the
        shares of labelled questions whose first passage has that label. ``retrieval_seconds`` and
        ``reader_seconds`` are times per question.
        """
        values = self._values(configuration)
        answered = dict.fromkeys(values.get("accuracy", ()), "")
        return estimates_by_label(values, answered, seed=self.seed).get("", {})

    def figures_by_kind(self, configuration: str) -> dict[str, dict[str, Estimate]]:
        """Kind -> :meth:`figures` of its questions."""
        return estimates_by_label(self._values(configuration), self._labels, seed=self.seed)

    def comparisons(self, kind: str | None = None) -> dict[str, AccuracyComparison]:
        """Configuration -> its accuracy compared with the first's, over the questions of a kind.

        A question answered under only one of the two is left out, and counted.
        """
        first, *others = self.traces
        correct = {name: self._correct(name, kind) for name in others}
        return compare_accuracy(self._correct(first, kind), correct, seed=self.seed)

    def to_json(self) -> dict[str, Any]:
        """Return a plain dictionary for ``json.dumps``: all figures, without the traces."""

        def plain(figures: Mapping[str, Estimate]) -> dict[str, dict[str, float]]:
            return {metric: estimate._asdict() for metric, estimate in figures.items()}

        def compared(kind: str | None = None) -> dict[str, dict[str, Any]]:
            return {name: each.to_dict() for name, each in self.comparisons(kind).items()}

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
                    "figures": plain(self.figures(name)),
                    "by_kind": {
                        kind: plain(figures) for kind, figures in self.figures_by_kind(name).items()
                    },
                }
                for name in self.traces
            },
            "comparisons": compared(),
            "comparisons_by_kind": {
                kind: compared(kind) for kind in dict.fromkeys(self._labels.values())
            },
        }

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json`, the whole file or nothing.

        Raises:
            StorageError: the file cannot be written.
        """
        write_text(path, json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n")

    def write_traces(self, path: str | os.PathLike[str]) -> None:
        """Write one JSON line per :class:`Trace`, the whole file or nothing.

        Raises:
            StorageError: the file cannot be written.
        """
        traces = (trace for by_question in self.traces.values() for trace in by_question.values())
        lines = (json.dumps(asdict(trace), ensure_ascii=False) + "\n" for trace in traces)
        write_text(path, "".join(lines))

    @property
    def _labels(self) -> dict[str, str]:
        return {name: kind for name, kind in self.kinds.items() if kind}

    def _correct(self, configuration: str, kind: str | None) -> dict[str, bool]:
        return {
            name: trace.grade.correct(self.grading)
            for name, trace in self.traces[configuration].items()
            if trace.grade is not None and kind in {None, self.kinds.get(name)}
        }

    def _values(self, configuration: str) -> dict[str, dict[str, float]]:
        """Metric -> question -> value, for answered questions."""
        values: dict[str, dict[str, float]] = {}
        for name, trace in self.traces[configuration].items():
            if (grade := trace.grade) is None:
                continue
            metrics = {
                "accuracy": grade.correct(self.grading),
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
            for metric, value in metrics.items():
                values.setdefault(metric, {})[name] = value
        return values


def compare_accuracy(
    baseline: Mapping[str, bool],
    others: Mapping[str, Mapping[str, bool]],
    *,
    seed: int = 0,
) -> dict[str, AccuracyComparison]:
    """Compare configurations with the baseline, and correct p for the number of comparisons.

    Each configuration maps answered questions to whether the answer is right. A configuration that
    shares no question with the baseline is left out.
    """
    changes = {
        name: [int(other[q]) - int(is_right) for q, is_right in baseline.items() if q in other]
        for name, other in others.items()
        if not baseline.keys().isdisjoint(other)
    }
    ps = [mcnemar(each.count(1), each.count(-1)) for each in changes.values()]
    return {
        name: AccuracyComparison(
            difference=bootstrap(each, seed=seed)[0],
            gained=each.count(1),
            lost=each.count(-1),
            p=p,
            p_corrected=p_corrected,
            questions=len(each),
            left_out=len(baseline.keys() | others[name].keys()) - len(each),
        )
        for (name, each), p, p_corrected in zip(changes.items(), ps, holm(ps), strict=True)
    }
