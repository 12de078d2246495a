"""The recipe of a pair judge: one TOML file with every setting that determines the result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from logic_export.recipe import (
    Count,
    DataSettings,
    RecipeTable,
    Share,
    Text,
    TrainingSettings,
    read_toml_recipe,
)


class JudgeModelSettings(RecipeTable):
    """The model and what it learns."""

    # an encoder, or a finished judge to train further: a packaged model's name, folder or hub name
    base: Text
    # judgement (two texts: entailment, neutral, contradiction), verdict (a passage and a query:
    # satisfies, neither, violates), relation (two passages: what the one is to the other) or
    # constraint (a query alone: is something ruled out, and which words say it)
    labels: Literal["judgement", "verdict", "relation", "constraint"] = "judgement"
    frozen_embeddings: bool = True  # so that the judge fits a bundle of the base
    frozen_layers: Annotated[int, Field(ge=0)] = 0  # lowest layers that are not trained
    # rank of LoRA (Hu et al. 2021): each matrix above the frozen layers changes by a product of two
    # matrices of this rank, so that a bundle with the base stores little more; 0 trains all weights
    rank: Annotated[int, Field(ge=0)] = 0
    tokens: Count = 128  # of the longest pair, or query, special ones included
    dropout: Share = 0.1  # in training; replaces the base's own


class JudgeEvaluationSettings(RecipeTable):
    """Development sets; their mean score, every few steps, selects a checkpoint."""

    sets: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    every: Count = 500


class JudgeRecipe(RecipeTable):
    """The whole recipe."""

    name: Text
    seed: int = 0  # seeds data, batches and arithmetic
    model: JudgeModelSettings
    # builders are those of logic_export.judge.builders.BUILDERS, for a constraint those of
    # logic_export.judge.constraint.CONSTRAINT_BUILDERS
    data: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    training: TrainingSettings = TrainingSettings(batch_size=32, learning_rate=1e-4)
    evaluation: JudgeEvaluationSettings

    @property
    def ships(self) -> bool:
        """Whether the licences of all training data permit to hand the judge on."""
        return all(dataset.ships for dataset in self.data)


def read_judge_recipe(path: Path) -> JudgeRecipe:
    """Read a recipe; errors as in :func:`read_toml_recipe`."""
    return read_toml_recipe(path, JudgeRecipe)
