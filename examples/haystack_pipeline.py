"""Haystack pipelines that respect what the question rules out: one that indexes, one that asks.

python examples/haystack_pipeline.py ["your question"]

Nothing answers: the second pipeline ends with the prompt. Connect a generator of yours behind it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # else Haystack sends statistics

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.writers import DocumentWriter
from haystack_logic_retrievers import (
    CompatibilityRanker,
    ConstraintRetriever,
    ContradictionFilter,
    LogicDocumentStore,
)

from logic_retrievers import read_documents

QUESTION = "Where can I stay near the harbour, but not above a nightclub?"
PROMPT = """Answer from this:
{% for document in documents %}[{{ document.id }}] {{ document.content }}
{% endfor %}
Question: {{ query }}"""


def main() -> None:
    """Index, ask, show the evidence; then ask the pipeline that was saved and loaded."""
    question = " ".join(sys.argv[1:]) or QUESTION
    with tempfile.TemporaryDirectory() as folder:
        indexing = Pipeline()
        indexing.add_component("writer", DocumentWriter(LogicDocumentStore("stays", folder)))
        documents = [
            Document(id=passage.id, content=passage.text, meta=dict(passage.metadata))
            for passage in read_documents(Path(__file__).parent / "corpus")
        ]
        print(indexing.run({"writer": {"documents": documents}}))

        asking = question_pipeline(folder)
        given = {name: {"query": question} for name in ("retriever", "ranker", "prompt")}
        told = asking.run(given, include_outputs_from={"contradictions"})
        print(told["prompt"]["prompt"], "\n\nWhy these passages:")
        for document in told["contradictions"]["documents"]:
            print(f"  {document.id}: {document.meta['logic']['reason']}")

        loaded = Pipeline.loads(asking.dumps())
        again = loaded.run(given)
        print("The loaded pipeline says the same:", again["prompt"] == told["prompt"])
        for pipeline in (indexing, asking, loaded):
            pipeline.close()


def question_pipeline(folder: str) -> Pipeline:
    """Search, rank, keep contradictions out, write the prompt."""
    store = LogicDocumentStore("stays", folder)
    pipeline = Pipeline()
    pipeline.add_component("retriever", ConstraintRetriever(store, top_k=20))
    pipeline.add_component("ranker", CompatibilityRanker(policy="auto", document_store=store))
    pipeline.add_component("contradictions", ContradictionFilter(top_k=4))
    pipeline.add_component("prompt", PromptBuilder(PROMPT, required_variables="*"))
    pipeline.connect("retriever.documents", "ranker.documents")
    pipeline.connect("ranker.documents", "contradictions.documents")
    pipeline.connect("contradictions.documents", "prompt.documents")
    return pipeline


if __name__ == "__main__":
    main()
