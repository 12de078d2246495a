"""LogicVectorStore: behaviour that the standard suite does not test."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import (
    ConstraintRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)
from qdrant_client import QdrantClient

from logic_retrievers import Passage
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import (
    BlankTextWarning,
    ConfigurationError,
    ExpressionError,
    FingerprintMismatchError,
    InputError,
    UnknownPolicyError,
)


def _unit(vector):
    return np.array(vector) / np.linalg.norm(vector)


EXPRESSION = '"a place by the harbour" AND NOT ("a loud bar" OR nightclub)'


async def test_a_blank_document_is_left_out():
    """One blank page keeps the whole book out, and is known by a hash alone."""
    texts = ["An inn.", " \u00ad", "", "A bar."]
    metadatas = [None, {"source": "book.pdf"}, {}, {"page": 4}]
    store = LogicVectorStore.open("pages")
    with pytest.warns(BlankTextWarning, match="2 of 4.* of 'book.pdf'"):
        ids = await store.aadd_texts(texts, metadatas)
    stored = store.get_by_ids(ids)
    assert len(set(ids)) == 4
    assert [(one.id, one.page_content) for one in stored] == [
        (ids[0], "An inn."), (ids[3], "A bar."),
    ]  # fmt: skip
    assert [one.metadata for one in stored] == [{}, {"page": 4}]
    store.index.close()


def test_searches_take_the_engines_settings(store):
    """A filter or policy that a store swallows is worse than one that it refuses."""
    retriever = ConstraintRetriever.over(store, k=3)
    for settings in (
        {"filter": {"city": "Bergen"}},
        {"policy": "union"},
        {"min_score": 0.4},
        {"exclude": ["bars", "nightclub"], "hard": True},
    ):
        expected = retriever.invoke(QUERY, **settings)
        results = store.similarity_search_with_score(QUERY, k=3, **settings)
        assert [(one.id, score) for one, score in results] == [
            (one.id, one.metadata["relevance_score"]) for one in expected
        ]
    with pytest.raises(TypeError, match="flter"):
        store.similarity_search(QUERY, flter={"city": "Bergen"})


def test_the_policy_of_the_store():
    """A store that forgets its policy answers as any other vector store does."""
    with LogicVectorStore.open(policy="union").index as index:
        store = LogicVectorStore(index, policy="compatibility")
        store.add_documents(DOCUMENTS)
        expected = ConstraintRetriever(index=index, policy="compatibility").invoke(QUERY)
        assert ids(store.similarity_search(QUERY)) == ids(expected)
        with pytest.raises(UnknownPolicyError):
            LogicVectorStore(index, policy="unknown")


def test_relevance_scores_lie_between_0_and_1(store):
    """LangChain warns, and a threshold of 0.5 means something else."""
    score = store._select_relevance_score_fn()
    assert [score(value) for value in (-1.3, -1.0, 0.0, 1.0, 1.1)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    by_threshold = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.6, "k": 6}
    )
    expected = [one for one, s in store.similarity_search_with_score(QUERY, k=6) if s >= 0.2]
    assert by_threshold.invoke(QUERY) == expected
    assert 0 < len(expected) < 6


def test_ids_are_kept_made_and_given_back_in_order():
    """A caller who stores the ids deletes the wrong documents later."""
    with LogicVectorStore.open().index as index:
        store = LogicVectorStore(index)
        made = store.add_texts(["a", "b"])
        assert [UUID(one).version for one in made] == [4, 4]
        assert [document.page_content for document in store.get_by_ids(made)] == ["a", "b"]
        mixed = store.add_documents([Document("c", id="own"), Document("d")])
        assert mixed[0] == "own"
        assert store.add_texts(["e"], [{"n": 1}], ids=["own"]) == ["own"]
        assert store.get_by_ids(["own"]) == [Document("e", id="own", metadata={"n": 1})]
        assert index.count() == 4


async def test_a_misspelt_setting_is_refused(store):
    """`id=` that is ignored stores a second copy under a new id."""
    with pytest.raises(TypeError, match="'id'"):
        store.add_documents(DOCUMENTS, id=["x"])
    with pytest.raises(TypeError, match="'id'"):
        await store.aadd_texts(["a"], id=["x"])


async def test_deleting_without_saying_what_deletes_nothing(store):
    """LangChain's interface reads `delete()` as everything; one forgotten argument, no data."""
    with pytest.raises(InputError, match="exactly one"):
        store.delete()
    with pytest.raises(InputError, match="exactly one"):
        await store.adelete(None)
    with pytest.raises(InputError):
        store.delete(filter={})
    assert store.delete([]) is True
    assert store.index.count() == len(DOCUMENTS)
    assert store.delete(["doc 0", "unknown"]) is True
    assert await store.adelete(filter={"city": "Bergen"}) is True
    assert {passage.id for passage in store.index.scroll()} == {"doc 1", "doc 4"}


def test_results_can_be_stored_again(store):
    """Evidence in the store would be found by filters and shown with the next query."""
    results = ConstraintRetriever.over(store).invoke(QUERY)
    store.add_documents(results)
    assert store.get_by_ids(ids(DOCUMENTS)) == DOCUMENTS


def test_embeddings_decide_the_encoder(tmp_path):
    """Vectors of another model than the user's, or one of the two alone."""
    with LogicVectorStore.from_texts(["a"]).index as index:
        assert index.encoder is default_encoder()
    with LogicVectorStore.from_texts(["a"], LogicEmbeddings(vector="compatibility")).index as index:
        assert index.encoder is default_encoder()
    theirs = DeterministicFakeEmbedding(size=8)
    place = {"location": str(tmp_path), "collection_name": "p"}
    store = LogicVectorStore.from_texts(["a"], theirs, identity="fake 1", **place)
    with store.index as index:
        assert index.vectors == ("topical", "compatibility", "lexical")
        assert index.encoder.specs["topical"].dimension == 8
        assert store.embeddings.embed_query("a") == pytest.approx(_unit(theirs.embed_query("a")))
    with pytest.raises(FingerprintMismatchError):
        LogicVectorStore.from_texts(["a"], theirs, identity="fake 2", **place)
    with pytest.raises(ConfigurationError, match="identity="):
        LogicVectorStore.from_texts(["a"], theirs)


async def test_opening_with_settings():
    """A client that is not shared, or a tenant that is dropped, shows other people's documents."""
    client = QdrantClient(":memory:")
    settings = {"client": client, "collection": "p", "policy": "union"}
    mine = LogicVectorStore.from_texts(["mine"], ids=["x"], tenant="me", **settings)
    theirs = await LogicVectorStore.afrom_texts(["theirs"], ids=["x"], tenant="you", **settings)
    assert mine.index.client is client
    assert mine.engine.policy.name == theirs.engine.policy.name == "union"
    assert [document.page_content for document in mine.similarity_search("a", k=5)] == ["mine"]
    assert [document.page_content for document in await theirs.asimilarity_search("a", k=5)] == [
        "theirs"
    ]
    opened = await LogicVectorStore.aopen("p", client=client, all_tenants=True)
    assert opened.index.count() == 2
    client.close()


async def test_bad_settings_are_refused_before_anything_is_opened():
    """`url=` is how langchain-qdrant says it; ignored, the documents go to memory and are lost."""
    with pytest.raises(ConfigurationError, match=r"'url'.*location="):
        LogicVectorStore.from_texts(["a"], url="http://localhost:6333")
    twice = {"collection": "a", "collection_name": "b"}
    with pytest.raises(ConfigurationError, match="Name the collection once"):
        LogicVectorStore.from_documents(DOCUMENTS, **twice)
    with pytest.raises(ConfigurationError, match="Name the collection once"):
        await LogicVectorStore.afrom_texts(["a"], **twice)
    with pytest.raises(ConfigurationError, match=r"'encoder'.*embedding="):
        LogicVectorStore.from_texts(["a"], encoder=default_encoder())
    with pytest.raises(ConfigurationError, match=r"'encoder'.*embedding="):
        await LogicVectorStore.afrom_documents(DOCUMENTS, encoder=default_encoder())


async def test_an_index_that_could_not_be_filled_is_closed(tmp_path):
    """A lock that stays on the folder keeps the next attempt out."""
    text = "half \ud800"
    kept = []  # errors that a log keeps hold the store alive
    for _ in range(2):
        with pytest.raises(InputError) as failure:
            LogicVectorStore.from_texts([text], location=str(tmp_path))
        kept.append(failure)
        with pytest.raises(InputError) as failure:
            await LogicVectorStore.afrom_texts([text], location=str(tmp_path))
        kept.append(failure)


def test_a_store_without_topical_vectors_has_no_embeddings():
    """LangChain asks every store; an error would break `as_retriever`."""
    encoder = LogicEmbeddings(vector="compatibility").source
    from logic_retrievers import CombinedEncoder

    alone = CombinedEncoder([(encoder, {"compatibility": "compatibility"})])
    with LogicVectorStore.open(encoder=alone, policy="compatibility").index as index:
        store = LogicVectorStore(index, "compatibility")
        assert store.embeddings is None
        index.add([Passage("a", "A quiet inn.")])
        assert ids(store.as_retriever().invoke("inn")) == ["a"]


async def test_texts_of_a_generator_are_stored(store):
    """LangChain's own `add_texts` counts them first and then finds the generator empty."""
    assert len(store.add_texts(text for text in ("one", "two"))) == 2
    assert len(await store.aadd_texts(text for text in ("three", "four"))) == 2
    assert store.index.count() == len(DOCUMENTS) + 4


async def test_the_searches_of_a_store(store):
    """`as_retriever` hands its search_kwargs on."""
    expected = ids(ConstraintRetriever.over(store, query_syntax="expression").invoke(EXPRESSION))
    asked = {"query_syntax": "expression"}
    assert ids(store.similarity_search(EXPRESSION, **asked)) == expected
    assert ids(await store.asimilarity_search(EXPRESSION, **asked)) == expected
    assert ids(store.as_retriever(search_kwargs=asked).invoke(EXPRESSION)) == expected
    with pytest.raises(ExpressionError):
        store.similarity_search("inns AND", **asked)
    with pytest.raises(ConfigurationError):
        LogicVectorStore(store.index, "topical").similarity_search(EXPRESSION, **asked)
    with pytest.raises(ConfigurationError):
        await store.asimilarity_search(EXPRESSION, policy="topical", **asked)
