"""The model card: what a model was made from, how, and what it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from logic_export.recipe import Recipe
from logic_export.training.development import Figures
from logic_export.training.folder import CARD


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """One training set as it was used.

    Args:
        name: builder and source.
        licence: of its texts.
        ships: whether a model trained on it may be handed on.
        rows: how many triplets, groups of two sides, or queries with sets or tiers were used.
        left_out: rows in which there was nothing to learn.
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
    """Writes ``README.md`` and, last, ``card.json``, whose presence says that the run is done."""
    (out / "README.md").write_text(_text(recipe, base, best, sets, averaged), encoding="utf-8")
    card = {
        "name": recipe.name,
        "averaged": averaged,
        "ships": recipe.ships,
        "queries_only": recipe.frozen_documents,
        "sets": [asdict(one) for one in sets],
        "base": dict(base),
        "best": dict(best),
        "recipe": recipe.model_dump(),
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _text(
    recipe: Recipe,
    base: Mapping[str, Figures],
    best: Mapping[str, Figures],
    sets: Sequence[TrainingSet],
    averaged: int,
) -> str:
    runs = f" It is the mean of {averaged} runs, alike but for the seed." if averaged > 1 else ""
    may = "may be handed on" if recipe.ships else "must stay on this machine: see the licences"
    what = (
        "query encoder, for the base's document vectors" if recipe.frozen_documents else "encoder"
    )
    lines = [
        f"# {recipe.name}",
        "",
        f"The `{recipe.head}` {what}, trained from `{recipe.model.base}`. It {may}.{runs}",
        "",
        "## Training data",
        "",
        "| set | licence | may ship | rows |",
        "|---|---|---|---|",
        *(
            f"| {one.name} | {one.licence} | {'yes' if one.ships else 'no'} | {one.rows} |"
            for one in sets
        ),
        *(
            f"\n{one.left_out} rows of `{one.name}` held nothing to learn and were left out."
            for one in sets
            if one.left_out
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
