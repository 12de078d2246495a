"""A LangChain RAG chain whose retriever respects what the question rules out.

python examples/langchain_rag.py ["your question"]

Set CHAT_MODEL=openai:gpt-4.1-mini (or another that `init_chat_model` of the package `langchain`
knows) to ask a model; without it the chain shows the prompt that a model would get.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_logic_retrievers import ConstraintRetriever, LogicVectorStore

from logic_retrievers import read_documents

QUESTION = "Where can I stay near the harbour, but not above a nightclub?"
PROMPT = ChatPromptTemplate.from_template(
    "Answer from these passages alone, and name the one that you used.\n\n{context}\n\n"
    "Question: {question}"
)


def main() -> None:
    """Ingest, ask, answer."""
    question = " ".join(sys.argv[1:]) or QUESTION
    store = LogicVectorStore.open("examples")  # in memory; location="..." keeps it
    store.add_documents(
        [
            Document(passage.text, id=passage.id, metadata=dict(passage.metadata))
            for passage in read_documents(Path(__file__).parent / "corpus")
        ]
    )
    retriever = ConstraintRetriever(index=store.index, k=4)
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | PROMPT
        | chat_model()
        | StrOutputParser()
    )
    for piece in chain.stream(question):
        print(piece, end="", flush=True)
    print("\n\nWhy these passages:")
    for document in retriever.invoke(question):
        print(f"  {document.id}: {document.metadata['logic']['reason']}")


def joined(documents: Sequence[Document]) -> str:
    """The passages as a model reads them."""
    return "\n\n".join(f"[{document.id}] {document.page_content}" for document in documents)


def chat_model() -> Runnable[Any, Any]:
    """The model that CHAT_MODEL names, or an echo of the prompt."""
    name = os.environ.get("CHAT_MODEL")
    if name is None:
        return RunnableLambda(lambda prompt: f"(no CHAT_MODEL: the prompt)\n{prompt.to_string()}")
    from langchain.chat_models import init_chat_model

    return init_chat_model(name)


if __name__ == "__main__":
    main()
