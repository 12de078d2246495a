"""Ingestion that can run every night: LlamaIndex's pipeline, and LangChain's `index()`.

python examples/ingestion_pipeline.py [FOLDER]

Both are run again with the same documents, and then nothing is encoded.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_logic_retrievers import LogicVectorStore as LangChainStore
from llama_index.core import Document as LlamaDocument
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index_logic_retrievers import LogicVectorStore as LlamaIndexStore

from logic_retrievers import Passage, Splitter, read_documents


def main() -> None:
    """Read the documents once, ingest them by either framework."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "corpus"
    passages = list(read_documents(folder))
    print(f"{len(passages)} documents in {folder.name}/")
    with_llama_index(passages)
    with_langchain(passages)


def with_llama_index(passages: list[Passage]) -> None:
    """A pipeline with a document store, which skips documents that have not changed."""
    store = LlamaIndexStore.open("nightly")
    fit = Splitter.for_encoder(store.index.encoder)
    splitter = SentenceSplitter(
        chunk_size=fit.max_tokens, chunk_overlap=fit.max_tokens // 8, tokenizer=fit.token_spans
    )
    pipeline = IngestionPipeline(
        transformations=[splitter, store.embed_model],
        docstore=SimpleDocumentStore(),
        vector_store=store,
    )
    documents = [LlamaDocument(text=p.text, id_=p.id, metadata=dict(p.metadata)) for p in passages]
    for run in ("first", "second"):
        begun = time.perf_counter()
        nodes = pipeline.run(documents=documents)
        seconds = time.perf_counter() - begun
        print(
            f"LlamaIndex, {run} run: {len(nodes)} nodes in {seconds:.1f} s, "
            f"{store.index.count()} stored"
        )


def with_langchain(passages: list[Passage]) -> None:
    """`index()` with a record manager, which also removes what is gone."""
    store = LangChainStore.open("nightly")
    records = InMemoryRecordManager("nightly")  # SQLRecordManager keeps it
    records.create_schema()
    documents = [Document(p.text, metadata={**p.metadata, "document": p.id}) for p in passages]
    for run, some in (("first", documents), ("second", documents), ("third", documents[1:])):
        begun = time.perf_counter()
        report = index(
            some,
            records,
            store,
            cleanup="full",
            source_id_key="document",
            key_encoder="sha256",
        )
        print(f"LangChain, {run} run: {report} in {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
