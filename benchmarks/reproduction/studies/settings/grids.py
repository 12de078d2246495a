"""Grids over the settings with a trade-off, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from benchmarks.common.dataset_search import DatasetSearch
from logic_retrievers.evaluation import Dataset, EvaluationResult
from logic_retrievers.policies import (
    AutoPolicy,
    CoderUnionPolicy,
    ExclusionSettings,
    Policy,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.policies.base import PolicyRouter

Setting: TypeAlias = tuple[float, float]
QuickResults: TypeAlias = dict[Setting, dict[str, float]]
"""Setting -> metric -> mean."""

_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_KEPT = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """Two settings of a policy over some values each.

    Args:
        name: of the policy, in lower case with hyphens.
        system: its display name.
        rows, columns: name and values of the settings.
        policy: makes the policy with two values.
        chosen: the default values.
    """

    name: str
    system: str
    rows: tuple[str, Sequence[float]]
    columns: tuple[str, Sequence[float]]
    policy: Callable[[float, float], Policy | PolicyRouter]
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

    def quick_results(self, searching: DatasetSearch) -> QuickResults:
        """Quick metrics of every setting; candidate pools are gathered once."""
        return {
            setting: searching.quick_metrics(self.policy(*setting)) for setting in self.settings
        }

    def describe(self, setting: Setting) -> str:
        """A setting in words."""
        names = (self.rows[0], self.columns[0])
        return ", ".join(f"{name} {value:g}" for name, value in zip(names, setting, strict=True))


@dataclass
class ExploredPart:
    """A part of a data set under all settings.

    Args:
        dataset: the part.
        plain: metrics of plain search.
        quick_results: family -> metrics of its settings.
        results: family -> result of its chosen setting.
        baseline: result of plain search; None if no setting was chosen.
    """

    dataset: Dataset
    plain: Mapping[str, float]
    quick_results: dict[str, QuickResults] = field(default_factory=dict)
    results: dict[str, EvaluationResult] = field(default_factory=dict)
    baseline: EvaluationResult | None = None


def grids(exclusion: Mapping[str, float] | None) -> tuple[Grid, ...]:
    """The grids of the four policies that weigh topic against compatibility.

    Args:
        exclusion: the encoder's constants of the exclusion, as its manifest has them.
    """
    shipped = ExclusionSettings().over(exclusion)
    sequential, union, coder = SequentialPolicy(), UnionPolicy(), CoderUnionPolicy()

    def auto(penalty: float, weight: float) -> AutoPolicy:
        settings = ExclusionSettings(penalty=penalty, compatibility_weight=weight)
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
    """The sorted values, with ``value`` added."""
    return tuple(sorted({*values, value}))


def lowest_violation(
    quick_results: QuickResults, plain_recall: float, share: float = 0.99
) -> Setting | None:
    """The setting with the lowest V@5 that keeps a share of the R@5 of plain search.

    Ties go to the higher recall, then to the first. None if no setting keeps it.
    """
    keeping = [
        setting
        for setting, figures in quick_results.items()
        if figures["R@5"] >= share * plain_recall
    ]
    if not keeping:
        return None
    return min(
        keeping, key=lambda setting: (quick_results[setting]["V@5"], -quick_results[setting]["R@5"])
    )


def pareto_front(quick_results: QuickResults) -> list[tuple[float, float]]:
    """(R@5, V@5) of the Pareto-optimal settings, by falling recall."""
    points = sorted(
        {(figures["R@5"], figures["V@5"]) for figures in quick_results.values()}, reverse=True
    )
    best: list[tuple[float, float]] = []
    for recall, violations in points:
        if not best or violations < best[-1][1]:
            if best and best[-1][0] == recall:
                best.pop()
            best.append((recall, violations))
    return best
