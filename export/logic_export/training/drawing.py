"""The training data of a run: built, drawn, and kept beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from logic_export.data.sources import build
from logic_export.data.triplets import Triplet, read_triplets, unique, write_triplets
from logic_export.recipe import Data, Recipe
from logic_export.training.card import TrainingSet


def drawn(recipe: Recipe, out: Path) -> tuple[list[Triplet], tuple[TrainingSet, ...]]:
    """The triplets of a recipe and their sets, drawn once and kept for a run that goes on.

    Args:
        recipe: names the builders.
        out: the run's folder; keeps ``data.jsonl.gz`` and ``sets.json``.
    """
    rows, counts = out / "data.jsonl.gz", out / "sets.json"
    if counts.is_file():
        sets = tuple(TrainingSet(**row) for row in json.loads(counts.read_text("utf-8")))
        return read_triplets(rows), sets
    triplets: list[Triplet] = []
    sets_found = []
    for part in recipe.data:
        found = draw(unique(build(part.builder, part.options, recipe.seed)), part, recipe.seed)
        triplets += found
        sets_found.append(TrainingSet(part.label, part.licence, part.ships, len(found)))
    write_triplets(rows, triplets)
    counts.write_text(json.dumps([asdict(row) for row in sets_found]), encoding="utf-8")
    return triplets, tuple(sets_found)


def draw(triplets: Sequence[Triplet], part: Data, seed: int) -> list[Triplet]:
    """About ``part.most`` of the triplets, those over the same passages together."""
    if part.most is None or part.most >= len(triplets):
        return list(triplets)
    groups: dict[frozenset[str | None], list[Triplet]] = {}
    for row in triplets:
        groups.setdefault(frozenset((row.satisfying, row.violating)), []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    kept: list[Triplet] = []
    for group in order:
        if len(kept) >= part.most:
            break
        kept += group
    return kept
