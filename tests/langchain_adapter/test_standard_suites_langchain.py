"""LangChain's own suites, unmodified, with sockets off and the bundle of the package.

Each class here says what to build; it overrides, skips or expects to fail none of their tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.vectorstores import VectorStore
from langchain_logic_retrievers import (
    ConstraintRetriever,
    ContradictionRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)
from langchain_tests.integration_tests import (
    EmbeddingsIntegrationTests,
    RetrieversIntegrationTests,
    VectorStoreIntegrationTests,
)
from langchain_tests.unit_tests import EmbeddingsUnitTests

from logic_retrievers.index import PassageIndex

TEXTS = ["A quiet inn.", "A loud bar.", "A warm pool.", "A hotel by the river.", "A hostel."]

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture(scope="module")
def index() -> Iterator[PassageIndex]:
    vectors = ("topical", "compatibility", "contradiction")
    store = LogicVectorStore.from_texts(TEXTS, vectors=vectors)
    with store.index:
        yield store.index


class TestConstraintRetriever(RetrieversIntegrationTests):
    retriever_constructor = ConstraintRetriever
    retriever_query_example = "a place to stay, but not a loud one"

    @pytest.fixture(autouse=True)
    def _fill(self, index: PassageIndex) -> None:
        self.index = index

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.index}


class TestContradictionRetriever(TestConstraintRetriever):
    retriever_constructor = ContradictionRetriever
    retriever_query_example = "The inn is loud."


class TestEmbeddings(EmbeddingsIntegrationTests):
    embeddings_class = LogicEmbeddings


class TestEmbeddingsUnit(EmbeddingsUnitTests):
    embeddings_class = LogicEmbeddings


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self) -> Iterator[VectorStore]:
        store = LogicVectorStore.open()
        yield store
        store.index.close()


class TestVectorStoreOverTheirEmbeddings(VectorStoreIntegrationTests):
    """The suite's own embeddings make the topical vectors."""

    @pytest.fixture
    def vectorstore(self) -> Iterator[VectorStore]:
        store = LogicVectorStore.from_documents([], self.get_embeddings(), identity="fake")
        yield store
        store.index.close()
