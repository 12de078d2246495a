"""A query encoder swapped under LlamaIndex's retrievers and stores."""

from __future__ import annotations

from llama_index.core import VectorStoreIndex
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)
from query_files import write_noisy


def scores(results: list[NodeWithScore]) -> list[tuple[str, float | None]]:
    return [(result.node.node_id, result.score) for result in results]


async def test_retriever_reranker_and_store_follow_the_index(
    store: LogicVectorStore, nodes, query, tmp_path
):
    """Also a query that LlamaIndex embedded itself, with the model that it got at the start."""
    file = write_noisy(tmp_path / "a.query.onnx", noise=0.5)
    retriever = ConstraintRetriever.over(store, policy="topical", similarity_top_k=6)
    reranker = CompatibilityReranker(policy="topical", index=store.index)
    theirs = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    their_retriever = theirs.as_retriever(
        similarity_top_k=6, vector_store_kwargs={"policy": "topical"}
    )
    given = [NodeWithScore(node=node) for node in nodes]

    def all_scores() -> list[object]:
        reranked = reranker.postprocess_nodes(given, query_bundle=QueryBundle(query))
        return [
            scores(retriever.retrieve(query)),
            scores(their_retriever.retrieve(query)),
            scores(reranked),
        ]

    before, model = all_scores(), store.embed_model.model_name
    store.index.use_query_encoder(file)
    swapped = all_scores()
    assert all(one != other for one, other in zip(before, swapped, strict=True))
    assert swapped[0] == swapped[1]
    assert scores(await retriever.aretrieve(query)) == swapped[0]
    assert store.embed_model.model_name != model
    assert store.embed_model.get_text_embedding("a") == theirs._embed_model.get_text_embedding("a")
    await store.index.ause_query_encoder(None)
    assert all_scores() == before
    assert store.embed_model.model_name == model
