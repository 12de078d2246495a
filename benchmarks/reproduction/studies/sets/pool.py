"""Set queries over films: the data set, and a smaller pool that one core ranks in minutes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries, write_set_queries

from logic_retrievers.errors import StorageError
from logic_retrievers.evaluation import Dataset, Query, data_folder, load_dataset
from logic_retrievers.queries import Expression

FILMS = "wikipedia_movies"
COUNTS = {"train": 3500, "dev": 350, "test": 2100}
"""Queries of each part, without variants; all parts are sampled together, as they share no atom."""


@dataclass(frozen=True, slots=True)
class FilmPool:
    """Queries over one pool of films.

    Args:
        test_set: test queries, evenly over the templates.
        all_queries: these and their variants, with the same atoms under other operators.
    """

    test_set: Dataset
    all_queries: Dataset


def film_sets(folder: Path) -> Path:
    """Builds the set queries over films in a folder, unless it exists; returns the folder.

    Raises:
        ReadError: the films are missing.
        StorageError: the folder cannot be written.
    """
    if folder.exists():
        return folder
    table = load_films_table(data_folder() / FILMS)
    parts = generate_queries(table, COUNTS, seed=0, variants=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as new_folder:  # half of it would pass for all
            write_set_queries(Path(new_folder) / "sets", table.items, parts)
            (Path(new_folder) / "sets").replace(folder)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def film_pool(folder: Path, queries: int, documents: int, seed: int = 0) -> FilmPool:
    """Test queries and their variants, over their labelled films and random others.

    Args:
        folder: of :func:`film_sets`.
        queries: number of queries without the variants.
        documents: least number of films, if there are as many.
        seed: of the random films.
    """
    test_set, variants = (load_dataset(folder, part) for part in ("test", "test_variants"))
    chosen = spread_evenly(test_set.queries, queries)
    groups = {query.group for query in chosen}
    same = tuple(query for query in variants.queries if query.group in groups)
    labelled = {name for q in (*chosen, *same) for name in (*q.grades, *q.violating, *q.neutral)}
    others = [name for name in test_set.documents if name not in labelled]
    more = min(len(others), max(0, documents - len(labelled)))
    names = labelled.union(Random(seed).sample(others, more))
    pool = {name: text for name, text in test_set.documents.items() if name in names}
    first = replace(test_set, queries=chosen, documents=pool)
    return FilmPool(first, replace(first, queries=(*chosen, *same)))


def spread_evenly(queries: tuple[Query, ...], count: int) -> tuple[Query, ...]:
    """``count`` queries at equal distances; all if there are fewer."""
    places = np.arange(count) * len(queries) // count if count < len(queries) else None
    return queries if places is None else tuple(queries[place] for place in places)


def gold(query: Query) -> Expression:
    """The gold expression of a query."""
    assert query.expression is not None
    return query.expression
