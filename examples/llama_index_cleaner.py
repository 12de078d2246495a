"""A LlamaIndex pipeline that stores what contradicts an approved rule hidden.

python examples/llama_index_cleaner.py [LEDGER]

A document store skips what has not changed; what has changed is judged anew.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index_logic_retrievers import ConstraintRetriever, CorpusCleaner, LogicVectorStore

from logic_retrievers import Splitter
from logic_retrievers.conflicts import Ledger, Quarantine

QUESTION = "May I bring my dog to the office?"
HANDBOOK = {
    "rule": ("Dogs are allowed in the office building.", {"status": "approved"}),
    "forum": ("Dogs are not allowed in the office building.", {"status": "draft"}),
    "desk": ("Visitors sign in at the desk of the office building.", {"status": "draft"}),
}
CORRECTED = {
    **HANDBOOK,
    "forum": ("Dogs and cats are allowed in the office building.", {"status": "draft"}),
}


def main() -> None:
    """Ingest, ask, see what is hidden, ingest what was corrected."""
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "ledger.sqlite"
        nights(Ledger(path))


def nights(ledger: Ledger) -> None:
    """Both runs, with one ledger of what was decided and why."""
    vectors = ("topical", "compatibility", "contradiction")  # the third one only where it is named
    store = LogicVectorStore.open("handbook", vectors=vectors)  # in memory; location="..." keeps it
    cleaner = CorpusCleaner(
        store.index,
        ledger=ledger,
        trusted_filter={"status": "approved"},
        against_trusted="quarantine",
    )
    fit = Splitter.for_encoder(store.index.encoder)
    splitter = SentenceSplitter(
        chunk_size=fit.max_tokens, chunk_overlap=fit.max_tokens // 8, tokenizer=fit.token_spans
    )
    pipeline = IngestionPipeline(
        transformations=[
            splitter,
            cleaner,  # behind the splitter, before what embeds
            store.embed_model,
        ],
        docstore=SimpleDocumentStore(),
        vector_store=store,
    )
    for run, handbook in (("first", HANDBOOK), ("again", HANDBOOK), ("corrected", CORRECTED)):
        nodes = pipeline.run(documents=documents(handbook))
        hidden = [held.passage.text for held in Quarantine(store.index, ledger).passages()]
        print(f"{run}: {len(nodes)} nodes judged; hidden: {hidden}")
        for node in nodes:
            for finding in node.metadata.get("logic", {}).get("cleaning", {}).get("findings", []):
                print(f"  {node.ref_doc_id}: {finding['kind']}, {finding['reason']}")
        for found in ConstraintRetriever(store.index, similarity_top_k=5).retrieve(QUESTION):
            print(f"  found: {found.node.get_content()}")
    store.index.close()


def documents(handbook: dict[str, tuple[str, dict[str, str]]]) -> list[Document]:
    """What a reader gives; no model reads the status."""
    return [
        Document(text=text, doc_id=name, metadata=about, excluded_embed_metadata_keys=["status"])
        for name, (text, about) in handbook.items()
    ]


if __name__ == "__main__":
    main()
