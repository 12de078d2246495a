"""What the tests of the LangChain adapter share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_corpus import DOCUMENTS, Listener
from langchain_logic_retrievers import ConstraintRetriever, LogicVectorStore
from pytest_socket import disable_socket, enable_socket

from logic_retrievers.index import PassageIndex


@pytest.fixture
def no_network() -> Iterator[None]:
    """No sockets; an event loop's own pair of unix sockets reaches no network."""
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture
def store() -> Iterator[LogicVectorStore]:
    store = LogicVectorStore.from_documents(DOCUMENTS)
    yield store
    store.index.close()


@pytest.fixture
def index(store: LogicVectorStore) -> PassageIndex:
    return store.index


@pytest.fixture
def retriever(index: PassageIndex) -> ConstraintRetriever:
    return ConstraintRetriever(index=index)


@pytest.fixture
def listener() -> Listener:
    return Listener()
