"""A query encoder swapped under LangChain's retrievers and stores."""

from __future__ import annotations

from langchain_corpus import DOCUMENTS, QUERY
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)
from query_files import write_noisy


def scores(documents) -> list[tuple[str | None, float]]:
    return [(document.id, document.metadata["relevance_score"]) for document in documents]


async def test_retriever_reranker_and_store_follow_the_index(store: LogicVectorStore, tmp_path):
    """An application holds these objects; nobody builds them anew for a better query encoder."""
    file = write_noisy(tmp_path / "a.query.onnx", noise=0.5)
    retriever = ConstraintRetriever.over(store, policy="topical", k=6)
    reranker = CompatibilityReranker(policy="topical", index=store.index)

    def all_scores() -> list[object]:
        return [
            scores(retriever.invoke(QUERY)),
            scores(reranker.compress_documents(DOCUMENTS, QUERY)),
            [score for _, score in store.similarity_search_with_score(QUERY, 6, policy="topical")],
        ]

    before = all_scores()
    store.index.use_query_encoder(file)
    swapped = all_scores()
    assert all(one != other for one, other in zip(before, swapped, strict=True))
    assert scores(await retriever.ainvoke(QUERY)) == swapped[0]
    embedded = store.embeddings.embed_query(QUERY)
    assert embedded != LogicEmbeddings().embed_query(QUERY)
    assert store.embeddings.embed_documents([QUERY]) == LogicEmbeddings().embed_documents([QUERY])
    await store.index.ause_query_encoder(None)
    assert all_scores() == before


def test_embeddings_of_another_store_take_one_too(tmp_path):
    """Their encoder is a part of a combined one."""
    file = write_noisy(tmp_path / "a.query.onnx", noise=0.5)
    store = LogicVectorStore.from_documents(DOCUMENTS, LogicEmbeddings())
    before = store.similarity_search_with_score(QUERY, 3, policy="topical")
    store.index.use_query_encoder(file)
    assert store.similarity_search_with_score(QUERY, 3, policy="topical") != before
    store.index.use_query_encoder(None)
    assert store.similarity_search_with_score(QUERY, 3, policy="topical") == before
    store.index.close()
