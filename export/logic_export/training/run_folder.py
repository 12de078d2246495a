"""The files that a training run leaves in its folder, and the model card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from logic_export.recipe import Recipe
from logic_export.training.development import Figures

RECIPE = "recipe.json"
"""Written when the run starts."""

DATA = "data.jsonl.gz"
"""The sampled training rows."""

CARD = "card.json"
"""Written when the run is finished."""

MODEL = "model"


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """One training set as it was used.

    Args:
        name: builder and source.
        licence: of its texts.
        ships: whether a model trained on it may be handed on.
        rows: number of triplets, contradiction groups, set queries or tiered queries used.
        left_out: rows with nothing to learn.
    """

    name: str
    licence: str
    ships: bool
    rows: int
    left_out: int = 0


def write_card(
    out: Path,
    recipe: Recipe,
    base: Mapping[str, Figures],
    best: Mapping[str, Figures],
    sets: Sequence[TrainingSet],
    averaged: int = 1,
) -> None:
    """Writes ``README.md`` and, last, ``card.json``, whose presence marks a finished run."""
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
    base: Mapping[str, Figures],
    best: Mapping[str, Figures],
    sets: Sequence[TrainingSet],
    averaged: int,
) -> str:
    runs = f" It is the mean of {averaged} runs that differ in their seed." if averaged > 1 else ""
    permission = (
        "may be handed on" if recipe.ships else "must stay on this machine: see the licences"
    )
    kind = (
        "query encoder, for the base's document vectors" if recipe.frozen_documents else "encoder"
    )
    lines = [
        f"# {recipe.name}",
        "",
        f"The `{recipe.head}` {kind}, trained from `{recipe.model.base}`. It {permission}.{runs}",
        "",
        "## Training data",
        "",
        "| set | licence | may ship | rows |",
        "|---|---|---|---|",
        *(
            f"| {dataset.name} | {dataset.licence} | {'yes' if dataset.ships else 'no'} | "
            f"{dataset.rows} |"
            for dataset in sets
        ),
        *(
            f"\n{dataset.left_out} rows of `{dataset.name}` had nothing to learn and were left out."
            for dataset in sets
            if dataset.left_out
        ),
        "",
        "## Development figures",
        "",
        "| set | figure | before | after |",
        "|---|---|---|---|",
        *(
            f"| {name} | {figure} | {base[name][figure]:.3f} | {value:.3f} |"
            for name, figures in best.items()
            for figure, value in figures.items()
        ),
        "",
        "## Recipe",
        "",
        "```json",
        recipe.model_dump_json(indent=2),
        "```",
        "",
    ]
    return "\n".join(lines)
