"""LogicVectorStore: behaviour that the standard suite does not test."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import ConstraintRetriever, LogicEmbeddings, LogicVectorStore
from qdrant_client import QdrantClient, models

from logic_retrievers import CombinedEncoder, Passage
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import (
    BlankTextWarning,
    ConfigurationError,
    EmptyTextError,
    ExpressionError,
    FingerprintMismatchError,
    InputError,
    UnknownPolicyError,
)

EXPRESSION = '"a place by the harbour" AND NOT ("a loud bar" OR nightclub)'
PLAIN = "a quiet place by the harbour"


async def test_a_blank_document_is_left_out():
    """A blank page, known only by its hash, must not block the whole book."""
    texts = ["An inn.", " \u00ad", "", "A bar."]
    metadatas = [None, {"source": "book.pdf"}, {}, {"page": 4}]
    with LogicVectorStore.open("pages").index as index:
        store = LogicVectorStore(index)
        with pytest.warns(BlankTextWarning, match="2 of 4.* of 'book.pdf'"):
            made = await store.aadd_texts((text for text in texts), metadatas)
        assert len(set(made)) == 4
        assert store.get_by_ids(made) == [
            Document("An inn.", id=made[0]),
            Document("A bar.", id=made[3], metadata={"page": 4}),
        ]


@pytest.mark.parametrize(
    "settings",
    [
        {"filter": {"city": "Bergen"}},
        {"policy": "union"},
        {"min_score": 0.4},
        {"exclude": ["bars", "nightclub"], "hard": True},
        {"query_syntax": "expression"},
    ],
    ids=str,
)
async def test_searches_take_the_engines_settings(store, settings):
    """Ignoring a filter or policy is worse than refusing it."""
    query = EXPRESSION if "query_syntax" in settings else QUERY
    found = ConstraintRetriever.over(store, k=3, **settings).invoke(query)
    expected = [(one.id, one.metadata["relevance_score"]) for one in found]
    results = store.similarity_search_with_score(query, k=3, **settings)
    assert [(one.id, score) for one, score in results] == expected
    assert ids(await store.asimilarity_search(query, k=3, **settings)) == ids(found)
    retriever = store.as_retriever(search_kwargs={"k": 3, **settings})
    assert ids(retriever.invoke(query)) == ids(found)


async def test_searches_that_cannot_work_are_refused(store):
    """Dropping a misspelt setting would return the wrong documents."""
    with pytest.raises(ConfigurationError, match="flter"):
        store.similarity_search(QUERY, flter={"city": "Bergen"})
    with pytest.raises(ExpressionError):
        store.similarity_search("inns AND", query_syntax="expression")
    with pytest.raises(ConfigurationError):
        await store.asimilarity_search(EXPRESSION, policy="topical", query_syntax="expression")
    for settings in ({"k": 0}, {"lambda_mult": 1.5}, {"lambda_mult": "much"}):
        with pytest.raises(ConfigurationError):
            store.max_marginal_relevance_search(QUERY, **settings)
    with pytest.raises(EmptyTextError):
        store.max_marginal_relevance_search(" ")
    for vector in ([1.0], [0.0] * 384, "text"):
        with pytest.raises(InputError, match="384 finite numbers"):
            store.similarity_search_by_vector(vector)


def test_the_policy_of_the_store():
    """A store that forgets its policy answers like any other vector store."""
    with LogicVectorStore.open(policy="union").index as index:
        store = LogicVectorStore(index, policy="compatibility")
        store.add_documents(DOCUMENTS)
        expected = ConstraintRetriever(index=index, policy="compatibility").invoke(QUERY)
        assert ids(store.similarity_search(QUERY)) == ids(expected)
        with pytest.raises(UnknownPolicyError):
            LogicVectorStore(index, policy="unknown")


def test_relevance_scores_lie_between_0_and_1(store):
    """Otherwise LangChain warns, and a threshold of 0.5 means something else."""
    score = store._select_relevance_score_fn()
    assert [score(value) for value in (-1.3, -1.0, 0.0, 1.0, 1.1)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    by_threshold = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.6, "k": 6}
    )
    expected = [one for one, s in store.similarity_search_with_score(QUERY, k=6) if s >= 0.2]
    assert by_threshold.invoke(QUERY) == expected
    assert 0 < len(expected) < 6


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
async def test_diverse_results_are_langchains(store, weight):
    """A chain that moves to this store must get the same documents for the same setting."""
    query = np.array(LogicEmbeddings().embed_query(PLAIN))
    order = store.similarity_search(PLAIN, k=6, policy="topical")
    rows = LogicEmbeddings().embed_documents([document.page_content for document in order])
    chosen = maximal_marginal_relevance(query, rows, lambda_mult=weight, k=3)
    wanted = [order[one].id for one in chosen]
    settings, vector = {"k": 3, "lambda_mult": weight}, query.tolist()
    assert ids(store.max_marginal_relevance_search(PLAIN, **settings)) == wanted
    assert ids(store.max_marginal_relevance_search_by_vector(vector, **settings)) == wanted
    found = await store.amax_marginal_relevance_search_by_vector(vector, **settings)
    assert ids(found) == wanted
    retriever = store.as_retriever(search_type="mmr", search_kwargs=settings)
    assert ids(retriever.invoke(PLAIN)) == ids(await retriever.ainvoke(PLAIN)) == wanted


async def test_a_search_by_a_vector_is_plain_search(store):
    """A vector does not show a query's exclusions; its length means nothing."""
    vector = LogicEmbeddings().embed_query(PLAIN)
    wanted = ids(store.similarity_search(PLAIN, 3, policy="topical"))
    assert ids(store.similarity_search_by_vector(vector, 3)) == wanted
    longer = [7 * value for value in vector]
    assert ids(await store.asimilarity_search_by_vector(longer, 3)) == wanted
    where = {"n": 3}
    assert ids(store.similarity_search_by_vector(vector, filter=where)) == ["doc 3"]
    assert ids(store.max_marginal_relevance_search(PLAIN, filter=where)) == ["doc 3"]
    assert ids(store.max_marginal_relevance_search_by_vector(vector, filter=where)) == ["doc 3"]


async def test_ids_are_kept_made_and_given_back_in_order(store):
    """With wrong ids a caller later deletes the wrong documents."""
    made = store.add_texts(text for text in ("a", "b"))
    assert [UUID(one).version for one in made] == [4, 4]
    assert [document.page_content for document in store.get_by_ids(made)] == ["a", "b"]
    assert store.add_documents([Document("c", id="own"), Document("d")])[0] == "own"
    assert store.add_texts(["e"], [{"n": 1}], ids=["own"]) == ["own"]
    assert store.get_by_ids(["own"]) == [Document("e", id="own", metadata={"n": 1})]
    # ignoring `id=` would store a second copy under a new id
    with pytest.raises(TypeError, match="'id'"):
        store.add_documents(DOCUMENTS, id=["x"])
    with pytest.raises(TypeError, match="'id'"):
        await store.aadd_texts(["a"], id=["x"])


async def test_deleting_without_saying_what_deletes_nothing(store):
    """LangChain's `delete()` means everything, so a forgotten argument would delete all data."""
    with pytest.raises(InputError, match="exactly one"):
        store.delete()
    with pytest.raises(InputError, match="exactly one"):
        await store.adelete(None)
    with pytest.raises(InputError):
        store.delete(filter={})
    assert store.delete([]) is True
    assert store.index.count() == len(DOCUMENTS)
    assert store.delete(["doc 0", "unknown"]) is True
    assert store.delete(filter={"n": 1}) is True
    assert await store.adelete(filter={"city": "Bergen"}) is True
    assert {passage.id for passage in store.index.scroll()} == {"doc 4"}


def test_results_can_be_stored_again(store):
    """Filters would find stored evidence, and the next query would show it."""
    store.add_documents(ConstraintRetriever.over(store).invoke(QUERY))
    assert store.get_by_ids(ids(DOCUMENTS)) == DOCUMENTS


def test_embeddings_decide_the_encoder(tmp_path):
    """Both vectors must come from the user's model, not a different one."""
    for embedding in (None, LogicEmbeddings(vector="compatibility")):
        with LogicVectorStore.from_texts(["a"], embedding).index as index:
            assert index.encoder is default_encoder()
    theirs = DeterministicFakeEmbedding(size=8)
    place = {"location": str(tmp_path), "collection_name": "p"}
    store = LogicVectorStore.from_texts(["a"], theirs, identity="fake 1", **place)
    with store.index as index:
        assert index.vectors == ("topical", "compatibility", "lexical")
        assert index.encoder.specs["topical"].dimension == 8
        vector = np.array(theirs.embed_query("a"))
        unit = vector / np.linalg.norm(vector)
        assert store.embeddings.embed_query("a") == pytest.approx(unit)
    with pytest.raises(FingerprintMismatchError):
        LogicVectorStore.from_texts(["a"], theirs, identity="fake 2", **place)
    with pytest.raises(ConfigurationError, match="identity="):
        LogicVectorStore.from_texts(["a"], theirs)


def test_a_store_without_topical_vectors_has_no_embeddings():
    """LangChain asks every store; an error would break `as_retriever`."""
    alone = CombinedEncoder([(default_encoder(), {"compatibility": "compatibility"})])
    with LogicVectorStore.open(encoder=alone, policy="compatibility").index as index:
        store = LogicVectorStore(index, "compatibility")
        assert store.embeddings is None
        index.add([Passage("a", "A quiet inn.")])
        assert ids(store.as_retriever().invoke("inn")) == ["a"]


async def test_opening_with_settings():
    """An unshared client, or a dropped tenant, shows other users' documents."""
    client = QdrantClient(":memory:")
    settings = {"client": client, "collection": "p", "policy": "union"}
    mine = LogicVectorStore.from_texts(["mine"], ids=["x"], tenant="me", **settings)
    theirs = await LogicVectorStore.afrom_texts(["theirs"], ids=["x"], tenant="you", **settings)
    assert mine.index.client is client
    assert mine.engine.policy.name == theirs.engine.policy.name == "union"
    assert [one.page_content for one in mine.similarity_search("a", k=5)] == ["mine"]
    assert [one.page_content for one in await theirs.asimilarity_search("a", k=5)] == ["theirs"]
    opened = await LogicVectorStore.aopen("p", client=client, all_tenants=True)
    assert opened.index.count() == 2
    client.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"url": "http://localhost:6333"}, r"'url'.*location="),
        ({"collection": "a", "collection_name": "b"}, "Name the collection once"),
        ({"encoder": default_encoder}, r"'encoder'.*embedding="),
    ],
    ids=["url", "two names", "encoder"],
)
async def test_bad_settings_are_refused_before_anything_is_opened(settings, words):
    """Ignoring `url=`, langchain-qdrant's name, would put the documents in memory and lose them."""
    with pytest.raises(ConfigurationError, match=words):
        LogicVectorStore.from_texts(["a"], **settings)
    with pytest.raises(ConfigurationError, match=words):
        await LogicVectorStore.afrom_documents(DOCUMENTS, **settings)


async def test_an_index_that_could_not_be_filled_is_closed(tmp_path):
    """A lock left on the folder would block the next attempt."""
    text, place = "half \ud800", {"location": str(tmp_path)}
    with pytest.raises(InputError) as first:  # a logged error keeps the store alive
        LogicVectorStore.from_texts([text], **place)
    with pytest.raises(InputError) as second:
        await LogicVectorStore.afrom_texts([text], **place)
    with pytest.raises(InputError):
        LogicVectorStore.from_texts([text], **place)
    del first, second


async def test_langchain_qdrants_names_work(store):
    """A user who swaps the class keeps the call."""
    ours = {"min_score": 0.3, "params": {"exact": True}, "offset": 1}
    theirs = {
        "score_threshold": 0.3,
        "search_params": models.SearchParams(exact=True),
        "offset": 1,
    }
    embedding = store.embeddings.embed_query(PLAIN)
    for search, asked in (
        (store.similarity_search, PLAIN),
        (store.similarity_search_with_score, PLAIN),
        (store.similarity_search_by_vector, embedding),
    ):
        found = search(asked, 3, **theirs)
        assert found == search(asked, 3, **ours) == search(asked, 4, min_score=0.3)[1:] != []
    wanted = store.similarity_search(PLAIN, 3, **theirs)
    assert await store.asimilarity_search(PLAIN, 3, **theirs) == wanted
    for search, asked in (
        (store.similarity_search, PLAIN),
        (store.similarity_search_by_vector, embedding),
    ):
        with pytest.raises(ConfigurationError, match="score_threshold"):
            search(asked, 3, score_threshold=0.3, min_score=0.3)
        with pytest.raises(ConfigurationError, match="search_params"):
            search(asked, 3, search_params=None, params=None)
    with pytest.raises(ConfigurationError, match="scores"):
        store.similarity_search_by_vector(embedding, scores=0.3)
