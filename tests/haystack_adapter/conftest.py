"""A small town of hotels, a store of it, and no network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from haystack import Document
from haystack_logic_retrievers import LogicDocumentStore
from pytest_socket import disable_socket, enable_socket, socket_allow_hosts

TEXTS = {
    "inn": "The Harbour Inn is a quiet hotel with a garden near the sea.",
    "club": "The Anchor is a hotel by the sea, right above a loud nightclub.",
    "disco": "Hotel Disco has a nightclub of its own, and music until five.",
    "farm": "The farm rents rooms far from the town, among cows and orchards.",
    "spa": "A spa hotel with warm pools and a restaurant, in the hills.",
    "hostel": "The hostel in the old town has cheap beds and a shared kitchen.",
}


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing reaches a network; a test with a wire double reaches this machine alone."""
    if "wire_double" in request.fixturenames:
        socket_allow_hosts(["127.0.0.1", "localhost"], allow_unix_socket=True)
    else:
        disable_socket(allow_unix_socket=True)
    yield
    enable_socket()
    socket_allow_hosts(None)


@pytest.fixture
def query() -> str:
    return "a hotel by the sea, but no nightclub"


@pytest.fixture
def documents() -> list[Document]:
    return [
        Document(id=name, content=text, meta={"name": name, "stars": number % 4})
        for number, (name, text) in enumerate(TEXTS.items())
    ]


@pytest.fixture
def store(documents: list[Document]) -> Iterator[LogicDocumentStore]:
    """A store with the town in it."""
    store = LogicDocumentStore()
    store.write_documents(documents)
    yield store
    store.close()
