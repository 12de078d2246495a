"""A LlamaIndex query engine whose context contradicts nothing that the user vouches for.

python examples/llama_index_contradictions.py ["your question"]

Without a model of your own the engine's MockLLM gives the prompt back.
"""

from __future__ import annotations

import sys

from llama_index.core.llms import LLM, MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicVectorStore,
)

QUESTION = "Is overtime paid?"
RULE = TextNode(id_="rule", text="Overtime is paid.", metadata={"status": "approved"})
FORUM = {
    "no": "Overtime is not paid.",
    "plan": "Overtime is entered in the calendar by the end of the week.",
    "lead": "Overtime has to be agreed with the team lead.",
    "desk": "Visitors sign in at the desk and get a yellow badge.",
}


def main() -> None:
    """Ingest, ask, show what was left out and why."""
    question = " ".join(sys.argv[1:]) or QUESTION
    vectors = ("topical", "compatibility", "contradiction")  # the third one only where it is named
    store = LogicVectorStore.open("handbook", vectors=vectors)  # in memory; location="..." keeps it
    store.add([RULE, *(TextNode(id_=name, text=text) for name, text in FORUM.items())])

    # more than the context shall hold: what is dropped is replaced by the next
    retriever = ConstraintRetriever(store.index, similarity_top_k=10)
    trusting = ContradictionFilter(
        index=store.index, trusted_filter={"status": "approved"}, top_n=3
    )
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=language_model(), node_postprocessors=[trusting]
    )
    answer = engine.query(question)
    print(f"{answer}\n\nWhy these passages:")
    for source in answer.source_nodes:
        why = source.node.metadata["logic"]["contradiction"]["reason"]
        print(f"  {source.node.node_id}: {why}")

    print("\nLeft out:")
    for hit in trusting.filter(retriever.retrieve(question)).dropped:
        print(f"  {hit.passage.id} {hit.evidence.reason}")

    print(f"\nWhat contradicts {RULE.node_id!r}:")
    for found in ContradictionRetriever(store.index, similarity_top_k=1).like(RULE.node_id):
        print(f"  {found.node.node_id} {found.node.metadata['logic']['reason']}")
    store.index.close()


def language_model() -> LLM:
    """Put your model here, such as OpenAI(...) of llama-index-llms-openai."""
    return MockLLM()


if __name__ == "__main__":
    main()
