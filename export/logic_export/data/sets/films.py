"""The attribute table of the films of ``wikipedia_movies``: ``films directed by Raoul Walsh``."""

from __future__ import annotations

import hashlib
from itertools import accumulate
from pathlib import Path

from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item
from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import json_rows

# One row with the SHA-256 of the films' ids, then one row per atom, found by rules in texts and
# metadata. "true" and "unknown" are positions among the distinct films of the corpus, each stored
# as the distance from the previous position.
_ATOMS = Path(__file__).with_name("films.jsonl.gz")
# Kinds that a text may omit: one text in seven names no director, two in three no writer.
_OPEN_KINDS = ("director", "writer", "producer", "author", "produced", "released", "setting")


def load_films_table(folder: Path | None = None) -> AttributeTable:
    """Load the table of ``wikipedia_movies``; films with equal title and text become one.

    ``folder`` holds that data set's ``corpus.jsonl.gz``; None takes the benchmark data. A corpus
    with different films is a :class:`ReadError`.
    """
    corpus = (data_folder() / "wikipedia_movies" if folder is None else folder) / "corpus.jsonl.gz"
    first_ids: dict[Item, str] = {}
    for row in json_rows(corpus):
        first_ids.setdefault(Item(row.text("title"), row.text("text")), row.id())
    ids = list(first_ids.values())
    head, *rows = (row.fields for row in json_rows(_ATOMS))
    if hashlib.sha256("\n".join(ids).encode()).hexdigest() != head["ids_sha256"]:
        raise ReadError("these are not the films of wikipedia_movies", file=str(corpus))
    atoms = {
        row["atom"]: AtomTruth(
            frozenset(ids[number] for number in accumulate(row["true"])),
            frozenset(ids[number] for number in accumulate(row["unknown"])),
            row["kind"],
            row["value"],
        )
        for row in rows
    }
    items = {name: item for item, name in first_ids.items()}
    return AttributeTable(items, atoms, noun="films", open_kinds=_OPEN_KINDS)
