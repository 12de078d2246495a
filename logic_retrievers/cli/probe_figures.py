"""Figures of a probe as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.table import Table

from logic_retrievers.evaluation import Estimate
from logic_retrievers.probe import Comparison, ProbeResult

_SHARES = {
    "gold": "names right",
    "wrong": "names wrong",
    "abstained": "abstains",
    "judged": "judge",
    "top_satisfying": "top satisfies",
    "top_violating": "top violates",
}
"""Metric -> title, of the columns that stand in the second table where the questions give them."""


def probe_tables(result: ProbeResult) -> list[Table]:
    """What is right, what was said, and where there are kinds, the accuracy by kind."""
    tables = [_right(result), _said(result)]
    if any(result.kinds.values()):
        tables.append(_by_kind(result))
    return tables


def _right(result: ProbeResult) -> Table:
    comparisons = result.comparisons()
    first = next(iter(result.traces))
    table = Table(
        title=f"{result.set}: {len(result.kinds)} questions at depth {result.depth}, "
        f"read by {result.reader}",
        title_justify="left",
        caption=f"right by {result.grading}; 95 % intervals; p of McNemar's exact test, after Holm",
        caption_justify="left",
    )
    table.add_column("configuration", overflow="fold", min_width=13)
    for title in ("accuracy", f"less {first}", "gained/lost", "p", "failed"):
        table.add_column(title, justify="right", overflow="fold")
    for name in result.traces:
        table.add_row(
            name,
            _estimate(result.figures(name).get("accuracy")),
            *_compared(comparisons.get(name)),
            str(len(result.failed(name))),
        )
    return table


def _said(result: ProbeResult) -> Table:
    figures = {name: result.figures(name) for name in result.traces}
    shown = [one for one in _SHARES if any(one in of_name for of_name in figures.values())]
    table = Table(title="what was said, and what was found", title_justify="left")
    table.add_column("configuration", overflow="fold", min_width=13)
    for title in [*(_SHARES[one] for one in shown), "seconds"]:
        table.add_column(title, justify="right")
    for name, found in figures.items():
        seconds = [found[one].mean for one in ("retrieval_seconds", "reader_seconds") if found]
        table.add_row(
            name,
            *(_share(found.get(one)) for one in shown),
            f"{sum(seconds):.2f}" if seconds else "-",
        )
    return table


def _by_kind(result: ProbeResult) -> Table:
    table = Table(title="accuracy by kind of question", title_justify="left")
    table.add_column("kind", overflow="fold")
    table.add_column("questions", justify="right")
    first, *others = result.traces
    for name in result.traces:
        table.add_column(name, justify="right", overflow="fold")
    for name in others:
        table.add_column(f"{name} less {first}", justify="right", overflow="fold")
    found = {name: result.figures_by_kind(name) for name in result.traces}
    for kind, number in _counted(result.kinds.values()).items():
        gains = result.comparisons(kind)
        table.add_row(
            kind,
            str(number),
            *(_share(of_name.get(kind, {}).get("accuracy")) for of_name in found.values()),
            *(_compared(gains.get(name))[0] for name in others),
        )
    return table


def _counted(kinds: Iterable[str]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for kind in kinds:
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.mean:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def _share(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"


def _compared(comparison: Comparison | None) -> tuple[str, str, str]:
    if comparison is None:
        return "", "", ""
    gain = comparison.difference
    return (
        f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})",
        f"{comparison.gained}/{comparison.lost}",
        f"{comparison.p_corrected:.3g}",
    )
