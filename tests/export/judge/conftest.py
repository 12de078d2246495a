"""One trained judge for all tests of a session."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from small_judges import SmallJudge


@pytest.fixture(scope="session")
def small_judge(
    small_model_folder: Path, bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> SmallJudge:
    """A finished run, and a bundle over the same encoder."""
    from logic_export.judge.recipe import read_judge_recipe
    from logic_export.judge.run import train_judge
    from small_judges import SmallJudge, judge_recipe

    folder = tmp_path_factory.mktemp("judge")
    recipe = judge_recipe(small_model_folder, folder / "recipe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train_judge(read_judge_recipe(recipe), folder / "run", quiet=True)
    return SmallJudge(small_model_folder, recipe, folder / "run", bundle)
