"""The training data of a run: built, drawn, and kept beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

from logic_export.data.contradictions.sources import build_sides
from logic_export.data.set_examples import SetExample, read_examples, write_examples
from logic_export.data.set_sources import build_examples
from logic_export.data.sources import build, called
from logic_export.data.tier_sources import TIER_BUILDERS
from logic_export.data.tiers.examples import TieredExample, read_tiers, write_tiers
from logic_export.data.triplets import Triplet, read_triplets, unique, write_triplets
from logic_export.recipe import Data, Recipe
from logic_export.training.card import TrainingSet
from logic_export.training.folder import DATA
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.sides import read_sides, unique_sides, write_sides

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rows(Generic[T]):
    """One form of training data.

    Args:
        build: from a builder's name, its options and a seed; without repeats.
        draw: about so many of them.
        write, read: a file of them.
        usable: whether there is something in one to learn; the others are counted and left out.
    """

    build: Callable[[str, Mapping[str, Any], int], list[T]]
    draw: Callable[[Sequence[T], Data, int], list[T]]
    write: Callable[[Path, Sequence[T]], None]
    read: Callable[[Path], list[T]]
    usable: Callable[[T], bool] = lambda _: True


def drawn(recipe: Recipe, out: Path, rows: Rows[T]) -> tuple[list[T], tuple[TrainingSet, ...]]:
    """The rows of a recipe and their sets, drawn once and kept for a run that goes on.

    Args:
        recipe: names the builders.
        out: the run's folder; keeps ``data.jsonl.gz`` and ``sets.json``.
        rows: their form.

    Raises:
        ConfigurationError: there is nothing to train on.
    """
    file, counts = out / DATA, out / "sets.json"
    if counts.is_file():
        sets = tuple(TrainingSet(**row) for row in json.loads(counts.read_text("utf-8")))
        return rows.read(file), sets
    every: list[T] = []
    sets_found = []
    for part in recipe.data:
        made = rows.build(part.builder, part.options, recipe.seed)
        usable = [row for row in made if rows.usable(row)]
        found = rows.draw(usable, part, recipe.seed)
        every += found
        left_out = len(made) - len(usable)
        sets_found.append(TrainingSet(part.label, part.licence, part.ships, len(found), left_out))
    if not every:
        raise ConfigurationError("the recipe's data hold no row to learn from")
    rows.write(file, every)
    counts.write_text(json.dumps([asdict(row) for row in sets_found]), encoding="utf-8")
    return every, tuple(sets_found)


def draw_single(rows: Sequence[T], part: Data, seed: int) -> list[T]:
    """``part.most`` of rows that do not belong together."""
    if part.most is None or part.most >= len(rows):
        return list(rows)
    return Random(seed).sample(list(rows), part.most)


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


def draw_examples(examples: Sequence[SetExample], part: Data, seed: int) -> list[SetExample]:
    """Whole groups of set queries that fit into ``part.most``, and at least one."""
    if part.most is None or part.most >= len(examples):
        return list(examples)
    groups: dict[str, list[SetExample]] = {}
    for row in examples:
        groups.setdefault(row.group, []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    kept: list[SetExample] = []
    for group in order:
        if not kept or len(kept) + len(group) <= part.most:
            kept += group
    return kept


TRIPLETS = Rows(
    lambda name, options, seed: unique(build(name, options, seed)),
    draw,
    write_triplets,
    read_triplets,
)
SIDES = Rows(
    lambda name, options, seed: unique_sides(build_sides(name, options, seed)),
    draw_single,
    write_sides,
    read_sides,
)
EXAMPLES = Rows(build_examples, draw_examples, write_examples, read_examples)
TIERS: Rows[TieredExample] = Rows(
    lambda name, options, seed: called(TIER_BUILDERS, name, options, seed),
    draw_single,
    write_tiers,
    read_tiers,
    lambda row: bool(row.positives) and bool(row.distractors or row.negatives),
)
