"""CorpusCleaner in an IngestionPipeline, with real stores behind: ours, and LlamaIndex's own."""

from __future__ import annotations

from contextlib import contextmanager
from uuid import NAMESPACE_DNS, uuid5

import pytest
from contradicting_nodes import ABOUT, AGAIN, COPPER, DUTY, OPEN, SHUT, TAX, opposed
from llama_index.core import Document
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    CorpusCleaner,
    LogicEmbeddings,
    LogicVectorStore,
    open_index_over,
)
from placed import PlacedEncoder
from qdrant_client import QdrantClient, models

from logic_retrievers import PassageIndex
from logic_retrievers.cleaning import CorpusCleaner as Core
from logic_retrievers.errors import CleaningSkippedWarning

VECTORS = ("topical", "contradiction")
LOSE, STAY = {OPEN, DUTY, AGAIN}, {TAX, SHUT, COPPER}


@contextmanager
def empty_store(**settings):
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS, **settings) as index:
        yield LogicVectorStore(index)


def documents(*about, **fields):
    """What a reader gives: metadata that no model reads."""
    return [
        Document(
            doc_id=f"d {text}",
            text=text,
            metadata={"date": date, "source": source},
            excluded_embed_metadata_keys=["date", "source"],
            **fields,
        )
        for text, date, source in about or ABOUT
    ]


def pipeline(store, cleaner=None, **settings):
    cleaner = cleaner or CorpusCleaner(store.index, resolution="prefer_newest")
    splitter = TokenTextSplitter(chunk_size=200, chunk_overlap=0)
    return IngestionPipeline(
        transformations=[splitter, cleaner, store.embed_model], vector_store=store, **settings
    )


def searched_texts(index, text="inn | open | q"):
    nodes = ConstraintRetriever(index, "topical", similarity_top_k=20).retrieve(text)
    return {result.node.get_content() for result in nodes}


def test_our_store_hides_what_loses_and_keeps_its_metadata_clean():
    with empty_store() as store:
        nodes = pipeline(store).run(documents=documents())
        assert len(nodes) == store.index.count() == len(ABOUT)
        assert searched_texts(store.index) == STAY
        assert {passage.text for passage in store.index.scroll() if passage.quarantined} == LOSE
        assert all("logic" not in node.metadata for node in store.get_nodes())
        assert {node.hash for node in store.get_nodes()} == {node.hash for node in nodes}


@pytest.mark.parametrize("strategy", list(DocstoreStrategy))
def test_a_document_store_skips_what_has_not_changed(strategy):
    """A verdict that changes a hash would make every document new at every run."""
    with empty_store() as store:
        line = pipeline(store, docstore=SimpleDocumentStore(), docstore_strategy=strategy)
        line.run(documents=documents())
        assert searched_texts(store.index) == STAY
        assert line.run(documents=documents()) == []
        assert searched_texts(store.index) == STAY
        assert store.index.count() == len(ABOUT)


@pytest.mark.parametrize("strategy", ["upserts", "upserts_and_delete"])
def test_a_document_that_changed_is_judged_anew(strategy):
    """What it said before is gone from the store by then, and is held against nobody."""
    with empty_store() as store:
        line = pipeline(
            store, docstore=SimpleDocumentStore(), docstore_strategy=DocstoreStrategy(strategy)
        )
        line.run(documents=documents((OPEN, 2020, "blog"), (SHUT, 2024, "inn")))
        assert searched_texts(store.index) == {SHUT}
        changed = documents((OPEN, 2025, "blog"), (SHUT, 2024, "inn"))
        (node,) = line.run(documents=changed)
        assert "quarantined" not in node.metadata["logic"]
        assert searched_texts(store.index) == {OPEN}
        assert store.index.count() == 2


def test_a_failure_loses_no_document_and_a_later_cleaning_makes_up_for_it():
    """The old nodes are deleted before the cleaner runs; whatever fails then must not stop it."""

    def broken(one, other):
        raise RuntimeError("no such table")

    with empty_store() as store:
        line = pipeline(
            store, CorpusCleaner(store.index, resolution=broken), docstore=SimpleDocumentStore()
        )
        with pytest.warns(CleaningSkippedWarning, match="RuntimeError"):
            assert len(line.run(documents=documents())) == len(ABOUT)
        assert searched_texts(store.index) == LOSE | STAY
        Core(store.index, resolution="prefer_newest").clean()
        assert searched_texts(store.index) == STAY


def test_the_cache_knows_the_settings():
    """A verdict under another policy would come back from the cache."""
    cache = IngestionCache()

    def run(**settings):
        made = CorpusCleaner(encoder=PlacedEncoder(), **settings)
        nodes = IngestionPipeline(transformations=[made], cache=cache).run(nodes=opposed())
        return [node.node_id for node in nodes if node.metadata.get("logic", {}).get("quarantined")]

    assert run() == []
    assert set(run(resolution="prefer_newest")) == LOSE
    assert run() == []
    assert run(resolution="prefer_newest", date_key="on") == []
    order = {"resolution": "prefer_source", "source_order": ["blog", "press", "inn", "law"]}
    assert set(run(**order)) == {TAX, SHUT}
    assert set(run(resolution="prefer_newest")) == LOSE  # from the cache, and still the same


@contextmanager
def their_store():
    """LlamaIndex's own store over an empty collection, and our index over it."""
    encoder, client = PlacedEncoder(), QdrantClient(":memory:")
    vector = models.VectorParams(size=64, distance=models.Distance.COSINE)
    client.create_collection("theirs", vectors_config={"text-dense": vector})
    theirs = QdrantVectorStore("theirs", client=client)
    with open_index_over(theirs, encoder=encoder) as index:
        yield theirs, index
    client.close()


def theirs_fit():
    """Nodes under ids that their store takes."""
    nodes = opposed(excluded_embed_metadata_keys=["date", "source"])
    for node in nodes:
        node.id_ = str(uuid5(NAMESPACE_DNS, node.text))
    return nodes


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_their_store_keeps_the_verdict_where_our_index_looks():
    """A user of LlamaIndex's store who cleans and still finds it would believe that it works."""
    with their_store() as (theirs, index):
        line = IngestionPipeline(
            transformations=[
                CorpusCleaner(index, resolution="prefer_newest"),
                LogicEmbeddings(encoder=PlacedEncoder()),
            ],
            vector_store=theirs,
        )
        line.run(nodes=theirs_fit())
        assert theirs.client.count("theirs").count == len(ABOUT)
        assert searched_texts(index) == STAY
        assert {passage.text for passage in index.scroll() if passage.quarantined} == LOSE
        retriever = ConstraintRetriever.over(theirs, similarity_top_k=20, encoder=PlacedEncoder())
        assert {
            result.node.get_content() for result in retriever.retrieve("inn | open | q")
        } == STAY
