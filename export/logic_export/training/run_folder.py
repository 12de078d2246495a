"""The folder of a training run: its files, the model card, and where to resume."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError

from logic_export.recipe import Recipe, RecipeTable
from logic_retrievers.encoders.manifest import TrainingData
from logic_retrievers.errors import ConfigurationError

# written when the run starts
RECIPE = "recipe.json"
# the sampled training rows
DATA = "data.jsonl.gz"
# written when the run is finished
CARD = "card.json"
MODEL = "model"

# data set -> figure -> value
Figures: TypeAlias = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """One training set as it was used."""

    name: str  # builder and source
    licence: str  # licence of its texts
    rows: int  # number of rows used
    ships: bool = False  # whether a model trained on it may be handed on
    left_out: int = 0  # number of rows with nothing to learn


class RunCard(BaseModel):
    """``card.json`` of a finished run; ``recipe`` is None for a judge unpacked from a bundle."""

    name: str
    ships: bool
    sets: tuple[TrainingSet, ...]
    recipe: dict[str, Any] | None
    base: dict[str, dict[str, float]] = {}
    queries_only: bool = False

    @property
    def training(self) -> tuple[TrainingData, ...]:
        """Return the training sets in the form of a bundle's manifest."""
        return tuple(
            TrainingData(name=row.name, licence=row.licence, rows=row.rows) for row in self.sets
        )


def read_card(run: Path) -> RunCard:
    """Read the card of a finished run; any other folder is a :class:`ConfigurationError`."""
    try:
        card = RunCard.model_validate_json((run / CARD).read_bytes())
        if not (run / MODEL).is_dir():  # transformers takes a missing folder for a hub name
            raise FileNotFoundError(f"it has no folder {MODEL!r}")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{run} holds no finished run: {error}") from error
    return card


def prepare_folder(out: Path, recipe: RecipeTable) -> None:
    """Create the run's folder; raise :class:`ConfigurationError` if it holds something else.

    An unfinished run of this recipe may be there. Settings missing from its file count as defaults.
    """
    mark = out / RECIPE
    if (out / CARD).exists():
        raise ConfigurationError(f"{out} holds a finished run; name another folder, or remove it")
    if mark.is_file():
        try:
            stored = type(recipe).model_validate_json(mark.read_bytes())
        except ValidationError:
            stored = None
        if stored != type(recipe).model_validate_json(recipe.model_dump_json()):
            raise ConfigurationError(
                f"{out} holds a run of another recipe; name another folder, or remove it"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise ConfigurationError(f"{out} is not empty; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    mark.write_text(recipe.model_dump_json(indent=2), encoding="utf-8")


def last_checkpoint(folder: Path) -> Path | None:
    """Find the newest complete checkpoint, and remove incomplete ones.

    A checkpoint is complete if it has its state file, which the trainer writes last.
    """
    checkpoints = []
    for path in folder.glob("checkpoint-*"):
        try:
            step = json.loads((path / "trainer_state.json").read_text("utf-8"))["global_step"]
            checkpoints.append((int(step), path))
        except (OSError, ValueError, KeyError):
            shutil.rmtree(path)  # the run was killed while writing it
    return max(checkpoints)[1] if checkpoints else None


def write_card(
    out: Path,
    recipe: Recipe,
    base: Figures,
    best: Figures,
    sets: Sequence[TrainingSet],
    averaged: int = 1,
) -> None:
    """Write ``README.md`` and, last, ``card.json``, whose presence marks a finished run."""
    (out / "README.md").write_text(_card_text(recipe, base, best, sets, averaged), encoding="utf-8")
    card = {
        "name": recipe.name,
        "averaged": averaged,
        "ships": recipe.ships,
        "queries_only": recipe.frozen_documents,
        "sets": [asdict(dataset) for dataset in sets],
        "base": dict(base),
        "best": dict(best),
        "recipe": recipe.model_dump(),
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _card_text(
    recipe: Recipe,
    base: Figures,
    best: Figures,
    sets: Sequence[TrainingSet],
    averaged: int,
) -> str:
    kind, permission, runs = "encoder", "must stay on this machine: see the licences", ""
    if recipe.frozen_documents:
        kind = "query encoder, for the base's document vectors"
    if recipe.ships:
        permission = "may be handed on"
    if averaged > 1:
        runs = f" It is the mean of {averaged} runs that differ in their seed."
    rows = [
        f"| {one.name} | {one.licence} | {'yes' if one.ships else 'no'} | {one.rows} |"
        for one in sets
    ]
    rows += [
        f"\n{one.left_out} rows of `{one.name}` had nothing to learn and were left out."
        for one in sets
        if one.left_out
    ]
    figures = [
        f"| {name} | {figure} | {base[name][figure]:.3f} | {value:.3f} |"
        for name, values in best.items()
        for figure, value in values.items()
    ]
    lines = [
        f"# {recipe.name}\n",
        f"The `{recipe.head}` {kind}, trained from `{recipe.model.base}`. It {permission}.{runs}\n",
        "## Training data\n",
        "| set | licence | may ship | rows |\n|---|---|---|---|",
        *rows,
        "\n## Development figures\n",
        "| set | figure | before | after |\n|---|---|---|---|",
        *figures,
        f"\n## Recipe\n\n```json\n{recipe.model_dump_json(indent=2)}\n```\n",
    ]
    return "\n".join(lines)
