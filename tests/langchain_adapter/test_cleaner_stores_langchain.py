"""What a CorpusCleaner has judged, on its way into real stores: ours, langchain-qdrant's, index().

Nothing is mocked: embedded Qdrant keeps what is stored, and retrievers search it.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from contradicting_documents import AGAIN, COPPER, DOCUMENTS, DUTY, OPEN, SHUT, TAX, nameless
from langchain_core.documents import Document
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

from logic_retrievers.cleaning import Ledger, Quarantine

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


async def test_our_store_does_so_asynchronously():
    with empty_store() as store:
        await store.aadd_documents(await newest(store.index).atransform_documents(DOCUMENTS))
        assert searched_texts(store.index) == STAY


def test_restored_by_hand_it_comes_back_and_stays(tmp_path):
    """A person's word is the last one, also where the document is ingested again."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with empty_store() as store:
        cleaner = newest(store.index, ledger=ledger)
        store.add_documents(cleaner.transform_documents(DOCUMENTS))
        Quarantine(store.index, ledger).restore([OPEN])
        assert searched_texts(store.index) == {*STAY, OPEN}
        store.add_documents(cleaner.transform_documents(DOCUMENTS))
        assert searched_texts(store.index) == {*STAY, OPEN}


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


def test_their_stored_ones_are_hidden_when_something_newer_comes():
    with their_store() as (theirs, passages):
        old = nameless(DOCUMENTS[:1])
        theirs.add_documents(old, ids=[document_key(old[0])])
        assert searched_texts(passages) == {OPEN}
        new = newest(passages).transform_documents(nameless(DOCUMENTS[2:3]))
        theirs.add_documents(new, ids=[document_key(new[0])])
        assert searched_texts(passages) == {SHUT}


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


async def test_a_document_that_loses_later_is_hidden_though_it_is_skipped(run):
    """It is not written again, so that its flag has to reach the stored one."""
    with empty_store() as store:
        manager, given = records(), nameless()
        await run(newest(store.index), given[:1], manager, store)
        assert searched_texts(store.index) == {OPEN}
        told = await run(newest(store.index), [given[0], given[2]], manager, store)
        assert counts(told) == (1, 1, 0)
        assert searched_texts(store.index) == {SHUT}


async def test_what_index_stores_later_is_seen_by_the_next_batch(run):
    """index() stores in batches of its own; what lies between two of them must not be missed."""
    with empty_store() as store:
        given = nameless()
        given = [given[at] for at in (2, 1, 3, 0, 4, 5)]

        class Small(CorpusCleaner):
            def lazy_transform_documents(self, documents):
                return super().lazy_transform_documents(documents, batch_size=2)

            def alazy_transform_documents(self, documents):
                return super().alazy_transform_documents(documents, batch_size=2)

        small = Small(index=store.index, resolution="prefer_newest")
        told = await run(small, given, records(), store, batch_size=5)
        assert counts(told) == (6, 0, 0)
        assert searched_texts(store.index) == STAY


async def test_one_that_changed_is_judged_by_what_it_says_now(run):
    with empty_store() as store:
        manager = records()
        first = [*nameless(DOCUMENTS[2:3]), Document(OPEN, metadata={"date": 2020})]
        await run(newest(store.index), first, manager, store)
        assert searched_texts(store.index) == {SHUT}
        second = [first[0], Document(OPEN, metadata={"date": 2025})]
        assert counts(await run(newest(store.index), second, manager, store)) == (1, 1, 1)
        assert searched_texts(store.index) == {OPEN}
