"""A finished run of a pair judge, as an export reads it: model, data sets, development rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from logic_export.judge.builders import build_judge_rows
from logic_export.judge.export import JudgeSource
from logic_export.judge.recipe import JudgeRecipe
from logic_export.judge.rows import JudgeRow
from logic_export.training.run_folder import CARD, MODEL
from logic_retrievers.encoders.manifest import TrainingData
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """What a run's card says; its base's card counts too where the base is such a run.

    Args:
        source: the model, its longest pair and the sets that it was trained on, in all stages.
        recipe: of the run.
        ships: whether the licences of all sets let the judge be handed on.
    """

    source: JudgeSource
    recipe: JudgeRecipe
    ships: bool

    def development(self) -> dict[str, list[JudgeRow]]:
        """The recipe's development sets: name -> rows.

        Raises:
            ConfigurationError: an unknown builder or option.
            ReadError: data are missing or malformed.
        """
        sets = self.recipe.evaluation.sets
        return {dataset.label: build_judge_rows(dataset, self.recipe.seed) for dataset in sets}


def read_finished_run(run: Path) -> FinishedRun:
    """A finished run of ``logic-export train-judge``.

    Raises:
        ConfigurationError: the run, or the run that its base comes from, is not finished or is not
            there, or its card cannot be read.
    """
    try:
        card = json.loads((run / CARD).read_text("utf-8"))
        if not (run / MODEL).is_dir():  # transformers takes a missing folder for a hub name
            raise FileNotFoundError(f"it has no folder {MODEL!r}")
        recipe = JudgeRecipe.model_validate(card["recipe"])
        sets = [
            TrainingData(name=row["name"], licence=row["licence"], rows=row["rows"])
            for row in card["sets"]
        ]
        name, ships = str(card["name"]), bool(card["ships"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{run} holds no finished run of a judge: {error}") from error
    base = Path(recipe.model.base)
    origin = base.name if base.is_dir() else recipe.model.base
    gone = base.name == MODEL and len(base.parts) > 1 and not base.is_dir()
    if gone or (base.name == MODEL and len(base.parts) > 1 and (base.parent / CARD).is_file()):
        before = read_finished_run(base.parent)
        sets, ships = [*before.source.training, *sets], ships and before.ships
        origin = before.source.origin
    source = JudgeSource(
        str(run / MODEL), recipe.model.tokens, _unique(sets), f"{name} from {origin}"
    )
    return FinishedRun(source, recipe, ships)


def _unique(sets: Iterable[TrainingData]) -> tuple[TrainingData, ...]:
    """Each set once, with the most rows that a stage took of it."""
    most: dict[str, TrainingData] = {}
    for row in sets:
        if row.name not in most or most[row.name].rows < row.rows:
            most[row.name] = row
    return tuple(most.values())
