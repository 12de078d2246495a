"""The figures of the page as numbers: what the template draws as SVG."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from logic_retrievers.cleaning.findings import Kind
from logic_retrievers.cleaning.result import Action, Cleaned

ACTIONS: tuple[Action, ...] = get_args(Action)

BINS = 20
"""Of the probabilities, .05 wide each."""

LEAST = 2.0
"""Width or height of what is there at all: one contradiction among ten thousand copies is seen."""


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
    """Findings of one kind, by what was done."""

    kind: str
    count: int
    y: float
    end: float
    blocks: tuple[Block, ...]


def counts(cleaned: Cleaned) -> dict[str, dict[str, int]]:
    """Kind -> action -> how many, with every kind and the actions that occur."""
    found = Counter((one.finding.kind.value, one.action) for one in cleaned.decisions)
    met = [action for action in ACTIONS if any(of == action for _, of in found)]
    return {kind.value: {action: found[kind.value, action] for action in met} for kind in Kind}


def bars(
    table: Mapping[str, Mapping[str, int]], *, left: float, width: float, step: float
) -> tuple[Bar, ...]:
    """A stacked bar for each kind.

    Args:
        table: kind -> action -> how many.
        left: where they begin.
        width: of the longest; a little more where thin blocks were widened to be seen.
        step: from one to the next.
    """
    totals = {kind: sum(actions.values()) for kind, actions in table.items()}
    scale = width / max(1, *totals.values())
    found = []
    for row, (kind, actions) in enumerate(table.items()):
        x, y, blocks = left, row * step, []
        for action, count in actions.items():
            if count:
                wide = max(LEAST, round(count * scale, 1))
                blocks.append(Block(action, count, round(x, 1), y, wide, step))
                x += wide
        found.append(Bar(kind, totals[kind], y, round(x, 1), tuple(blocks)))
    return tuple(found)


def probabilities(cleaned: Cleaned) -> list[float]:
    """Of the contradictions that were found; without those that are no numbers."""
    found = (one.finding.probability for one in cleaned.of_kind(Kind.CONTRADICTION))
    return [value for value in found if math.isfinite(value)]


def columns(
    values: Sequence[float], *, left: float, width: float, height: float
) -> tuple[Block, ...]:
    """A histogram over [0, 1], without its empty columns; y counts from the top.

    Args:
        values: in [0, 1]; what lies outside counts at the end that is nearer.
        left: where 0 is.
        width: from 0 to 1.
        height: of the highest column.
    """
    found = Counter(max(0, min(BINS - 1, math.floor(value * BINS + 1e-9))) for value in values)
    highest = max(found.values(), default=1)
    wide = width / BINS
    blocks = []
    for place, count in sorted(found.items()):
        high = max(LEAST, round(height * count / highest, 1))
        name = f"{place / BINS:.2f} to {(place + 1) / BINS:.2f}"
        x = round(left + place * wide, 1)
        blocks.append(Block(name, count, x, round(height - high, 1), round(wide, 1), high))
    return tuple(blocks)
