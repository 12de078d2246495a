"""IngestionPipeline: cache, document store, workers."""

from __future__ import annotations

import pytest
from llama_index.core import Document
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    LogicVectorStore,
)
from llama_stubs import CountingEncoder

from logic_retrievers.errors import BlankTextWarning, InputError


def documents(*texts: str) -> list[Document]:
    return [Document(doc_id=f"d{i}", text=text) for i, text in enumerate(texts)]


def pipeline(store, **settings):
    return IngestionPipeline(
        transformations=[TokenTextSplitter(chunk_size=40, chunk_overlap=0), store.embed_model],
        vector_store=store,
        **settings,
    )


@pytest.mark.parametrize("strategy", list(DocstoreStrategy))
def test_a_pipeline_with_a_document_store(strategy):
    """Changed documents must not leave their old text, nor cause all to be embedded again."""
    encoder = CountingEncoder()
    store = LogicVectorStore.open(encoder=encoder)
    line = pipeline(store, docstore=SimpleDocumentStore(), docstore_strategy=strategy)
    line.run(documents=documents("A quiet inn.", "A loud bar.", "A mill."))
    assert store.index.count() == 3
    assert len(encoder.documents) == 6
    encoder.documents.clear()
    line.run(documents=documents("A quiet inn.", "A calm bar."))
    texts = {node.text for node in store.get_nodes()}
    assert set(encoder.documents) == {("topical", "A calm bar."), ("compatibility", "A calm bar.")}
    expected = {"A quiet inn.", "A calm bar."}
    if strategy == DocstoreStrategy.UPSERTS:
        expected |= {"A mill."}
    if strategy == DocstoreStrategy.DUPLICATES_ONLY:
        expected |= {"A mill.", "A loud bar."}
    assert texts == expected
    store.index.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Specified num_workers exceed number of CPUs")
def test_two_workers_give_what_one_gives(query):
    """A worker without the encoder would silently use the default one."""
    texts = [f"Room {i} of a quiet inn." for i in range(6)]
    results = []
    for workers in (None, 2):
        store = LogicVectorStore.open()
        pipeline(store).run(documents=documents(*texts), num_workers=workers)
        results.append(ConstraintRetriever(store.index, similarity_top_k=6).retrieve(query))
        store.index.close()
    one, two = ([(hit.node.text, round(hit.score, 5)) for hit in hits] for hits in results)
    assert one == two
    assert len(one) == 6


BAD = {
    "invisible": Document(doc_id="bad", text=" \u200b"),
    "unread": Document(doc_id="bad", text="\ufffd"),
    "object": Document(doc_id="bad", text="Page 3.", metadata={"open": object()}),
    "long id": Document(doc_id="bad" * 2000, text="Page 3."),
}


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_document_takes_no_good_one_with_it(kind, asynchronous):
    """When one is refused, LlamaIndex has already deleted all changed documents' old nodes."""
    store = LogicVectorStore.open()
    line = pipeline(store, docstore=SimpleDocumentStore())
    pages = [f"Page {n}." for n in range(3)]
    line.run(documents=documents(*pages))
    changed = [*documents(*(f"{page} It is new." for page in pages)), BAD[kind]]
    refused = kind in ("object", "long id")
    said = pytest.raises(InputError) if refused else pytest.warns(BlankTextWarning)
    with said as caught:
        await line.arun(documents=changed) if asynchronous else line.run(documents=changed)
    told = [caught.value] if refused else [warning.message for warning in caught]
    assert any("'bad" in str(each) for each in told)
    assert {node.text for node in store.get_nodes()} == {f"{page} It is new." for page in pages}
    store.index.close()
