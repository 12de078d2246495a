"""The training data of a run: built, sampled and stored in the run's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

from logic_export.recipe import DataSettings
from logic_export.training.run_folder import DATA, TrainingSet
from logic_retrievers.errors import ConfigurationError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """One format of training rows."""

    # makes rows without duplicates from a builder's name, its options and a seed
    build: Callable[[str, Mapping[str, Any], int], list[T]]
    # samples rows: takes the rows, about how many to keep, and a seed
    sample: Callable[[Sequence[T], int, int], list[T]]
    write: Callable[[Path, Sequence[T]], None]
    read: Callable[[Path], list[T]]
    # whether a row has something to learn; other rows are counted and left out
    usable: Callable[[T], bool] = lambda _: True
    # applied to the rows of all sets together
    merge: Callable[[list[T]], list[T]] = lambda rows: rows


def sample_training_data(
    data: Sequence[DataSettings], seed: int, out: Path, rows: RowFormat[T]
) -> tuple[list[T], tuple[TrainingSet, ...]]:
    """Sample a recipe's training rows, and describe its sets, once per run.

    ``data.jsonl.gz`` and ``sets.json`` in the run's folder keep both for a resumed run. Raises
    :class:`ConfigurationError` if there is no row to train on.
    """
    file, counts = out / DATA, out / "sets.json"
    if counts.is_file():
        sets = tuple(TrainingSet(**row) for row in json.loads(counts.read_text("utf-8")))
        return rows.read(file), sets
    all_rows: list[T] = []
    training_sets = []
    for dataset in data:
        sampled, left_out = build_set(dataset, seed, rows)
        all_rows += sampled
        training_sets.append(
            TrainingSet(dataset.label, dataset.licence, len(sampled), dataset.ships, left_out)
        )
    if not all_rows:
        raise ConfigurationError("the recipe's data hold no row to learn from")
    all_rows = rows.merge(all_rows)
    rows.write(file, all_rows)
    counts.write_text(json.dumps([asdict(row) for row in training_sets]), encoding="utf-8")
    return all_rows, tuple(training_sets)


def build_set(dataset: DataSettings, seed: int, rows: RowFormat[T]) -> tuple[list[T], int]:
    """Build one set of a recipe, at most ``dataset.most`` rows; also return how many are left out.

    An unknown builder or option is a :class:`ConfigurationError`; missing or malformed data are a
    :class:`ReadError`.
    """
    built = rows.build(dataset.builder, dataset.options, seed)
    usable = [row for row in built if rows.usable(row)]
    left_out = len(built) - len(usable)
    if dataset.most is not None and dataset.most < len(usable):
        usable = rows.sample(usable, dataset.most, seed)
    return usable, left_out


def sample_rows(rows: Sequence[T], most: int, seed: int) -> list[T]:
    """Sample rows that are independent of each other."""
    return Random(seed).sample(list(rows), most)


def shuffled_groups(rows: Sequence[T], key: Callable[[T], Hashable], seed: int) -> list[list[T]]:
    """Group rows by a key, in random order, so that a sample keeps related rows together."""
    groups: dict[Hashable, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    order = list(groups.values())
    Random(seed).shuffle(order)
    return order
