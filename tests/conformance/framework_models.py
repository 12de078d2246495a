"""One model as each framework offers it: chat model, reranker with scores, reranker with an order.

Each class records its calls: (query, texts) of a reranker, the conversation of a chat model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import haystack_logic_retrievers as haystack_adapter
import langchain_logic_retrievers as langchain_adapter
import llama_index_logic_retrievers as llama_index_adapter
from haystack import Document as HaystackDocument
from haystack import component
from haystack.components.generators.chat import MockChatGenerator
from langchain_classic.retrievers.document_compressors import CrossEncoderReranker
from langchain_core.cross_encoders import BaseCrossEncoder
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models.chat_models import SimpleChatModel
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.postprocessor.types import BaseNodePostprocessor

Calls = list[Any]


def relevance(query: str, text: str) -> float:
    """Share of the query's words in the text; it does not hear "without"."""
    wanted, has = (set(one.lower().strip(".").split()) for one in (query, text))
    return len(wanted & has) / len(wanted) - len(text) / 10_000


def best_first(query: str, texts: list[str]) -> list[str]:
    return sorted(texts, key=lambda text: relevance(query, text), reverse=True)


def verdict(message: str) -> str:
    """Answer a prompt of ChatJudge: no to gardens, and yes to anything else."""
    return "No" if "garden" in message else "Yes"


class CrossEncoder(BaseCrossEncoder):
    def __init__(self, calls: Calls) -> None:
        self.calls = calls

    def score(self, text_pairs):
        (query,) = {query for query, _ in text_pairs}
        self.calls.append((query, [text for _, text in text_pairs]))
        return [relevance(*pair) for pair in text_pairs]


class Compressor(BaseDocumentCompressor):
    """Like FlashrankRerank: makes new documents, and returns three unless told otherwise."""

    calls: Any
    top_n: int = 3
    least: float = -1.0

    def compress_documents(self, documents, query, callbacks=None):
        texts = [document.page_content for document in documents]
        self.calls.append((query, texts))
        scored = [(text, relevance(query, text)) for text in best_first(query, texts)]
        return [
            Document(page_content=text, metadata={"id": place, "relevance_score": score})
            for place, (text, score) in enumerate(scored[: self.top_n])
            if score >= self.least
        ]


class LangChainChat(SimpleChatModel):
    calls: Any

    @property
    def _llm_type(self):
        return "fake"

    def _call(self, messages, stop=None, run_manager=None, **kwargs):
        self.calls.append([(message.type, message.text) for message in messages])
        return verdict(messages[-1].text)


class Postprocessor(BaseNodePostprocessor):
    """Like SentenceTransformerRerank: sets the scores of the given nodes."""

    calls: Any
    top_n: int = 2
    has_scores: bool = True

    def _postprocess_nodes(self, nodes, query_bundle=None):
        query = query_bundle.query_str
        self.calls.append((query, [node.text for node in nodes]))
        for node in nodes if self.has_scores else ():
            node.score = relevance(query, node.text)
        ranked = sorted(nodes, key=lambda node: relevance(query, node.text), reverse=True)
        return ranked[: self.top_n]


class LlamaIndexChat(CustomLLM):
    calls: Any

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, formatted=False, **kwargs):
        self.calls.append(prompt)
        return CompletionResponse(text=verdict(prompt))

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError


@component
class Ranker:
    def __init__(self, calls: Calls, has_scores: bool = True) -> None:
        self.calls, self.has_scores, self.is_warm = calls, has_scores, False

    def warm_up(self):
        self.is_warm = True

    @component.output_types(documents=list[HaystackDocument])
    def run(self, query: str, documents: list[HaystackDocument], top_k: int = 2):
        assert self.is_warm
        texts = [document.content for document in documents]
        self.calls.append((query, texts))
        ranked = sorted(documents, key=lambda one: relevance(query, one.content), reverse=True)
        if self.has_scores:
            ranked = [replace(one, score=relevance(query, one.content)) for one in ranked]
        return {"documents": ranked[:top_k]}


def haystack_chat(calls: Calls) -> Any:
    def answer(messages):
        calls.append([(message.role.value, message.text) for message in messages])
        return verdict(messages[-1].text)

    return MockChatGenerator(response_fn=answer)


# adapter, kind -> makes the framework's model
SCORING = {
    (langchain_adapter, "cross-encoder"): CrossEncoder,
    (langchain_adapter, "compressor"): lambda calls: Compressor(calls=calls),
    (llama_index_adapter, "postprocessor"): lambda calls: Postprocessor(calls=calls),
    (haystack_adapter, "ranker"): Ranker,
}
ORDERING = {
    (langchain_adapter, "compressor"): lambda calls: CrossEncoderReranker(
        model=CrossEncoder(calls)
    ),
    (llama_index_adapter, "postprocessor"): lambda calls: Postprocessor(
        calls=calls, has_scores=False
    ),
    (haystack_adapter, "ranker"): lambda calls: Ranker(calls, has_scores=False),
}
CHATTING = {
    (langchain_adapter, "chat model"): lambda calls: LangChainChat(calls=calls),
    (langchain_adapter, "runnable"): lambda calls: LangChainChat(calls=calls).with_retry(),
    (llama_index_adapter, "llm"): lambda calls: LlamaIndexChat(calls=calls),
    (haystack_adapter, "generator"): haystack_chat,
}
