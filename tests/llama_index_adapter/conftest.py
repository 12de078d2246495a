"""A small town of hotels, an index and a store of it, and no network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core import set_global_tokenizer
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index_logic_retrievers import LogicVectorStore
from pytest_socket import disable_socket, enable_socket, socket_allow_hosts

from logic_retrievers import PassageIndex
from logic_retrievers.encoders import default_encoder

TEXTS = {
    "inn": "The Harbour Inn is a quiet hotel with a garden near the sea.",
    "club": "The Anchor is a hotel by the sea, right above a loud nightclub.",
    "disco": "Hotel Disco has a nightclub of its own, and music until five.",
    "farm": "The farm rents rooms far from the town, among cows and orchards.",
    "spa": "A spa hotel with warm pools and a restaurant, in the hills.",
    "hostel": "The hostel in the old town has cheap beds and a shared kitchen.",
    "villa": "Villa Rosa is a calm guest house with a view of the harbour.",
    "motel": "A motel beside the motorway, with parking for lorries.",
}
QUERY = "a hotel by the sea, but no nightclub"


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


@pytest.fixture(autouse=True, scope="session")
def words_as_tokens() -> None:
    """LlamaIndex's own tokenizer takes a second to load."""
    set_global_tokenizer(str.split)


def town(**fields: Any) -> list[TextNode]:
    """One node a hotel, each of its own document."""
    return [
        TextNode(
            id_=name,
            text=text,
            metadata={"name": name, "stars": number % 4, "rank": number},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{name}")},
            **fields,
        )
        for number, (name, text) in enumerate(TEXTS.items())
    ]


@pytest.fixture
def nodes() -> list[TextNode]:
    return town()


@pytest.fixture
def query() -> str:
    return QUERY


@pytest.fixture
def store(nodes: list[TextNode]) -> Iterator[LogicVectorStore]:
    """A store with the town in it."""
    store = LogicVectorStore.open()
    store.add(nodes)
    yield store
    store.index.close()


@pytest.fixture
def index(store: LogicVectorStore) -> PassageIndex:
    return store.index


@pytest.fixture
def encoder() -> Any:
    return default_encoder()
