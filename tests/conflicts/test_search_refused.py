"""What the search refuses, and what it makes of nothing."""

from __future__ import annotations

import pytest
from inns import CORPUS, agrees, by_hand, stored
from placed_words import NAMES, QUIET, placed

from logic_retrievers import ContradictionSearch, PassageIndex
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    LogicRetrieversError,
    MissingVectorError,
)


@pytest.fixture
def encoder():
    return placed()


@pytest.fixture
def local(encoder):
    with stored(encoder) as index:
        yield index


def test_a_collection_without_the_vector_is_named_and_nothing_encoded(encoder):
    """A thousand texts encoded at every search would look like a slow server."""
    with PassageIndex.open("inns", encoder) as index:
        index.add(CORPUS)
        encoder.documents.clear()
        against = ContradictionSearch(index)
        for call in (
            lambda: against.search(QUIET),
            lambda: against.search_like("copper"),
        ):
            with pytest.raises(MissingVectorError, match=r"backfill\(\['contradiction'\]\)"):
                call()
        assert encoder.documents == []
        index.backfill(["contradiction"])
        agrees(against.search(QUIET, 50), by_hand(QUIET, CORPUS))


def test_what_cannot_be_asked(local):
    """Each is told by name, before any work."""
    against = ContradictionSearch(local)
    for statement, error in (
        (" \n", EmptyTextError),
        (3, InputError),
    ):
        with pytest.raises(error, match="statement"):
            against.search(statement)
    for one in ("nobody", "Inn-quiet"):
        with pytest.raises(InputError, match=f"no passage '{one}' in collection 'inns'"):
            against.search_like(one)
    for one in ("", None):
        with pytest.raises(InputError):
            against.search_like(one)
    for k in (0, -1, 2.5, True):
        with pytest.raises(ConfigurationError, match="k must be"):
            against.search(QUIET, k)
        with pytest.raises(ConfigurationError, match="k must be"):
            against.search_like("copper", k)
    with pytest.raises(LogicRetrieversError, match="filter"):
        against.search(QUIET, filter=["place"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": 0}, "candidates must be"),
        ({"min_probability": 1.1}, "min_probability"),
        ({"alpha": -1.0}, "alpha"),
        ({"settings": {"alpha": 1.0}}, "ContradictionSettings"),
    ],
)
def test_settings_that_cannot_work(local, settings, message):
    """A wrong setting is told at construction, not at the first search."""
    with pytest.raises(ConfigurationError, match=message):
        ContradictionSearch(local, **settings)


def test_an_empty_collection(encoder):
    """No candidates are no error."""
    with PassageIndex.open("inns", encoder, vectors=NAMES) as index:
        assert ContradictionSearch(index).search(QUIET) == []
        index.add([CORPUS[0]])
        assert ContradictionSearch(index).search(QUIET) == []
        assert ContradictionSearch(index).search_like("inn-quiet") == []
