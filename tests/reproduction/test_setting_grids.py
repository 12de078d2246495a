"""Grids of settings: the default among them, the choice at full recall, the front."""

from __future__ import annotations

from benchmarks.reproduction.studies.settings.grids import grids, lowest_violation, pareto_front
from logic_retrievers import AutoPolicy, UnionPolicy

GLANCES = {
    (0.0, 0.0): {"R@5": 1.0, "V@5": 0.9},
    (0.0, 1.0): {"R@5": 0.99, "V@5": 0.5},
    (1.0, 0.0): {"R@5": 0.995, "V@5": 0.5},
    (1.0, 1.0): {"R@5": 0.90, "V@5": 0.1},
}


def test_every_grid_holds_its_default() -> None:
    """A default beside the grid cannot be marked, nor compared with its neighbours."""
    for grid in grids({"penalty": 0.33, "compatibility_weight": 0.11}):
        row, column = grid.chosen_place
        assert (grid.rows[1][row], grid.columns[1][column]) == grid.chosen
        assert len(set(grid.settings)) == len(grid.rows[1]) * len(grid.columns[1])
    auto, _, coder, union = grids({"penalty": 0.33})
    policy = auto.policy(0.6, 0.2)
    assert isinstance(policy, AutoPolicy)
    assert policy.settings is not None
    assert (policy.settings.penalty, policy.settings.compatibility_weight) == (0.6, 0.2)
    assert union.policy(0.2, 0.4) == UnionPolicy(0.2, 0.4)
    assert coder.describe((0.3, 0.1)) == "alpha 0.3, keep 0.1"


def test_the_lowest_violations_at_full_recall() -> None:
    """Without the bound on the recall an empty list would be chosen."""
    assert lowest_violation(GLANCES, 1.0) == (1.0, 0.0)
    assert lowest_violation(GLANCES, 1.0, share=0.9) == (1.0, 1.0)
    assert lowest_violation(GLANCES, 1.2) is None


def test_the_front_is_what_nothing_beats_in_both() -> None:
    assert pareto_front(GLANCES) == [(1.0, 0.9), (0.995, 0.5), (0.9, 0.1)]
