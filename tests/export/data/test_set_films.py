"""The stored table of the real films."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries

from logic_retrievers.errors import ReadError
from logic_retrievers.queries.expressions import Atom


def test_a_corpus_of_something_else_is_refused(tmp_path: Path) -> None:
    """The atoms name films by position: over another corpus every answer would be wrong."""
    row = {"_id": "f0", "title": "Ash", "text": "Ash is a film."}
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.write(json.dumps(row))
    with pytest.raises(ReadError, match="wikipedia_movies"):
        load_films_table(tmp_path)
    with pytest.raises(ReadError):
        load_films_table(tmp_path / "none")


@pytest.mark.slow
@pytest.mark.data
def test_the_real_films_give_the_queries_that_were_asked_for() -> None:
    """A table with too few atoms starves a template."""
    table = load_films_table()
    kinds = [truth.kind for truth in table.atoms.values()]
    assert (len(table.items), len(kinds)) == (34_365, 18_125)
    assert (kinds.count("director"), kinds.count("star")) == (2072, 5640)
    counts = {"train": 3500, "dev": 350, "test": 2100}
    parts = generate_queries(table, counts, variants=False)
    assert {part: len(queries) for part, queries in parts.items()} == counts
    both = Atom("films directed by Alfred Hitchcock") & Atom("films starring Cary Grant")
    titles = {table.items[name].title for name in table.truth(both)[0]}
    assert titles >= {"North by Northwest", "Notorious"}
    assert table.truth(Atom("films directed by Alfred Hitchcock"))[1]
