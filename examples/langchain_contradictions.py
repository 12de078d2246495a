"""A LangChain retriever whose passages do not contradict each other: of two, the newer one stays.

python examples/langchain_contradictions.py ["your question"]
"""

from __future__ import annotations

import sys

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_logic_retrievers import (
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicVectorStore,
)

QUESTION = "May I bring my dog to the office?"
HANDBOOK = [
    ("2022", "Dogs are not allowed in the office building.", "2022-05-02"),
    ("2024", "Dogs are allowed in the office building.", "2024-09-01"),
    ("desk", "Visitors sign in at the desk of the office building.", "2023-03-03"),
    ("lift", "Of the lifts in the office building, only car B stops at the garage.", "2023-03-03"),
    ("home", "Days at home are agreed with the team and entered in the calendar.", "2021-09-01"),
]


def main() -> None:
    """Ingest, retrieve, filter, explain."""
    question = " ".join(sys.argv[1:]) or QUESTION
    vectors = ("topical", "compatibility", "contradiction")  # the third one only where it is named
    store = LogicVectorStore.open("handbook", vectors=vectors)  # in memory; location="..." keeps it
    store.add_documents(
        [Document(text, id=name, metadata={"date": date}) for name, text, date in HANDBOOK]
    )

    # more than the context shall hold: what is dropped is replaced by the next
    retriever = ConstraintRetriever(index=store.index, k=10)
    contradictions = ContradictionFilter(index=store.index, resolution="prefer_newest", top_n=3)
    consistent = RunnableParallel(
        documents=retriever, query=RunnablePassthrough()
    ) | RunnableLambda(lambda found: contradictions.compress_documents(**found))

    print(f"{question}\n\nThe context:")
    for document in consistent.invoke(question):
        why = document.metadata["logic"]["contradiction"]["reason"]
        print(f"  {document.id} ({document.metadata['date']}): {document.page_content}\n    {why}")

    print("\nLeft out:")
    for hit in contradictions.filter(retriever.invoke(question)).dropped:
        print(f"  {hit.passage.id} {hit.evidence.reason}")

    claim = "Dogs are never allowed in the office building."
    print(f"\nWhat contradicts {claim!r}:")
    against = ContradictionRetriever(index=store.index, k=2)
    for document in against.invoke(claim):
        print(f"  {document.id} {document.metadata['logic']['reason']}")


if __name__ == "__main__":
    main()
