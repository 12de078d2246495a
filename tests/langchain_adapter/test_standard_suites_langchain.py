"""LangChain's own suites, unmodified, with sockets off and the bundle that comes with the package.

A class here says what to build; no test of theirs is overridden, skipped or expected to fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
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

from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index import PassageIndex

TEXTS = ["A quiet inn.", "A loud bar.", "A warm pool.", "A hotel by the river.", "A hostel."]

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture(scope="module")
def filled() -> Iterator[LogicVectorStore]:
    store = LogicVectorStore.from_texts(TEXTS)
    yield store
    store.index.close()


class _Retriever(RetrieversIntegrationTests):
    policy = "auto"

    @pytest.fixture(autouse=True)
    def _fill(self, filled: LogicVectorStore) -> None:
        self.index = filled.index

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return ConstraintRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.index, "policy": self.policy}

    @property
    def retriever_query_example(self) -> str:
        return "a place to stay, but not a loud one"


class TestConstraintRetriever(_Retriever):
    pass


class TestContradictionRetriever(RetrieversIntegrationTests):
    @pytest.fixture
    def encoder(self) -> Encoder:
        return default_encoder()

    @pytest.fixture(autouse=True)
    def _fill(self, encoder: Encoder) -> Iterator[None]:
        vectors = ("topical", "contradiction")
        with PassageIndex.open(encoder=encoder, vectors=vectors) as self.index:
            LogicVectorStore(self.index).add_texts(TEXTS)
            yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return ContradictionRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.index}

    @property
    def retriever_query_example(self) -> str:
        return "The inn is loud."


class TestEmbeddings(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return LogicEmbeddings


class TestEmbeddingsUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return LogicEmbeddings


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
        nothing: list[Document] = []
        store = LogicVectorStore.from_documents(nothing, self.get_embeddings(), identity="fake")
        yield store
        store.index.close()
