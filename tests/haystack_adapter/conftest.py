"""A small town of hotels, a store of it, and no network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from haystack import Document
from haystack_logic_retrievers import LogicDocumentStore
from hotel_town import TEXTS, no_network, query  # noqa: F401 - two are fixtures


@pytest.fixture(autouse=True)
def without_network(no_network: None) -> None:  # noqa: F811
    """Tests must reach no network."""


@pytest.fixture
def documents() -> list[Document]:
    return [
        Document(id=name, content=text, meta={"name": name, "stars": number % 4})
        for number, (name, text) in enumerate(list(TEXTS.items())[:6])
    ]


@pytest.fixture
def store(documents: list[Document]) -> Iterator[LogicDocumentStore]:
    """A store of the town."""
    store = LogicDocumentStore()
    store.write_documents(documents)
    yield store
    store.close()
