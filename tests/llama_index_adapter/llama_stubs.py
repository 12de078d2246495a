"""Stubs: an encoder that counts, models with fixed answers, recorders of events and spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import NullSpanHandler
from pydantic import PrivateAttr

from logic_retrievers.encoders import default_encoder


def ids(results: Sequence[Any]) -> list[str]:
    return [result.node.node_id for result in results]


def motels(pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float, float]]:
    """A judge in favour of motels."""
    return [(0.98, 0.01, 0.01) if "motel" in text else (0.1, 0.8, 0.1) for text, _ in pairs]


class CountingEncoder:
    """The default encoder; counts the texts that it encodes, by role and vector."""

    def __init__(self) -> None:
        self.inner: Any = default_encoder()
        self.documents: Counter[tuple[str, str]] = Counter()
        self.queries: Counter[tuple[str, str]] = Counter()
        self.specs = self.inner.specs

    def encode_queries(self, texts: Sequence[str], names: Sequence[str] | None = None) -> Any:
        self.queries.update((name, text) for name in names or self.specs for text in texts)
        return self.inner.encode_queries(texts, names)

    def encode_documents(self, texts: Sequence[str], names: Sequence[str] | None = None) -> Any:
        self.documents.update((name, text) for name in names or self.specs for text in texts)
        return self.inner.encode_documents(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self.inner.token_spans(text)


class TheirModel(BaseEmbedding):
    """A user's embedding model: the default encoder's topical vectors, under a name."""

    calls: int = 0

    @classmethod
    def class_name(cls) -> str:
        return "TheirModel"

    def _vector(self, text: str, kind: str) -> list[float]:
        self.calls += 1
        encode = getattr(default_encoder(), f"encode_{kind}")
        return encode([text], ["topical"])["topical"][0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector(query, "queries")

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector(text, "documents")


class Recorder(BaseEventHandler):
    """Records instrumentation events."""

    events: list[Any] = []  # noqa: RUF012

    @classmethod
    def class_name(cls) -> str:
        return "Recorder"

    def handle(self, event: Any, **kwargs: Any) -> None:
        self.events.append(event)

    @property
    def names(self) -> list[str]:
        return [event.class_name() for event in self.events]


@contextmanager
def recorded() -> Any:
    """The events of a block."""
    recorder = Recorder()
    root = get_dispatcher()
    root.add_event_handler(recorder)
    try:
        yield recorder
    finally:
        root.event_handlers.remove(recorder)


class SpanNames(NullSpanHandler):
    """Records span names."""

    _names: list[str] = PrivateAttr(default_factory=list)

    def span_enter(self, id_: str, *_: Any, **__: Any) -> None:
        self._names.append(id_.split("-")[0])


@contextmanager
def recorded_spans() -> Any:
    """The names of a block's spans, in order of their start."""
    recorder = SpanNames()
    root = get_dispatcher()
    root.add_span_handler(recorder)
    try:
        yield recorder._names
    finally:
        root.span_handlers.remove(recorder)
