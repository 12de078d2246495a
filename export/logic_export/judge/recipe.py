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
    """The model and what it learns.

    Args:
        base: an encoder, or a finished judge to train further, by a packaged model's name, a folder
            or a hub name.
        labels: ``judgement`` (two texts: entailment, neutral, contradiction), ``verdict`` (a
            passage and a query: satisfies, neither, violates), ``relation`` (two passages: what
            the one is to the other) or ``constraint`` (a query alone: is something ruled out, and
            which words say it).
        frozen_embeddings: keep the embeddings, so that the judge fits a bundle of the base.
        frozen_layers: number of lowest layers that are not trained; each saves time.
        rank: rank of LoRA (Hu et al. 2021): each matrix above the frozen layers changes by a
            product of two matrices of this rank, so that a bundle that holds the base stores
            little more. 0 trains all weights.
        tokens: longest pair, or query, in tokens, special ones included; the longer text of a pair
            is cut first.
        dropout: dropout in training; replaces the base's own.
    """

    base: Text
    labels: Literal["judgement", "verdict", "relation", "constraint"] = "judgement"
    frozen_embeddings: bool = True
    frozen_layers: Annotated[int, Field(ge=0)] = 0
    rank: Annotated[int, Field(ge=0)] = 0
    tokens: Count = 128
    dropout: Share = 0.1


class JudgeEvaluationSettings(RecipeTable):
    """Development sets; their mean score, every few steps, selects a checkpoint."""

    sets: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    every: Count = 500


class JudgeRecipe(RecipeTable):
    """The whole recipe.

    Args:
        name: name of the trained judge.
        seed: seeds data, batches and arithmetic.
        data: training sets; builders are those of :data:`logic_export.judge.builders.BUILDERS`, for
            a constraint those of :data:`logic_export.judge.constraint.CONSTRAINT_BUILDERS`.
    """

    name: Text
    seed: int = 0
    model: JudgeModelSettings
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
