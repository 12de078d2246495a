"""A LlamaIndex query engine over an index that respects what the question rules out.

python examples/llama_index_query_engine.py ["your question"]

Without a model of your own the engine's MockLLM gives the prompt back.
"""

from __future__ import annotations

import sys
from pathlib import Path

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)

from logic_retrievers import read_documents

QUESTION = "Where can I stay near the harbour, but not above a nightclub?"


def main() -> None:
    """Ingest, ask by two roads, show the evidence."""
    question = " ".join(sys.argv[1:]) or QUESTION
    store = LogicVectorStore.open("examples")  # in memory; location="..." keeps it
    nodes = [
        TextNode(text=passage.text, id_=passage.id, metadata=dict(passage.metadata))
        for passage in read_documents(Path(__file__).parent / "corpus")
    ]
    index = VectorStoreIndex(
        nodes,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=store.embed_model,
    )
    engine = RetrieverQueryEngine.from_args(
        ConstraintRetriever(store.index, similarity_top_k=4), llm=language_model()
    )
    answer = engine.query(question)
    print(f"{answer}\n\nWhy these passages:")
    for source in answer.source_nodes:
        print(f"  {source.node.node_id}: {source.node.metadata['logic']['reason']}")

    print("\nThe same question to an engine of your own, reranked:")
    reranker = CompatibilityReranker(policy="auto", top_n=4, index=store.index)
    found = index.as_retriever(similarity_top_k=20, vector_store_kwargs={"policy": "topical"})
    for hit in reranker.postprocess_nodes(found.retrieve(question), query_str=question):
        print(f"  {hit.node.node_id}: {hit.node.metadata['logic']['reason']}")


def language_model() -> LLM:
    """Put your model here, such as OpenAI(...) of llama-index-llms-openai."""
    return MockLLM()


if __name__ == "__main__":
    main()
