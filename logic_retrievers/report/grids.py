"""The settings of every policy that have a trade-off, and where they lead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from logic_retrievers.policies import (
    AutoPolicy,
    CoderUnionPolicy,
    ExclusionSettings,
    Policy,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.policies.base import Chooser
from logic_retrievers.report.searching import Searching

Setting: TypeAlias = tuple[float, float]
Glances: TypeAlias = dict[Setting, dict[str, float]]
"""Metric -> mean, of every setting."""

_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_KEPT = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """Two settings of a policy over some values each.

    Args:
        name: of the policy, in lower case with hyphens.
        system: the same, for people.
        rows, columns: name and values of the settings.
        policy: with one value of each.
        chosen: the values that it has by default.
    """

    name: str
    system: str
    rows: tuple[str, Sequence[float]]
    columns: tuple[str, Sequence[float]]
    policy: Callable[[float, float], Policy | Chooser]
    chosen: Setting

    @property
    def settings(self) -> list[Setting]:
        """All pairs of values, row by row."""
        return list(product(self.rows[1], self.columns[1]))

    @property
    def chosen_place(self) -> tuple[int, int]:
        """Row and column of the default."""
        row, column = self.chosen
        return list(self.rows[1]).index(row), list(self.columns[1]).index(column)

    def glances(self, searching: Searching) -> Glances:
        """What every setting gives; the pools are gathered once."""
        return {one: searching.glanced(self.policy(*one)) for one in self.settings}

    def told(self, setting: Setting) -> str:
        """A setting in words."""
        names = (self.rows[0], self.columns[0])
        return ", ".join(f"{name} {value:g}" for name, value in zip(names, setting, strict=True))


def grids(exclusion: Mapping[str, float] | None) -> tuple[Grid, ...]:
    """The grids of the four policies that weigh topic against compatibility.

    Args:
        exclusion: the encoder's constants of the exclusion, as its manifest has them.
    """
    shipped = ExclusionSettings.from_constants(exclusion or {})
    sequential, union, coder = SequentialPolicy(), UnionPolicy(), CoderUnionPolicy()

    def auto(penalty: float, weight: float) -> AutoPolicy:
        settings = replace(shipped, penalty=penalty, compatibility_weight=weight)
        return AutoPolicy(settings=settings)

    return (
        Grid(
            "auto",
            "auto",
            ("penalty", with_value((0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0, 1.5), shipped.penalty)),
            ("compatibility_weight", with_value(_SHARES[:-1], shipped.compatibility_weight)),
            auto,
            (shipped.penalty, shipped.compatibility_weight),
        ),
        Grid(
            "sequential",
            "sequential",
            ("alpha", with_value(_SHARES, sequential.alpha)),
            ("tau", with_value((-1.0, 0.1, 0.2, 0.4, 0.5, 0.6), sequential.tau)),
            lambda alpha, tau: SequentialPolicy(alpha, tau),
            (sequential.alpha, sequential.tau),
        ),
        Grid(
            "coder-union",
            "CoDeR's union",
            ("alpha", with_value(_SHARES, coder.alpha)),
            ("keep", with_value(_KEPT, coder.keep)),
            lambda alpha, keep: CoderUnionPolicy(alpha, keep),
            (coder.alpha, coder.keep),
        ),
        Grid(
            "union",
            "union",
            ("alpha", with_value(_SHARES, union.alpha)),
            ("keep", with_value(_KEPT, union.keep)),
            lambda alpha, keep: UnionPolicy(alpha, keep),
            (union.alpha, union.keep),
        ),
    )


def with_value(values: Sequence[float], value: float) -> tuple[float, ...]:
    """The values in order, the given one among them."""
    return tuple(sorted({*values, value}))


def lowest(glances: Glances, plain_recall: float, share: float = 0.99) -> Setting | None:
    """The setting with the lowest V@5 among those that keep that share of a plain recall at 5.

    Of several the one with the higher recall, then the first. None where no setting keeps it.
    """
    keeping = [one for one, found in glances.items() if found["R@5"] >= share * plain_recall]
    if not keeping:
        return None
    return min(keeping, key=lambda one: (glances[one]["V@5"], -glances[one]["R@5"]))


def front(glances: Glances) -> list[tuple[float, float]]:
    """(R@5, V@5) of the settings that none beats in both, by falling recall."""
    points = sorted({(found["R@5"], found["V@5"]) for found in glances.values()}, reverse=True)
    kept: list[tuple[float, float]] = []
    for recall, violations in points:
        if not kept or violations < kept[-1][1]:
            if kept and kept[-1][0] == recall:
                kept.pop()
            kept.append((recall, violations))
    return kept
