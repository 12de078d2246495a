"""The LangChain adapter under the public suites."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    CorpusCleaner,
)
from suites import (
    ContradictionFilterConformance,
    ContradictionRetrieverConformance,
    CorpusCleanerConformance,
    RerankerConformance,
    Retrieved,
    RetrieverConformance,
)


def to_retrieved(documents):
    return [
        Retrieved(
            document.id,
            document.page_content,
            document.metadata.get("relevance_score"),
            document.metadata,
        )
        for document in documents
    ]


class TestConstraintRetriever(RetrieverConformance):
    overrides = ("k", "filter", "min_score", "policy", "exclude", "hard", "query_syntax")

    def make(self, index, **settings):
        return ConstraintRetriever(index=index, **settings)

    def retrieve(self, retriever, query, **overrides):
        return to_retrieved(retriever.invoke(query, **overrides))

    async def aretrieve(self, retriever, query, **overrides):
        return to_retrieved(await retriever.ainvoke(query, **overrides))


class TestContradictionRetriever(ContradictionRetrieverConformance):
    retrieve, aretrieve = TestConstraintRetriever.retrieve, TestConstraintRetriever.aretrieve

    def make(self, index, **settings):
        return ContradictionRetriever(index=index, **settings)


class _Documents:
    def items(self, passages):
        return [
            Document(id=p.id or None, page_content=p.text, metadata=dict(p.metadata))
            for p in passages
        ]


class TestContradictionFilter(_Documents, ContradictionFilterConformance):
    def make(self, **settings):
        return ContradictionFilter(**settings)

    def filter(self, made, items):
        return to_retrieved(made.compress_documents(items, "a query"))

    async def afilter(self, made, items):
        return to_retrieved(await made.acompress_documents(items, "a query"))

    def evidence_of(self, one):
        return one.metadata["logic"]["contradiction"]


class TestCorpusCleaner(_Documents, CorpusCleanerConformance):
    def make(self, **settings):
        return CorpusCleaner(**settings)

    def clean(self, made, items):
        return to_retrieved(made.transform_documents(items))

    async def aclean(self, made, items):
        return to_retrieved(await made.atransform_documents(items))


class TestCorpusCleanerOverAStream(TestCorpusCleaner):
    """All in one batch, or in batches that each see the previous ones."""

    def clean(self, made, items):
        return to_retrieved(made.lazy_transform_documents(items))

    async def aclean(self, made, items):
        return to_retrieved([document async for document in made.alazy_transform_documents(items)])


class TestCompatibilityReranker(_Documents, RerankerConformance):
    def make(self, **settings):
        return CompatibilityReranker(**settings)

    def rerank(self, reranker, query, items):
        return to_retrieved(reranker.compress_documents(items, query))

    async def arerank(self, reranker, query, items):
        return to_retrieved(await reranker.acompress_documents(items, query))
