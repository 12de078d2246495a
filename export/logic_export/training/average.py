"""One model from several runs of a recipe: the mean of their weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from logic_export.recipe import Recipe
from logic_export.training.card import TrainingSet, write_card
from logic_export.training.development import Measured
from logic_export.training.folder import CARD, MODEL
from logic_export.training.tasks import task_of
from logic_retrievers.errors import ConfigurationError


def average(runs: Sequence[Path], out: Path) -> Measured:
    """Averages the weights of finished runs that differ in their seed alone.

    Runs from one base end in one valley, whose middle is better than its walls (Wortsman et al.
    2022, "Model soups"): here it gives back recall that each run lost by itself.

    Args:
        runs: folders of two or more finished runs.
        out: a new folder; gets a model and a card as a run has them, its seed the first run's.

    Returns:
        Development figures of the averaged model.

    Raises:
        ConfigurationError: fewer than two runs, one that is not finished or of another recipe, or
            ``out`` exists.
    """
    if len(runs) < 2:
        raise ConfigurationError("an average needs two finished runs or more")
    if out.exists():
        raise ConfigurationError(f"{out} exists; name a new folder")
    cards, recipes = zip(*map(_finished, runs), strict=True)
    recipe: Recipe = recipes[0]
    for run, other in zip(runs, recipes, strict=True):
        if other.model_copy(update={"seed": recipe.seed}) != recipe:
            raise ConfigurationError(
                f"{run} is a run of another recipe than {runs[0]}; only seeds may differ"
            )
    models = [SentenceTransformer(str(run / MODEL), device="cpu") for run in runs]
    weights = [model.state_dict() for model in models]
    models[0].load_state_dict({name: _mean([w[name] for w in weights]) for name in weights[0]})
    base: Measured = cards[0]["base"]
    development = task_of(recipe).development(base)
    found = development.measure(models[0])
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    models[0].save(str(partial / MODEL), create_model_card=False)
    write_card(partial, recipe, base, found, _sets([card["sets"] for card in cards]), len(runs))
    partial.replace(out)
    return found


def _mean(values: Sequence[torch.Tensor]) -> torch.Tensor:
    """What was frozen stays to the bit, as a shared trunk needs; a mean of equals may round."""
    if all(torch.equal(value, values[0]) for value in values[1:]):
        return values[0]
    return torch.stack(list(values)).mean(dim=0)


def _finished(run: Path) -> tuple[dict[str, Any], Recipe]:
    """The card and the recipe of a run whose model is there, so that no hub is asked for it."""
    try:
        card: dict[str, Any] = json.loads((run / CARD).read_text("utf-8"))
        recipe = Recipe.model_validate(card["recipe"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{run} holds no finished run: {error}") from error
    if not (run / MODEL).is_dir():
        raise ConfigurationError(f"{run} holds no finished run: it has no folder {MODEL!r}")
    return card, recipe


def _sets(of_runs: Sequence[Sequence[dict[str, Any]]]) -> list[TrainingSet]:
    """Each set with the rows of all runs: every seed drew its own."""
    return [
        TrainingSet(
            same[0]["name"],
            same[0]["licence"],
            same[0]["ships"],
            sum(s["rows"] for s in same),
            sum(s.get("left_out", 0) for s in same),
        )
        for same in zip(*of_runs, strict=True)
    ]
