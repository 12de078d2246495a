"""The charts of the page as numbers: the template draws them as SVG."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from logic_retrievers.cleaning.result import Action, CleaningResult, Kind

ACTIONS: tuple[Action, ...] = get_args(Action)

N_BINS = 20
"""Of the probabilities, .05 wide each."""

MIN_SIZE = 2.0
"""Least width or height, so that one contradiction among ten thousand copies is seen."""


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle that stands for some findings."""

    name: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """Findings of one kind, stacked by action."""

    kind: str
    count: int
    y: float
    end: float
    blocks: tuple[Block, ...]


def count_actions(result: CleaningResult) -> dict[str, dict[str, int]]:
    """Kind -> action -> number of findings, for every kind and the actions that occur."""
    counts = Counter((one.finding.kind.value, one.action) for one in result.decisions)
    actions = [action for action in ACTIONS if any(action == other for _, other in counts)]
    return {kind.value: {action: counts[kind.value, action] for action in actions} for kind in Kind}


def stacked_bars(
    table: Mapping[str, Mapping[str, int]], *, left: float, width: float, step: float
) -> tuple[Bar, ...]:
    """A bar for each kind; the longest is ``width`` wide, or more where blocks were widened."""
    totals = {kind: sum(actions.values()) for kind, actions in table.items()}
    scale = width / max(1, *totals.values())
    bars = []
    for row, (kind, actions) in enumerate(table.items()):
        x, y, blocks = left, row * step, []
        for action, count in actions.items():
            if count:
                block_width = max(MIN_SIZE, round(count * scale, 1))
                blocks.append(Block(action, count, round(x, 1), y, block_width, step))
                x += block_width
        bars.append(Bar(kind, totals[kind], y, round(x, 1), tuple(blocks)))
    return tuple(bars)


def contradiction_probabilities(result: CleaningResult) -> list[float]:
    """The finite probabilities of the contradictions."""
    values = (decision.finding.probability for decision in result.of_kind(Kind.CONTRADICTION))
    return [value for value in values if math.isfinite(value)]


def histogram(
    values: Sequence[float], *, left: float, width: float, height: float
) -> tuple[Block, ...]:
    """The columns of a histogram over [0, 1] that are not empty; y counts from the top.

    Values outside of it count in the nearest column.
    """
    counts = Counter(max(0, min(N_BINS - 1, math.floor(value * N_BINS + 1e-9))) for value in values)
    highest = max(counts.values(), default=1)
    bin_width = width / N_BINS
    columns = []
    for bin_, count in sorted(counts.items()):
        column = max(MIN_SIZE, round(height * count / highest, 1))
        name = f"{bin_ / N_BINS:.2f} to {(bin_ + 1) / N_BINS:.2f}"
        x, y = round(left + bin_ * bin_width, 1), round(height - column, 1)
        columns.append(Block(name, count, x, y, round(bin_width, 1), column))
    return tuple(columns)
