"""The LlamaIndex adapter under the public suites."""

from __future__ import annotations

from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
from llama_index_logic_retrievers import (
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


def to_retrieved(nodes):
    return [
        Retrieved(
            result.node.node_id,
            result.node.get_content(metadata_mode=MetadataMode.NONE),
            result.score,
            result.node.metadata,
        )
        for result in nodes
    ]


def in_their_words(settings):
    """The suites say ``k``, as the core does; LlamaIndex says ``similarity_top_k``."""
    return {"similarity_top_k" if name == "k" else name: settings[name] for name in settings}


class TestConstraintRetriever(RetrieverConformance):
    overrides = ("k", "filter", "min_score", "policy", "exclude", "hard", "query_syntax")

    def make(self, index, **settings):
        return ConstraintRetriever(index, **in_their_words(settings))

    def retrieve(self, retriever, query, **overrides):
        return to_retrieved(retriever.retrieve(query, **in_their_words(overrides)))

    async def aretrieve(self, retriever, query, **overrides):
        return to_retrieved(await retriever.aretrieve(query, **in_their_words(overrides)))


class TestContradictionRetriever(ContradictionRetrieverConformance):
    retrieve, aretrieve = TestConstraintRetriever.retrieve, TestConstraintRetriever.aretrieve

    def make(self, index, **settings):
        return ContradictionRetriever(index, **in_their_words(settings))


class _Nodes:
    def items(self, passages):
        return [
            NodeWithScore(
                node=TextNode(
                    **({"id_": p.id} if p.id else {}), text=p.text, metadata=dict(p.metadata)
                ),
                score=0.5,
            )
            for p in passages
        ]


class TestContradictionFilter(_Nodes, ContradictionFilterConformance):
    def make(self, **settings):
        return ContradictionFilter(**settings)

    def items(self, passages):
        items = super().items(passages)
        for result in items:
            result.node.excluded_embed_metadata_keys = list(result.node.metadata)
        return items

    def filter(self, made, items):
        return to_retrieved(made.postprocess_nodes(items, query_str="a query"))

    async def afilter(self, made, items):
        return to_retrieved(await made.apostprocess_nodes(items, query_str="a query"))

    def evidence_of(self, one):
        return one.metadata["logic"]["contradiction"]


class TestCorpusCleaner(CorpusCleanerConformance):
    def make(self, **settings):
        return CorpusCleaner(**settings)

    def items(self, passages):
        return [
            TextNode(
                id_=p.id,
                text=p.text,
                metadata=dict(p.metadata),
                excluded_embed_metadata_keys=list(p.metadata),
            )
            for p in passages
        ]

    def clean(self, made, items):
        return to_retrieved([NodeWithScore(node=node) for node in made(items)])

    async def aclean(self, made, items):
        return to_retrieved([NodeWithScore(node=node) for node in await made.acall(items)])


class TestCompatibilityReranker(_Nodes, RerankerConformance):
    def make(self, **settings):
        return CompatibilityReranker(**settings)

    def rerank(self, reranker, query, items):
        return to_retrieved(reranker.postprocess_nodes(items, query_str=query))

    async def arerank(self, reranker, query, items):
        return to_retrieved(await reranker.apostprocess_nodes(items, query_str=query))
