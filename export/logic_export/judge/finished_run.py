"""Reads a finished run of a pair judge for an export: model, data sets, development rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from logic_export.judge.builders import JUDGE_ROWS
from logic_export.judge.constraint import CONSTRAINT_ROWS
from logic_export.recipe import JudgeRecipe
from logic_export.training.run_folder import CARD, MODEL, RunCard, read_card
from logic_export.training.training_data import RowFormat, build_set
from logic_retrievers.encoders.manifest import TrainingData
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class JudgeSource:
    """A judge, or a model for a different question, to export."""

    model: str  # a folder or a hub name
    max_tokens: int  # maximum tokens of a pair, or query
    training: tuple[TrainingData, ...]
    origin: str  # how it was trained, for the manifest
    rank: int = 0  # rank of the changes to the bundle's judge; 0 for a judge


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run, with the history of the runs that it was trained from."""

    source: JudgeSource  # with the training sets of all stages
    recipe: JudgeRecipe  # recipe of the last stage
    ships: bool

    def development(self) -> dict[str, list[Any]]:
        """Build the recipe's development sets: name -> rows; errors as in :func:`build_set`."""
        rows: RowFormat[Any] = (
            CONSTRAINT_ROWS if self.recipe.model.labels == "constraint" else JUDGE_ROWS
        )
        sets = self.recipe.evaluation.sets
        return {dataset.label: build_set(dataset, self.recipe.seed, rows)[0] for dataset in sets}


def read_finished_run(run: Path) -> FinishedRun:
    """Read a finished run of ``logic-export train-judge``.

    Raises:
        ConfigurationError: the run, or the run that its base comes from, is missing or not
            finished, or its card cannot be read; or the judge reads token types, which no bundle
            has.
    """
    history, recipe = _read_history(run)
    if recipe is None:
        raise ConfigurationError(f"{run} was unpacked from a bundle and not trained")
    if recipe.model.token_types:
        raise ConfigurationError(
            f"{run} holds a judge of its own that fits no bundle; pass {run / MODEL} to "
            "CrossEncoder of sentence-transformers"
        )
    # a set that several stages read counts once, with the rows of the stage that read the most
    most: dict[str, TrainingData] = {}
    for row in history.training:
        if row.name not in most or most[row.name].rows < row.rows:
            most[row.name] = row
    model, sets = recipe.model, tuple(most.values())
    source = JudgeSource(str(run / MODEL), model.tokens, sets, history.name, model.rank)
    return FinishedRun(source, recipe, history.ships)


def _read_history(run: Path) -> tuple[RunCard, JudgeRecipe | None]:
    """Read a run's card with earlier runs added: all sets, the origin as name, whether all ship.

    The recipe is None for a judge unpacked from a bundle.
    """
    card = read_card(run)
    if card.recipe is None:
        return card, None
    try:
        recipe = JudgeRecipe.model_validate(card.recipe)
    except ValidationError as error:
        raise ConfigurationError(f"{run} holds no finished run of a judge: {error}") from error
    base = Path(recipe.model.base)
    is_run = base.name == MODEL and len(base.parts) > 1
    if not is_run or (base.is_dir() and not (base.parent / CARD).is_file()):
        origin = base.name if base.is_dir() else recipe.model.base
        return card.model_copy(update={"name": f"{card.name} from {origin}"}), recipe
    before, _ = _read_history(base.parent)
    history = {
        "sets": (*before.sets, *card.sets),
        "name": f"{card.name} from {before.name}",
        "ships": card.ships and before.ships,
    }
    return card.model_copy(update=history), recipe
