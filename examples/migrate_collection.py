"""An existing collection with one vector a document gets the second one, in place.

python examples/migrate_collection.py

Here LangChain's QdrantVectorStore makes the collection; a LlamaIndex one goes the same way with
`llama_index_logic_retrievers.ConstraintRetriever.over`. Your vectors and your model stay.
"""

from __future__ import annotations

from pathlib import Path

from langchain_logic_retrievers import ConstraintRetriever, LogicEmbeddings
from langchain_qdrant import QdrantVectorStore

from logic_retrievers import read_documents

QUESTION = "a walk with no steps that is possible in a wheelchair"


def main() -> None:
    """Before, the migration, after."""
    passages = list(read_documents(Path(__file__).parent / "corpus"))
    existing = QdrantVectorStore.from_texts(
        [passage.text for passage in passages],
        LogicEmbeddings(),  # stands for the embedding model that you have
        [{"label": passage.id} for passage in passages],
        location=":memory:",
        collection_name="docs",
    )
    retriever = ConstraintRetriever.over(existing, k=4)
    show("before", retriever)

    retriever.index.backfill(
        ["compatibility"],
        progress=lambda progress: print(f"  {progress.done} of {len(passages)} filled"),
    )
    show("after", retriever)
    (first, *_) = existing.similarity_search(QUESTION, k=1)
    print(f"the old store still works: {first.metadata['label']}")


def show(when: str, retriever: ConstraintRetriever) -> None:
    """The first hits and why."""
    print(f"{when}, with the vectors {', '.join(retriever.index.vectors)}:")
    for document in retriever.invoke(QUESTION):
        print(f"  {document.metadata['label']}: {document.metadata['logic']['reason']}")


if __name__ == "__main__":
    main()
