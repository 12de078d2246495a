"""A small town of hotels, its index and store, and no network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hotel_town import TEXTS, no_network, query  # noqa: F401 - two are fixtures
from llama_index.core import set_global_tokenizer
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index_logic_retrievers import LogicVectorStore

from logic_retrievers import PassageIndex


@pytest.fixture(autouse=True)
def without_network(no_network: None) -> None:  # noqa: F811
    """Tests must reach no network."""


@pytest.fixture(autouse=True, scope="session")
def words_as_tokens() -> None:
    """LlamaIndex's own tokenizer takes a second to load."""
    set_global_tokenizer(str.split)


@pytest.fixture
def nodes() -> list[TextNode]:
    """One node per hotel, each of its own document."""
    return [
        TextNode(
            id_=name,
            text=text,
            metadata={"name": name, "stars": number % 4, "rank": number},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{name}")},
        )
        for number, (name, text) in enumerate(TEXTS.items())
    ]


@pytest.fixture
def store(nodes: list[TextNode]) -> Iterator[LogicVectorStore]:
    """A store of the town."""
    store = LogicVectorStore.open()
    store.add(nodes)
    yield store
    store.index.close()


@pytest.fixture
def index(store: LogicVectorStore) -> PassageIndex:
    return store.index
