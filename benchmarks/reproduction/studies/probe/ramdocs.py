"""RAMDocs with and without the contradiction filter: threshold from dev, figures from test."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, TypeAlias

from benchmarks.probe_questions.ramdocs import ramdocs_questions
from benchmarks.reproduction.artefacts import Row, Table
from benchmarks.reproduction.studies.probe.answers import ask_reader, reader_of, right_cell
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.probe import ExtractiveReader, ProbeResult, Reader

FILTERED, PLAIN = "topical+drop_both", "topical"
THRESHOLDS = (None, 0.3, 0.1, 0.03, 0.01)
"""Thresholds of the contradiction filter that are tried on dev; None is the shipped one."""
FEWER = 2 / 3
"""A threshold is chosen if at most this share of the wrong answers is left."""
DEPTH = 5

_ThresholdResults: TypeAlias = Mapping[float | None, ProbeResult]
"""Threshold -> result, by falling threshold."""


def ramdocs_tables(bench: Workbench, readers: Mapping[str, Reader]) -> list[Table]:
    """Tables of the dev part, and of the test part at the chosen and the shipped threshold.

    Args:
        bench: encoder and seed.
        readers: name -> reader of the test part; dev is read by the extractive reader.
    """
    dev = _try_thresholds(bench, "dev", ExtractiveReader(bench.encoder), THRESHOLDS)
    chosen = _choose_threshold(dev)
    tables = [_filter_table("probe-ramdocs-dev", "dev", dev, chosen)]
    for name, reader in readers.items():
        test = _try_thresholds(bench, "test", reader, tuple(dict.fromkeys((None, *chosen))))
        tables.append(_filter_table(f"probe-ramdocs-test-{name}", "test", test, chosen))
    return tables


def _try_thresholds(
    bench: Workbench, split: str, reader: Reader, thresholds: tuple[float | None, ...]
) -> _ThresholdResults:
    bench.log(f"probe: RAMDocs {split} read by {reader.name}")
    questions = ramdocs_questions("ramdocs", split, bench.seed)
    return {
        threshold: ask_reader(
            bench, questions, reader, (PLAIN, FILTERED), depth=DEPTH, threshold=threshold
        )
        for threshold in thresholds
    }


def _choose_threshold(results: _ThresholdResults) -> tuple[float | None, ...]:
    """The first threshold that is good enough; empty if there is none."""
    return tuple(threshold for threshold, result in results.items() if _is_good_enough(result))[:1]


def _is_good_enough(result: ProbeResult) -> bool:
    """At least as many right answers, and at most two thirds of the wrong ones."""
    plain, filtered = (result.figures(name) for name in (PLAIN, FILTERED))
    gold_kept = filtered["gold"].mean >= plain["gold"].mean
    return gold_kept and round(filtered["wrong"].mean - FEWER * plain["wrong"].mean, 9) <= 0


def _filter_table(
    name: str, split: str, results: _ThresholdResults, chosen_thresholds: Container[float | None]
) -> Table:
    rows = []
    first = next(iter(results.values()))
    rows.append(Row(cells=("without a filter", *_filter_cells(first, PLAIN))))
    for threshold, result in results.items():
        chosen = ", chosen on dev" if threshold in chosen_thresholds else ""
        threshold_label = "as shipped" if threshold is None else f"threshold {threshold}"
        rows.append(Row(cells=(f"{threshold_label}{chosen}", *_filter_cells(result, FILTERED))))
    return Table(
        name=name,
        title=f"RAMDocs {split}: {len(first.kinds)} questions, one trusted document each, "
        f"read by {reader_of(first)}",
        columns=(
            "contradiction filter",
            "right",
            "names a right answer",
            "names a wrong one",
            "passages read",
        ),
        rows=tuple(rows),
        baseline="without a filter",
        better={"right": "higher"},
        notes=(
            f"From up to {DEPTH} of a question's own documents. At a low threshold little is left "
            "beside the trusted document.",
        ),
    )


def _filter_cells(result: ProbeResult, name: str) -> tuple[Any, ...]:
    figures, compared = result.figures(name), result.comparisons().get(name)
    passage_counts = [len(trace.passages) for trace in result.traces[name].values()]
    return (
        right_cell(figures["accuracy"], compared),
        right_cell(figures["gold"]),
        right_cell(figures["wrong"]),
        round(sum(passage_counts) / len(passage_counts), 2),
    )
