"""Averages the weights of several runs of a recipe (Wortsman et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from pydantic import ValidationError
from sentence_transformers import SentenceTransformer

from logic_export.bundles.manifests import new_folder, require_new
from logic_export.recipe import Recipe
from logic_export.training.run import select_task
from logic_export.training.run_folder import MODEL, read_card, write_card
from logic_export.training.task import Measured
from logic_retrievers.errors import ConfigurationError


def average_runs(runs: Sequence[Path], out: Path) -> Measured:
    """Average the weights of finished runs that differ only in their seed; measure the mean model.

    Runs from one base model end in the same basin of the loss, whose centre is often better than
    every run (Wortsman et al. 2022, "Model soups"). Here the mean recovers recall that each run
    lost. The new folder gets a model and a card like a run's, with the first run's seed.

    Raises:
        ConfigurationError: there are fewer than two runs, a run is unfinished or has a different
            recipe, or ``out`` exists.
    """
    if len(runs) < 2:
        raise ConfigurationError("an average needs two finished runs or more")
    require_new(out)
    cards, recipes = [read_card(run) for run in runs], []
    for run, card in zip(runs, cards, strict=True):
        try:
            recipes.append(Recipe.model_validate(card.recipe))
        except ValidationError as error:
            raise ConfigurationError(f"{run} holds no finished run: {error}") from error
    recipe = recipes[0]
    for run, other in zip(runs, recipes, strict=True):
        if other.model_copy(update={"seed": recipe.seed}) != recipe:
            raise ConfigurationError(
                f"{run} is a run of another recipe than {runs[0]}; only seeds may differ"
            )
    models = [SentenceTransformer(str(run / MODEL), device="cpu") for run in runs]
    weights = [model.state_dict() for model in models]
    models[0].load_state_dict(
        {name: _mean_weights([state[name] for state in weights]) for name in weights[0]}
    )
    measured = select_task(recipe).development().measure(models[0])
    # each run sampled its own rows (by its seed), so the counts are added up
    sets = [
        replace(one[0], rows=sum(s.rows for s in one), left_out=sum(s.left_out for s in one))
        for one in zip(*(card.sets for card in cards), strict=True)
    ]
    with new_folder(out) as folder:
        models[0].save(str(folder / MODEL), create_model_card=False)
        write_card(folder, recipe, cards[0].base, measured, sets, len(runs))
    return measured


def _mean_weights(values: Sequence[torch.Tensor]) -> torch.Tensor:
    # weights that are equal in all runs (a shared trunk) are kept, since a mean might round them
    if all(torch.equal(value, values[0]) for value in values[1:]):
        return values[0]
    return torch.stack(list(values)).mean(dim=0)
