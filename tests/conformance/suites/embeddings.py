"""Tests that a framework's embeddings over one of our encoders must pass."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pytest

from logic_retrievers.encoders.base import Encoder
from suites.hashed_encoder import HashedEncoder
from suites.watched_encoder import WatchedEncoder

TEXTS = ["A quiet hotel by the harbour.", "no", "Prices of copper rose again.", "no"]


class EmbeddingsConformance(ABC):
    """One named vector of an encoder, as a framework's embedding model.

    ::

        class TestMyEmbeddings(EmbeddingsConformance):
            def make(self, vector, encoder):
                return MyEmbeddings(vector=vector, encoder=encoder)

            def embed_documents(self, embeddings, texts):
                return embeddings.embed_documents(texts)

            ...  # embed_query and the two asynchronous twins
    """

    @abstractmethod
    def make(self, vector: str, encoder: Encoder) -> Any:
        """The framework's embedding model for one named vector of the encoder."""

    @abstractmethod
    def embed_documents(self, embeddings: Any, texts: list[str]) -> list[list[float]]:
        """Vectors of documents, as the framework's own callers get them."""

    @abstractmethod
    def embed_query(self, embeddings: Any, text: str) -> list[float]:
        """The vector of a query, as the framework's own callers get it."""

    @abstractmethod
    async def aembed_documents(self, embeddings: Any, texts: list[str]) -> list[list[float]]:
        """Call :meth:`embed_documents` asynchronously."""

    @abstractmethod
    async def aembed_query(self, embeddings: Any, text: str) -> list[float]:
        """Call :meth:`embed_query` asynchronously."""

    @pytest.fixture
    def encoder(self) -> Encoder:
        """The encoder behind; queries must have vectors of their own in it."""
        return HashedEncoder(query_prefix="query ")

    @pytest.fixture(params=["topical", "compatibility"])
    def vector(self, request: pytest.FixtureRequest) -> str:
        """The named vector."""
        return str(request.param)

    def test_documents_get_the_encoders_vectors(self, encoder: Encoder, vector: str) -> None:
        """The query side, another named vector or another order: every search is a little wrong."""
        results = self.embed_documents(self.make(vector, encoder), TEXTS)
        np.testing.assert_allclose(
            results, encoder.encode_documents(TEXTS, [vector])[vector], atol=1e-6
        )

    def test_queries_get_the_encoders_vectors(self, encoder: Encoder, vector: str) -> None:
        """The document side of a query looks right, and finds less."""
        embeddings = self.make(vector, encoder)
        for text in TEXTS:
            expected = encoder.encode_queries([text], [vector])[vector][0]
            np.testing.assert_allclose(self.embed_query(embeddings, text), expected, atol=1e-6)

    def test_numbers_are_plain(self, encoder: Encoder) -> None:
        """A numpy number breaks JSON, caches and other stores, far from here."""
        embeddings = self.make("topical", encoder)
        rows = [*self.embed_documents(embeddings, TEXTS), self.embed_query(embeddings, "no")]
        assert {type(row) for row in rows} == {list}
        assert {type(number) for row in rows for number in row} == {float}

    def test_no_documents(self, encoder: Encoder) -> None:
        """An empty page of a pipeline is no error."""
        assert self.embed_documents(self.make("topical", encoder), []) == []

    def test_asynchronous_twins_give_the_same(self, encoder: Encoder, vector: str) -> None:
        """Synchronous and asynchronous code drift apart."""
        embeddings = self.make(vector, encoder)

        async def run_all() -> tuple[list[list[float]], list[float]]:
            documents = await self.aembed_documents(embeddings, TEXTS)
            return documents, await self.aembed_query(embeddings, TEXTS[0])

        documents, query = asyncio.run(run_all())
        np.testing.assert_allclose(documents, self.embed_documents(embeddings, TEXTS), atol=1e-6)
        np.testing.assert_allclose(query, self.embed_query(embeddings, TEXTS[0]), atol=1e-6)

    def test_asynchronous_calls_leave_the_event_loop_free(self, encoder: Encoder) -> None:
        """A server that stands still for each embedding slows all users."""
        watched = WatchedEncoder(encoder)
        embeddings = self.make("topical", watched)
        assert watched.loop_runs_during(self.aembed_query(embeddings, "a first query"))
        assert watched.loop_runs_during(self.aembed_documents(embeddings, ["a first document"]))

    def test_an_unknown_vector_is_refused(self, encoder: Encoder) -> None:
        """A misspelt vector should fail where it is written, not in the first search."""
        with pytest.raises(ValueError, match="no-such-vector"):
            self.make("no-such-vector", encoder)
