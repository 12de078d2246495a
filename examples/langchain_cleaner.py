"""A corpus kept clean with LangChain: what contradicts an approved rule is stored hidden.

python examples/langchain_cleaner.py [LEDGER]

The second night brings a newer rule, which hides the older one that was there; nothing is deleted.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_logic_retrievers import (
    ConstraintRetriever,
    CorpusCleaner,
    LogicVectorStore,
    document_key,
)

from logic_retrievers.conflicts import Ledger, Quarantine

QUESTION = "May I bring my dog to the office?"
RULE = ("Dogs are allowed in the office building.", {"status": "approved", "date": "2024-09-01"})
FIRST_NIGHT = [
    RULE,
    ("Dogs are not allowed in the office building.", {"date": "2022-05-02"}),
    ("Overtime is paid.", {"date": "2021-03-03"}),
    ("Visitors sign in at the desk of the office building.", {"date": "2023-03-03"}),
]
SECOND_NIGHT = [*FIRST_NIGHT, ("Overtime is not paid.", {"date": "2025-01-01"})]


def main() -> None:
    """Ingest twice, ask after each night, give one document back."""
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "ledger.sqlite"
        nights(Ledger(path))


def nights(ledger: Ledger) -> None:
    """Both nights, with one ledger of what was decided and why."""
    vectors = ("topical", "compatibility", "contradiction")  # the third one only where it is named
    store = LogicVectorStore.open("handbook", vectors=vectors)  # in memory; location="..." keeps it
    cleaner = CorpusCleaner(
        index=store.index,
        ledger=ledger,
        resolution="prefer_newest",
        trusted_filter={"status": "approved"},
    )
    records = InMemoryRecordManager("handbook")  # SQLRecordManager keeps it
    records.create_schema()
    for night, corpus in (("first", FIRST_NIGHT), ("second", SECOND_NIGHT)):
        documents = [Document(text, metadata=about) for text, about in corpus]
        report = index(
            cleaner.lazy_transform_documents(documents),
            records,
            store,
            key_encoder=document_key,  # a verdict makes no new document of an old one
            cleanup="full",
        )
        print(f"{night} night: {report['num_added']} added, {report['num_skipped']} skipped")
        for found in ConstraintRetriever(index=store.index, k=5).invoke(QUESTION):
            print(f"  {found.page_content}")

    print("\nHidden, and why:")
    quarantine = Quarantine(store.index, ledger)
    for held in quarantine.passages():
        why = held.entry.reason if held.entry else ""
        print(f"  {held.passage.text}\n    {why}")

    restored = quarantine.restore([quarantine.passages()[0].passage.id])
    print(f"\nGiven back by hand: {len(restored.restored)}, changed: {len(restored.changed)}")
    store.index.close()


if __name__ == "__main__":
    main()
