"""Indexes over an existing QdrantVectorStore: dense and hybrid, named vectors and unnamed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import (
    ConstraintRetriever,
    LogicEmbeddings,
    aopen_index_over,
    open_index_over,
)
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector
from qdrant_client import models

from logic_retrievers.errors import (
    CollectionNotFoundError,
    ConfigurationError,
    MissingVectorError,
)

POINTS = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(document.id))) for document in DOCUMENTS]


class Words(SparseEmbeddings):
    """A sparse vector of the text's length."""

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> SparseVector:
        return SparseVector(indices=[len(text)], values=[1.0])


MODES = {
    "dense": {},
    "named": {"vector_name": "theirs"},
    "hybrid": {
        "vector_name": "theirs",
        "sparse_embedding": Words(),
        "retrieval_mode": RetrievalMode.HYBRID,
    },
    "keys": {"content_payload_key": "text", "metadata_payload_key": "about"},
}


def existing(**settings) -> QdrantVectorStore:
    sparse = settings.get("retrieval_mode") is RetrievalMode.SPARSE
    return QdrantVectorStore.from_texts(
        [document.page_content for document in DOCUMENTS],
        None if sparse else LogicEmbeddings(),
        [document.metadata for document in DOCUMENTS],
        ids=POINTS,
        collection_name="theirs",
        location=":memory:",
        **settings,
    )


@pytest.fixture(params=MODES)
def theirs(request) -> Iterator[QdrantVectorStore]:
    store = existing(**MODES[request.param])
    yield store
    store.client.close()


async def test_it_works_before_the_backfill(theirs):
    """Users try it on their existing store before anything is written into it."""
    retriever = ConstraintRetriever.over(theirs, k=3)
    assert retriever.index.client is theirs.client
    assert "compatibility" not in retriever.index.vectors
    results = retriever.invoke("a quiet place by the harbour")
    query = LogicEmbeddings().embed_query("a quiet place by the harbour")
    expected = theirs.client.query_points("theirs", query, using=theirs.vector_name, limit=3)
    assert ids(results) == [point.id for point in expected.points]
    assert [result.metadata["relevance_score"] for result in results] == pytest.approx(
        [point.score for point in expected.points], abs=2e-6
    )
    assert await retriever.ainvoke(QUERY) == retriever.invoke(QUERY)
    again = ConstraintRetriever(index=await aopen_index_over(theirs), k=3)
    assert again.invoke(QUERY) == retriever.invoke(QUERY)
    assert retriever.invoke(QUERY)[0].metadata["logic"]["policy"] == "constraint"
    assert len(retriever.invoke(QUERY, filter={"city": "Bergen"})) == 3
    with pytest.raises(MissingVectorError, match=r"backfill\(\['compatibility'\]\)"):
        retriever.invoke(QUERY, policy="union")


async def test_a_store_of_ours_gives_its_index(store):
    """A second index would need a second connection to a locked folder."""
    assert open_index_over(store) is await aopen_index_over(store) is store.index
    with pytest.raises(ConfigurationError, match="open already"):
        ConstraintRetriever.over(store, tenant="me")


def test_what_cannot_be_opened_is_refused():
    """An internal AttributeError does not say what to do."""
    with pytest.raises(ConfigurationError, match="InMemoryVectorStore has no 'client'"):
        open_index_over(InMemoryVectorStore(LogicEmbeddings()))
    sparse = existing(sparse_embedding=Words(), retrieval_mode=RetrievalMode.SPARSE)
    with pytest.raises(ConfigurationError, match="sparse"):
        open_index_over(sparse)
    theirs = existing()
    for setting in ("client", "text_key"):
        with pytest.raises(ConfigurationError, match=f"Leave {setting}= out"):
            open_index_over(theirs, **{setting: None})
    theirs.client.delete_collection("theirs")
    with pytest.raises(CollectionNotFoundError):
        open_index_over(theirs)
    theirs.client.close()
    sparse.client.close()


def test_the_stores_vector_is_taken_among_several():
    """With two dense vectors only the store knows which one it searches."""
    size = models.VectorParams(size=384, distance=models.Distance.COSINE)
    theirs = existing()
    theirs.client.create_collection("two", {"other": size, "theirs": size})
    two = QdrantVectorStore(theirs.client, "two", LogicEmbeddings(), vector_name="theirs")
    two.add_texts(["A quiet inn."])
    retriever = ConstraintRetriever.over(two, vector_names={"compatibility": "other"})
    assert set(retriever.index.vectors) == {"topical", "compatibility"}
    [result] = retriever.invoke("A quiet inn.", policy="topical")
    assert result.metadata["relevance_score"] == pytest.approx(1.0, abs=1e-5)
    theirs.client.close()
