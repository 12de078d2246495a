"""A small collection with all vectors, on disk and opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving_examples import PASSAGES

from logic_retrievers import PassageIndex
from logic_retrievers.serving.service import SearchService


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded folder whose collection `passages` has the contradiction vector."""
    folder = tmp_path_factory.mktemp("served")
    vectors = ("topical", "compatibility", "contradiction")
    with PassageIndex.open(location=str(folder), vectors=vectors) as index:
        index.add(PASSAGES)
    return folder


@pytest.fixture
def index(folder: Path) -> Iterator[PassageIndex]:
    with PassageIndex.open(location=str(folder)) as index:
        yield index


@pytest.fixture
def service(index: PassageIndex) -> SearchService:
    return SearchService(index)
