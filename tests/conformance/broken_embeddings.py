"""Embeddings with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

import numpy as np
from plain import PlainEmbeddingModels, PlainEmbeddings


class TestDocumentsAsQueries(PlainEmbeddingModels):
    found_by = "test_documents_get_the_encoders_vectors"

    def embed_documents(self, embeddings, texts):
        return [embeddings.query(text) for text in texts]


class TestQueriesAsDocuments(PlainEmbeddingModels):
    found_by = "test_queries_get_the_encoders_vectors"

    def embed_query(self, embeddings, text):
        return embeddings.documents([text])[0]


class TestGivesNumpy(PlainEmbeddingModels):
    found_by = "test_numbers_are_plain"

    def embed_query(self, embeddings, text):
        return list(np.array(embeddings.query(text), dtype=np.float32))


class TestFailsOnNoDocuments(PlainEmbeddingModels):
    found_by = "test_no_documents"

    def embed_documents(self, embeddings, texts):
        assert texts[0]
        return embeddings.documents(texts)


class TestAsynchronousEmbeddingsDrift(PlainEmbeddingModels):
    found_by = "test_asynchronous_twins_give_the_same"

    async def aembed_query(self, embeddings, text):
        return embeddings.documents([text])[0]


class AnyVector(PlainEmbeddings):
    def __init__(self, vector, encoder):
        self.vector, self.encoder = vector, encoder


class TestTakesAnyVector(PlainEmbeddingModels):
    found_by = "test_an_unknown_vector_is_refused"
    kind = AnyVector


class TestEmbeddingsBlockTheLoop(PlainEmbeddingModels):
    found_by = "test_asynchronous_calls_leave_the_event_loop_free"

    async def aembed_documents(self, embeddings, texts):
        return embeddings.documents(texts)
