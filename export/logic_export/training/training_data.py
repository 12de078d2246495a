"""The training data of a run: built, sampled and stored in the run's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
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
from logic_export.recipe import DataSettings
from logic_export.training.run_folder import DATA, TrainingSet
from logic_retrievers.errors import ConfigurationError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """One format of training rows.

    Args:
        build: from a builder's name, its options and a seed; without duplicates.
        sample: from rows, the most rows to keep and a seed, about that many of them.
        write, read: a file of rows.
        usable: whether a row has something to learn; other rows are counted and left out.
        merge: applied to the rows of all sets together.
    """

    build: Callable[[str, Mapping[str, Any], int], list[T]]
    sample: Callable[[Sequence[T], int, int], list[T]]
    write: Callable[[Path, Sequence[T]], None]
    read: Callable[[Path], list[T]]
    usable: Callable[[T], bool] = lambda _: True
    merge: Callable[[list[T]], list[T]] = lambda rows: rows


def sample_training_data(
    data: Sequence[DataSettings], seed: int, out: Path, rows: RowFormat[T]
) -> tuple[list[T], tuple[TrainingSet, ...]]:
    """Sample the rows of a recipe and their sets once; store them for a resumed run.

    Args:
        data: the training sets of the recipe.
        seed: seeds builders and samples.
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
    for dataset in data:
        built = rows.build(dataset.builder, dataset.options, seed)
        sampled = usable = [row for row in built if rows.usable(row)]
        if dataset.most is not None and dataset.most < len(usable):
            sampled = rows.sample(usable, dataset.most, seed)
        all_rows += sampled
        left_out = len(built) - len(usable)
        training_sets.append(
            TrainingSet(dataset.label, dataset.licence, len(sampled), dataset.ships, left_out)
        )
    if not all_rows:
        raise ConfigurationError("the recipe's data hold no row to learn from")
    all_rows = rows.merge(all_rows)
    rows.write(file, all_rows)
    counts.write_text(json.dumps([asdict(row) for row in training_sets]), encoding="utf-8")
    return all_rows, tuple(training_sets)


def sample_rows(rows: Sequence[T], most: int, seed: int) -> list[T]:
    """Sample rows that are independent of each other."""
    return Random(seed).sample(list(rows), most)


def sample_triplets(triplets: Sequence[Triplet], most: int, seed: int) -> list[Triplet]:
    """Sample about ``most`` triplets; those over the same passages stay together."""
    sampled: list[Triplet] = []
    for group in _shuffled_groups(
        triplets, lambda row: frozenset((row.satisfying, row.violating)), seed
    ):
        if len(sampled) >= most:
            break
        sampled += group
    return sampled


def sample_set_examples(examples: Sequence[SetExample], most: int, seed: int) -> list[SetExample]:
    """Sample whole groups of set queries that fit into ``most``, at least one."""
    sampled: list[SetExample] = []
    for group in _shuffled_groups(examples, lambda row: row.group, seed):
        if not sampled or len(sampled) + len(group) <= most:
            sampled += group
    return sampled


def _shuffled_groups(rows: Sequence[T], key: Callable[[T], Hashable], seed: int) -> list[list[T]]:
    groups: dict[Hashable, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    return order


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
