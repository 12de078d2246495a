"""Searches of the store by a vector and for diverse results, and index() with a record manager."""

from __future__ import annotations

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from langchain_logic_retrievers import LogicEmbeddings, LogicVectorStore

from logic_retrievers.errors import ConfigurationError, EmptyTextError, InputError

TEXTS = {
    "sea": "A quiet inn by the sea.",
    "shore": "A quiet inn by the seashore.",
    "coast": "A quiet guest house on the coast.",
    "hill": "A quiet hut on a hill with a view.",
    "bar": "A loud bar in the old town.",
}

QUERY = "a quiet inn by the sea"


@pytest.fixture(scope="module")
def store():
    made = LogicVectorStore.open("stays")
    made.add_documents(
        [Document(text, id=name, metadata={"hill": name == "hill"}) for name, text in TEXTS.items()]
    )
    yield made
    made.index.close()


def ids(documents: list[Document]) -> list[str]:
    return [str(document.id) for document in documents]


def expected(k: int, weight: float) -> list[str]:
    """What LangChain's own function chooses of all texts."""
    embeddings = LogicEmbeddings()
    query = np.array(embeddings.embed_query(QUERY))
    rows = embeddings.embed_documents(list(TEXTS.values()))
    order = np.argsort(-np.array(rows) @ query)
    names, sorted_rows = [list(TEXTS)[one] for one in order], [rows[one] for one in order]
    chosen = maximal_marginal_relevance(query, sorted_rows, lambda_mult=weight, k=k)
    return [names[one] for one in chosen]


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
async def test_diverse_results_are_langchains(store, weight):
    """Else a chain that moves to this store gets other documents for the same setting."""
    wanted = expected(3, weight)
    settings = {"k": 3, "lambda_mult": weight}
    vector = LogicEmbeddings().embed_query(QUERY)
    assert ids(store.max_marginal_relevance_search(QUERY, **settings)) == wanted
    assert ids(await store.amax_marginal_relevance_search(QUERY, **settings)) == wanted
    assert ids(store.max_marginal_relevance_search_by_vector(vector, **settings)) == wanted
    found = await store.amax_marginal_relevance_search_by_vector(vector, **settings)
    assert ids(found) == wanted
    retriever = store.as_retriever(search_type="mmr", search_kwargs=settings)
    assert ids(retriever.invoke(QUERY)) == ids(await retriever.ainvoke(QUERY)) == wanted


async def test_a_search_by_a_vector_is_plain_search(store):
    vector = LogicEmbeddings().embed_query(QUERY)
    wanted = ids(store.similarity_search(QUERY, 3, policy="topical"))
    assert ids(store.similarity_search_by_vector(vector, 3)) == wanted
    longer = [7 * value for value in vector]
    assert ids(await store.asimilarity_search_by_vector(longer, 3)) == wanted


def test_a_filter_holds(store):
    vector = LogicEmbeddings().embed_query(QUERY)
    where = {"hill": True}
    assert ids(store.similarity_search_by_vector(vector, 3, filter=where)) == ["hill"]
    assert ids(store.max_marginal_relevance_search(QUERY, 3, filter=where)) == ["hill"]
    assert ids(store.max_marginal_relevance_search_by_vector(vector, filter=where)) == ["hill"]


@pytest.mark.parametrize("vector", [[1.0], [0.0] * 384, "text"])
def test_what_is_no_vector_is_refused(store, vector):
    with pytest.raises(InputError, match="384 finite numbers"):
        store.similarity_search_by_vector(vector)


def test_numbers_out_of_range_are_refused(store):
    for settings in ({"k": 0}, {"lambda_mult": 1.5}, {"lambda_mult": "much"}):
        with pytest.raises(ConfigurationError):
            store.max_marginal_relevance_search(QUERY, **settings)
    with pytest.raises(EmptyTextError):
        store.max_marginal_relevance_search(" ")
