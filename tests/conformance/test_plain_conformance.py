"""What does it right passes: adapters of plain Python, without any framework."""

from __future__ import annotations

from plain import PlainEmbeddingModels, PlainRerankers, PlainRetrievers


class TestPlainRetriever(PlainRetrievers):
    pass


class TestPlainReranker(PlainRerankers):
    pass


class TestPlainEmbeddings(PlainEmbeddingModels):
    pass
