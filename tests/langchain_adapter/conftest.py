"""Fixtures shared by the tests of the LangChain adapter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hotel_town import no_network  # noqa: F401 - a fixture
from langchain_corpus import DOCUMENTS, Listener
from langchain_logic_retrievers import ConstraintRetriever, LogicVectorStore

from logic_retrievers.index import PassageIndex


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
