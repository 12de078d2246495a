"""RAMDocs with and without the contradiction filter: the threshold from dev, figures from test."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, TypeAlias

from logic_retrievers.probe import ExtractiveReader, ProbeResult, Reader
from logic_retrievers.probe.sets.ramdocs import ramdocs_questions
from logic_retrievers.report.artefacts import Row, Table
from logic_retrievers.report.studies.probe_asking import asked
from logic_retrievers.report.studies.probe_tables import reader_of, right
from logic_retrievers.report.workbench import Workbench

FILTERED, PLAIN = "topical+drop_both", "topical"
THRESHOLDS = (None, 0.3, 0.1, 0.03, 0.01)
"""Of the contradiction filter, tried on the development part; None is the shipped one."""
FEWER = 2 / 3
"""Of the wrong answers, at most this share may be left for a threshold to be taken."""
DEPTH = 5

_Tried: TypeAlias = Mapping[float | None, ProbeResult]
"""Threshold -> result, from the highest on."""


def ramdocs_tables(bench: Workbench, readers: Mapping[str, Reader]) -> list[Table]:
    """The threshold from the development part, then the test part at it and as it ships.

    Args:
        bench: its encoder and seed.
        readers: name -> who reads the test part; the threshold is the extractive reader's.
    """
    dev = _tried(bench, "dev", ExtractiveReader(bench.encoder), THRESHOLDS)
    chosen = _chosen(dev)
    tables = [_filter_table("probe-ramdocs-dev", "dev", dev, chosen)]
    for name, reader in readers.items():
        test = _tried(bench, "test", reader, tuple(dict.fromkeys((None, *chosen))))
        tables.append(_filter_table(f"probe-ramdocs-test-{name}", "test", test, chosen))
    return tables


def _tried(
    bench: Workbench, split: str, reader: Reader, thresholds: tuple[float | None, ...]
) -> _Tried:
    bench.say(f"probe: RAMDocs {split} read by {reader.name}")
    questions = ramdocs_questions("ramdocs", split, bench.seed)
    return {
        one: asked(bench, questions, reader, (PLAIN, FILTERED), depth=DEPTH, threshold=one)
        for one in thresholds
    }


def _chosen(results: _Tried) -> tuple[float | None, ...]:
    """The first threshold that is good enough; none where no threshold is."""
    return tuple(threshold for threshold, result in results.items() if _good(result))[:1]


def _good(result: ProbeResult) -> bool:
    """No fewer right and at most two thirds of the wrong answers."""
    plain, filtered = (result.figures(name) for name in (PLAIN, FILTERED))
    kept = filtered["gold"].mean >= plain["gold"].mean
    return kept and round(filtered["wrong"].mean - FEWER * plain["wrong"].mean, 9) <= 0


def _filter_table(name: str, split: str, results: _Tried, taken: Container[float | None]) -> Table:
    rows = []
    first = next(iter(results.values()))
    rows.append(Row(cells=("without a filter", *_filter_cells(first, PLAIN))))
    for threshold, result in results.items():
        chosen = ", chosen on dev" if threshold in taken else ""
        named = "as shipped" if threshold is None else f"threshold {threshold}"
        rows.append(Row(cells=(f"{named}{chosen}", *_filter_cells(result, FILTERED))))
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
    read = [len(trace.passages) for trace in result.traces[name].values()]
    return (
        right(figures["accuracy"], compared),
        right(figures["gold"]),
        right(figures["wrong"]),
        round(sum(read) / len(read), 2),
    )
