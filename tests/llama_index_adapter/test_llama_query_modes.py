"""LlamaIndex's query modes over our vectors."""

from __future__ import annotations

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.indices.query.embedding_utils import get_top_k_mmr_embeddings
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQueryMode as Mode
from llama_index_logic_retrievers import LogicVectorStore

from logic_retrievers import AutoPolicy, Engine
from logic_retrievers.errors import ConfigurationError

TEXTS = {
    "sea": "A quiet inn by the sea.",
    "shore": "A quiet inn by the seashore.",
    "coast": "A quiet guest house on the coast.",
    "hill": "A quiet hut on a hill with a view.",
    "bar": "A loud bar in the old town, number QX7.",
}
QUERY = "a quiet inn by the sea"
EXCLUDING = "a quiet place, but not by the sea"


@pytest.fixture(scope="module")
def store():
    made = LogicVectorStore.open("stays")
    made.add([TextNode(id_=name, text=text) for name, text in TEXTS.items()])
    yield made
    made.index.close()


def found(store, mode, text=QUERY, k=3, **settings):
    index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    retriever = index.as_retriever(similarity_top_k=k, vector_store_query_mode=mode, **settings)
    return retriever, [one.node.node_id for one in retriever.retrieve(text)]


@pytest.mark.parametrize("threshold", [0.2, 0.5, 1.0])
async def test_mmr_chooses_what_llama_index_chooses(store, threshold):
    """Else an index that moves to this store gives other nodes for the same setting."""
    embed = store.embed_model
    order = [hit.passage.id for hit in Engine(store.index, "topical").search(QUERY, 5)]
    _, wanted = get_top_k_mmr_embeddings(
        embed.get_query_embedding(QUERY),
        embed.get_text_embedding_batch([TEXTS[name] for name in order]),
        similarity_top_k=3,
        embedding_ids=order,
        mmr_threshold=threshold,
    )
    settings = {"vector_store_kwargs": {"mmr_threshold": threshold}}
    retriever, ids = found(store, Mode.MMR, **settings)
    assert ids == wanted
    assert [one.node.node_id for one in await retriever.aretrieve(QUERY)] == wanted


def test_hybrid_is_auto_over_hybrid_search(store):
    """Words count, and what a query rules out is still moved down."""
    _, names = found(store, Mode.HYBRID, "QX7", k=1)
    assert names == ["bar"]
    _, ids = found(store, Mode.HYBRID, EXCLUDING)
    hits = Engine(store.index, AutoPolicy(base="hybrid")).search(EXCLUDING, 3)
    assert ids == [hit.passage.id for hit in hits]
    assert not {"sea", "shore"} & set(ids[:2])


@pytest.mark.parametrize("mode", [Mode.TEXT_SEARCH, Mode.SPARSE])
def test_words_alone(store, mode):
    _, ids = found(store, mode, "QX7", k=2)
    hits = Engine(store.index, "lexical").search("QX7", 2)
    assert ids == [hit.passage.id for hit in hits]
    assert ids[0] == "bar"


def test_a_policy_of_the_query_counts_more_than_the_mode(store):
    _, ids = found(store, Mode.MMR, EXCLUDING, k=1, vector_store_kwargs={"policy": "auto"})
    assert ids == [Engine(store.index).search(EXCLUDING, 1)[0].passage.id]


def test_other_modes_and_numbers_are_refused(store):
    with pytest.raises(ConfigurationError, match="no query mode 'svm'; it has default, hybrid"):
        found(store, Mode.SVM)
    with pytest.raises(ConfigurationError, match="relevance"):
        found(store, Mode.MMR, vector_store_kwargs={"mmr_threshold": 2.0})
