"""What a probe found: figures of each configuration, by kind of question, and comparisons."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from logic_retrievers.evaluation.breakdown import estimates_by
from logic_retrievers.evaluation.files import write_text
from logic_retrievers.evaluation.result import estimate_all
from logic_retrievers.evaluation.statistics import RESAMPLES, Estimate
from logic_retrievers.probe.grading import Grading
from logic_retrievers.probe.statistics import Comparison, compare_all
from logic_retrievers.probe.traces import Trace

ACCURACY = "accuracy"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The traces of a probe, and what follows from them.

    Args:
        set: name of the questions.
        reader: its name.
        depth: passages a question.
        seed: of the prompts, and of the resampling.
        grading: what counts as right.
        kinds: question -> kind, in the order of asking; empty where there is but one.
        traces: configuration -> question -> trace; the first is what others are compared with.
        resamples: how many times the questions are drawn for the intervals.
    """

    set: str
    reader: str
    depth: int
    seed: int
    grading: Grading
    kinds: Mapping[str, str]
    traces: Mapping[str, Mapping[str, Trace]]
    resamples: int = RESAMPLES

    def failed(self, configuration: str) -> dict[str, str]:
        """Question -> error, for the questions that got no answer."""
        traces = self.traces[configuration]
        return {name: trace.error for name, trace in traces.items() if trace.error is not None}

    def figures(self, configuration: str) -> dict[str, Estimate]:
        """Means with 95 % intervals over the questions that were answered.

        ``accuracy`` is the share of right answers; ``exact``, ``f1``, ``support``, ``gold``,
        ``wrong`` and ``abstained`` as in :class:`Grade` (the numbers of contained answers as
        shares of questions with one); ``judged`` what the judge says; ``top_satisfying`` and
        ``top_violating`` where the first passage stands, for questions with sides;
        ``retrieval_seconds`` and ``reader_seconds`` a question.
        """
        values = _values(self.traces[configuration], self.grading)
        answered = {name: name for name in values[ACCURACY]}
        if not answered:
            return {}
        return estimate_all(_some(values), answered, resamples=self.resamples, seed=self.seed)

    def figures_by_kind(self, configuration: str) -> dict[str, dict[str, Estimate]]:
        """Kind -> :meth:`figures` of its questions."""
        values = _some(_values(self.traces[configuration], self.grading))
        return estimates_by(values, self._labels(), resamples=self.resamples, seed=self.seed)

    def comparisons(self, kind: str | None = None) -> dict[str, Comparison]:
        """Configuration -> what it changes against the first, over the questions of a kind.

        A question that got no answer under one of the two is left out for both, and counted.
        """
        asked = {name for name, label in self.kinds.items() if kind in {None, label}}
        (_, first), *others = (
            (name, {one: trace for one, trace in traces.items() if one in asked})
            for name, traces in self.traces.items()
        )
        return compare_all(
            self._right(first),
            {name: self._right(traces) for name, traces in others},
            resamples=self.resamples,
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
                    "figures": _plain(self.figures(name)),
                    "by_kind": {k: _plain(v) for k, v in self.figures_by_kind(name).items()},
                }
                for name in self.traces
            },
            "comparisons": _told(self.comparisons()),
            "comparisons_by_kind": {kind: _told(self.comparisons(kind)) for kind in kinds},
        }

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Writes :meth:`to_json`, whole or not at all.

        Raises:
            StorageError: the file cannot be written.
        """
        write_text(path, json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n")

    def _labels(self) -> dict[str, str]:
        return {name: kind for name, kind in self.kinds.items() if kind}

    def _right(self, traces: Mapping[str, Trace]) -> dict[str, bool]:
        return {
            name: trace.grade.correct(self.grading)
            for name, trace in traces.items()
            if trace.grade is not None
        }


def _values(traces: Mapping[str, Trace], grading: Grading) -> dict[str, dict[str, float]]:
    """Metric -> question -> value."""
    rows = {name: _row(trace, grading) for name, trace in traces.items() if trace.grade is not None}
    metrics = dict.fromkeys([ACCURACY, *(metric for row in rows.values() for metric in row)])
    return {
        metric: {name: row[metric] for name, row in rows.items() if metric in row}
        for metric in metrics
    }


def _row(trace: Trace, grading: Grading) -> dict[str, float]:
    graded = trace.grade
    if graded is None:
        return {}
    row: dict[str, float] = {
        ACCURACY: graded.correct(grading),
        "exact": graded.exact,
        "f1": graded.f1,
        "support": graded.support,
        "gold": graded.gold > 0,
        "wrong": graded.wrong > 0,
        "abstained": graded.abstained,
        "retrieval_seconds": trace.retrieval_seconds,
        "reader_seconds": trace.reader_seconds,
    }
    if trace.judged is not None:
        row["judged"] = trace.judged
    if trace.direction is not None:
        row["top_satisfying"] = trace.direction == "satisfying"
        row["top_violating"] = trace.direction == "violating"
    return row


def _some(values: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    return {metric: of_question for metric, of_question in values.items() if of_question}


def _plain(figures: Mapping[str, Estimate]) -> dict[str, dict[str, float]]:
    return {metric: estimate._asdict() for metric, estimate in figures.items()}


def _told(comparisons: Mapping[str, Comparison]) -> dict[str, dict[str, Any]]:
    return {name: one.to_dict() for name, one in comparisons.items()}
