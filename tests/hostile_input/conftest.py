"""A working folder for every test, and indexes with plain passages."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hostile import inns, open_index

from logic_retrievers.index import PassageIndex


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory deep enough that ``../..`` stays inside the test's folder."""
    folder = tmp_path / "one" / "two" / "three" / "four"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LOGIC_RETRIEVERS_LOCATION", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield folder


@pytest.fixture
def index(workplace: Path) -> Iterator[PassageIndex]:
    """An empty index."""
    with closing(open_index()) as index:
        yield index


@pytest.fixture
def inn_index(index: PassageIndex) -> PassageIndex:
    """An index of twelve inns."""
    index.add(inns())
    return index
