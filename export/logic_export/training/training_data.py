"""The training data of a run: built, sampled and stored in the run's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

from logic_export.data.contradictions.builders import build_groups
from logic_export.data.contradictions.groups import read_groups, unique_groups, write_groups
from logic_export.data.set_examples import (
    SetExample,
    build_set_examples,
    read_examples,
    write_examples,
)
from logic_export.data.tiers.builders import TIER_BUILDERS
from logic_export.data.tiers.examples import TieredExample, read_tiers, write_tiers
from logic_export.data.triplet_builders import build_triplets, run_builder
from logic_export.data.triplets import Triplet, read_triplets, unique_triplets, write_triplets
from logic_export.recipe import DataSettings, Recipe
from logic_export.training.run_folder import DATA, TrainingSet
from logic_retrievers.errors import ConfigurationError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """One format of training rows.

    Args:
        build: from a builder's name, its options and a seed; without duplicates.
        sample: about ``most`` of them.
        write, read: a file of rows.
        usable: whether a row has something to learn; other rows are counted and left out.
    """

    build: Callable[[str, Mapping[str, Any], int], list[T]]
    sample: Callable[[Sequence[T], DataSettings, int], list[T]]
    write: Callable[[Path, Sequence[T]], None]
    read: Callable[[Path], list[T]]
    usable: Callable[[T], bool] = lambda _: True


def sample_training_data(
    recipe: Recipe, out: Path, rows: RowFormat[T]
) -> tuple[list[T], tuple[TrainingSet, ...]]:
    """The rows of a recipe and their sets, sampled once and stored for a resumed run.

    Args:
        recipe: names the builders.
        out: the run's folder; stores ``data.jsonl.gz`` and ``sets.json``.
        rows: their format.

    Raises:
        ConfigurationError: there is nothing to train on.
    """
    file, counts = out / DATA, out / "sets.json"
    if counts.is_file():
        sets = tuple(TrainingSet(**row) for row in json.loads(counts.read_text("utf-8")))
        return rows.read(file), sets
    all_rows: list[T] = []
    training_sets = []
    for dataset in recipe.data:
        built = rows.build(dataset.builder, dataset.options, recipe.seed)
        usable = [row for row in built if rows.usable(row)]
        sampled = rows.sample(usable, dataset, recipe.seed)
        all_rows += sampled
        left_out = len(built) - len(usable)
        training_sets.append(
            TrainingSet(dataset.label, dataset.licence, dataset.ships, len(sampled), left_out)
        )
    if not all_rows:
        raise ConfigurationError("the recipe's data hold no row to learn from")
    rows.write(file, all_rows)
    counts.write_text(json.dumps([asdict(row) for row in training_sets]), encoding="utf-8")
    return all_rows, tuple(training_sets)


def sample_rows(rows: Sequence[T], dataset: DataSettings, seed: int) -> list[T]:
    """``dataset.most`` rows that are independent of each other."""
    if dataset.most is None or dataset.most >= len(rows):
        return list(rows)
    return Random(seed).sample(list(rows), dataset.most)


def sample_triplets(triplets: Sequence[Triplet], dataset: DataSettings, seed: int) -> list[Triplet]:
    """About ``dataset.most`` of the triplets; those over the same passages stay together."""
    if dataset.most is None or dataset.most >= len(triplets):
        return list(triplets)
    groups: dict[frozenset[str | None], list[Triplet]] = {}
    for row in triplets:
        groups.setdefault(frozenset((row.satisfying, row.violating)), []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    sampled: list[Triplet] = []
    for group in order:
        if len(sampled) >= dataset.most:
            break
        sampled += group
    return sampled


def sample_set_examples(
    examples: Sequence[SetExample], dataset: DataSettings, seed: int
) -> list[SetExample]:
    """Whole groups of set queries that fit into ``dataset.most``, at least one."""
    if dataset.most is None or dataset.most >= len(examples):
        return list(examples)
    groups: dict[str, list[SetExample]] = {}
    for row in examples:
        groups.setdefault(row.group, []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    sampled: list[SetExample] = []
    for group in order:
        if not sampled or len(sampled) + len(group) <= dataset.most:
            sampled += group
    return sampled


TRIPLETS = RowFormat(
    lambda name, options, seed: unique_triplets(build_triplets(name, options, seed)),
    sample_triplets,
    write_triplets,
    read_triplets,
)
CONTRADICTION_GROUPS = RowFormat(
    lambda name, options, seed: unique_groups(build_groups(name, options, seed)),
    sample_rows,
    write_groups,
    read_groups,
)
SET_EXAMPLES = RowFormat(build_set_examples, sample_set_examples, write_examples, read_examples)
TIERED_EXAMPLES: RowFormat[TieredExample] = RowFormat(
    lambda name, options, seed: run_builder(TIER_BUILDERS, name, options, seed),
    sample_rows,
    write_tiers,
    read_tiers,
    lambda row: bool(row.positives) and bool(row.distractors or row.negatives),
)
