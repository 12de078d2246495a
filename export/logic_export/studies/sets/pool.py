"""Set queries over films: the data set, and a pool of it that one core ranks in minutes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from logic_export.data.sets.building import build
from logic_export.data.sets.films.table import films_table
from logic_export.data.sets.writing import write_sets
from logic_retrievers.errors import StorageError
from logic_retrievers.evaluation import Dataset, Query, data_folder, load_dataset
from logic_retrievers.queries import Expression

FILMS = "wikipedia_movies"
COUNTS = {"train": 3500, "dev": 350, "test": 2100}
"""Queries of each part, without variants; the parts share no atom, so all are drawn together."""


@dataclass(frozen=True, slots=True)
class FilmPool:
    """Queries over one pool of films.

    Args:
        asked: evenly over the templates.
        everything: these, and their variants: the same atoms under other operators.
    """

    asked: Dataset
    everything: Dataset


def film_sets(folder: Path) -> Path:
    """A folder with the set queries over films; built where there is none, the same everywhere.

    Raises:
        ReadError: the films are not there.
        StorageError: the folder cannot be written.
    """
    if folder.exists():
        return folder
    table = films_table(data_folder() / FILMS)
    parts = build(table, COUNTS, seed=0, variants=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as made:  # half of it would pass for all
            write_sets(Path(made) / "sets", table.items, parts)
            (Path(made) / "sets").replace(folder)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def film_pool(folder: Path, queries: int, documents: int, seed: int = 0) -> FilmPool:
    """So many test queries and their variants, over what they label and other films.

    Args:
        folder: as :func:`film_sets` gives it.
        queries: how many, without the variants.
        documents: at least so many films, where there are as many.
        seed: of the other films.
    """
    asked, variants = (load_dataset(folder, part) for part in ("test", "test_variants"))
    chosen = evenly(asked.queries, queries)
    groups = {query.group for query in chosen}
    same = tuple(query for query in variants.queries if query.group in groups)
    labelled = {name for q in (*chosen, *same) for name in (*q.grades, *q.violating, *q.neutral)}
    others = [name for name in asked.documents if name not in labelled]
    more = min(len(others), max(0, documents - len(labelled)))
    kept = labelled.union(Random(seed).sample(others, more))
    pool = {name: text for name, text in asked.documents.items() if name in kept}
    first = replace(asked, queries=chosen, documents=pool)
    return FilmPool(first, replace(first, queries=(*chosen, *same)))


def evenly(queries: tuple[Query, ...], count: int) -> tuple[Query, ...]:
    """So many of them at equal distances; all where there are fewer."""
    places = np.arange(count) * len(queries) // count if count < len(queries) else None
    return queries if places is None else tuple(queries[place] for place in places)


def gold(query: Query) -> Expression:
    """The expression that the query was made from."""
    assert query.expression is not None
    return query.expression
