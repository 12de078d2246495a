"""Cleaned documents in real stores: ours, langchain-qdrant's, and index() with a record manager."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from contradicting_documents import AGAIN, COPPER, DOCUMENTS, DUTY, OPEN, SHUT, TAX, nameless
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_logic_retrievers import (
    ConstraintRetriever,
    CorpusCleaner,
    LogicEmbeddings,
    LogicVectorStore,
    document_key,
    open_index_over,
)
from langchain_qdrant import QdrantVectorStore
from placed import PlacedEncoder
from qdrant_client import QdrantClient, models

VECTORS = ("topical", "contradiction")

LOSE = {OPEN, DUTY, AGAIN}

STAY = {TAX, SHUT, COPPER}


@contextmanager
def empty_store(**settings):
    store = LogicVectorStore.open(encoder=PlacedEncoder(), vectors=VECTORS, **settings)
    with store.index:
        yield store


@contextmanager
def their_store():
    """langchain-qdrant's own store, with nothing in it, and the index over its collection."""
    encoder, client = PlacedEncoder(), QdrantClient(":memory:")
    vector = models.VectorParams(size=64, distance=models.Distance.COSINE)
    client.create_collection("theirs", vectors_config=vector)
    theirs = QdrantVectorStore(client, "theirs", LogicEmbeddings(encoder=encoder))
    with open_index_over(theirs, encoder=encoder) as passages:
        yield theirs, passages
    client.close()


def searched_texts(index, text="inn | open | q"):
    retriever = ConstraintRetriever(index=index, policy="topical", k=10)
    return {document.page_content for document in retriever.invoke(text)}


def newest(index, **settings):
    return CorpusCleaner(index=index, resolution="prefer_newest", **settings)


def records(name="records"):
    manager = InMemoryRecordManager(name)
    manager.create_schema()
    return manager


@pytest.fixture(params=["index", "aindex"])
def run(request):
    """Both functions over the cleaner's stream, called alike."""

    async def call(cleaner, documents, manager, store, **settings):
        settings = {"key_encoder": document_key, "cleanup": "full", **settings}
        if request.param == "index":
            return index(cleaner.lazy_transform_documents(documents), manager, store, **settings)
        return await aindex(
            cleaner.alazy_transform_documents(documents), manager, store, **settings
        )

    return call


def counts(report):
    return report["num_added"], report["num_skipped"], report["num_deleted"]


def test_our_store_hides_it_and_keeps_the_metadata_clean():
    """A verdict that is stored as metadata comes back as somebody's own; one that is lost, wrong"""
    with empty_store() as store:
        store.add_documents(newest(store.index).transform_documents(DOCUMENTS))
        assert store.index.count() == len(DOCUMENTS)
        assert searched_texts(store.index) == STAY
        assert {one.id for one in store.similarity_search("inn | open | q", k=10)} == STAY
        assert {one.id: one.metadata for one in store.get_by_ids([OPEN, SHUT])} == {
            document.id: document.metadata for document in DOCUMENTS if document.id in (OPEN, SHUT)
        }
        assert {passage.id for passage in store.index.scroll() if passage.quarantined} == LOSE


def test_their_store_keeps_it_in_the_metadata_where_our_index_looks():
    """A user of langchain-qdrant who cleans and still finds it would believe that it works."""
    with their_store() as (theirs, passages):
        judged = newest(passages).transform_documents(nameless())
        ids = [document_key(result) for result in judged]
        assert theirs.add_documents(judged, ids=ids) == ids
        assert theirs.client.count("theirs").count == len(DOCUMENTS)
        assert searched_texts(passages) == STAY
        assert {passage.text for passage in passages.scroll() if passage.quarantined} == LOSE
        retriever = ConstraintRetriever.over(theirs, encoder=PlacedEncoder(), k=10)
        assert {document.page_content for document in retriever.invoke("inn | open | q")} == STAY


@pytest.mark.parametrize("where", ["ours", "theirs"])
async def test_a_record_manager_sees_no_change_in_a_verdict(run, where):
    """Hashed with the verdict every document would be stored anew whenever a verdict changes."""
    with empty_store() as ours, their_store() as (theirs, passages):
        store, at = (ours, ours.index) if where == "ours" else (theirs, passages)
        manager = records()
        given = nameless()
        assert counts(await run(newest(at), given, manager, store)) == (6, 0, 0)
        assert searched_texts(at) == STAY
        mild = CorpusCleaner(index=at)
        assert counts(await run(mild, given, manager, store)) == (0, 6, 0)
        assert (
            searched_texts(at) == STAY
        )  # a milder policy shows nothing again; that is a person's to do
        plain = index(given, manager, store, key_encoder=document_key, cleanup="full")
        assert counts(plain) == (0, 6, 0)
        assert at.count() == len(DOCUMENTS)
