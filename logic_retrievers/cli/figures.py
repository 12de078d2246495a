"""Figures of one evaluation, or of several beside one another, as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rich.table import Table

from logic_retrievers.evaluation import Estimate, Result, compare
from logic_retrievers.evaluation.files import write_text


def figures_table(result: Result) -> Table:
    """Metric, mean and interval."""
    table = _titled(result)
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, estimate in result.estimates.items():
        table.add_row(name, f"{estimate.mean:.4f}", f"{estimate.low:.4f} to {estimate.high:.4f}")
    return table


def side_by_side(results: Mapping[str, Result]) -> Table:
    """The means of several runs over the same queries, and what each gains over the first.

    A difference is the mean over the queries of its differences, with a paired interval; one that
    does not hold 0 is marked.
    """
    names, (first, *others) = list(results), results.values()
    table = _titled(first)
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for name in names[1:]:
        table.add_column(f"{name} less {names[0]}", justify="right", overflow="fold")
    gains = [compare(first, other) for other in others]
    for metric in first.estimates:
        means = [f"{result.estimates[metric].mean:.4f}" for result in results.values()]
        table.add_row(metric, *means, *(_signed(gain[metric]) for gain in gains))
    notes = ["* the 95 % interval of the paired difference does not hold 0", table.caption]
    table.caption = "; ".join(str(note) for note in notes if note)
    table.caption_justify = "left"
    return table


def write_figures(path: Path, results: Mapping[str, Result]) -> None:
    """One result as :meth:`Result.to_json`; several by name, with the differences to the first.

    Raises:
        StorageError: the file cannot be written.
    """
    (first_name, first), *others = results.items()
    if not others:
        first.write_json(path)
        return
    differences = {
        f"{name} less {first_name}": {
            metric: gain._asdict() for metric, gain in compare(first, result).items()
        }
        for name, result in others
    }
    told = {name: result.to_json() for name, result in results.items()}
    content = {"results": told, "differences": differences}
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _titled(result: Result) -> Table:
    table = Table(
        title=f"{result.dataset}, {result.policy}: {result.queries} queries, "
        f"{result.documents} documents",
        title_justify="left",
    )
    table.add_column("metric")
    if result.short_lists:
        table.caption = f"{result.short_lists} lists are shorter than they could be"
    return table


def _signed(gain: Estimate) -> str:
    mark = "" if gain.low <= 0 <= gain.high else " *"
    return f"{gain.mean:+.4f} ({gain.low:+.4f} to {gain.high:+.4f}){mark}"
