"""The LangChain adapter under the public suites."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    CorpusCleaner,
    LogicEmbeddings,
)
from suites import (
    ContradictionFilterConformance,
    ContradictionRetrieverConformance,
    CorpusCleanerConformance,
    EmbeddingsConformance,
    ExpressionConformance,
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


class TestConstraintRetrieverReadsExpressions(ExpressionConformance):
    def make(self, index, **settings):
        return ConstraintRetriever(index=index, k=5, **settings)

    def ask(self, made, query):
        return to_retrieved(made.invoke(query))

    async def aask(self, made, query):
        return to_retrieved(await made.ainvoke(query))


class TestContradictionRetriever(ContradictionRetrieverConformance):
    def make(self, index, **settings):
        return ContradictionRetriever(index=index, **settings)

    def retrieve(self, retriever, statement):
        return to_retrieved(retriever.invoke(statement))

    async def aretrieve(self, retriever, statement):
        return to_retrieved(await retriever.ainvoke(statement))


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
    """All in one batch, or in batches of which each sees those before."""

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


class TestLogicEmbeddings(EmbeddingsConformance):
    def make(self, vector, encoder):
        return LogicEmbeddings(vector=vector, encoder=encoder)

    def embed_documents(self, embeddings, texts):
        return embeddings.embed_documents(texts)

    def embed_query(self, embeddings, text):
        return embeddings.embed_query(text)

    async def aembed_documents(self, embeddings, texts):
        return await embeddings.aembed_documents(texts)

    async def aembed_query(self, embeddings, text):
        return await embeddings.aembed_query(text)
