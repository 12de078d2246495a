"""A few documents about a harbour town, a query that excludes, and a recording handler."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document

_TEXTS = [
    ("A quiet inn by the harbour.", "Oslo"),
    ("A loud bar by the harbour.", "Oslo"),
    ("A hotel above a nightclub, near the harbour.", "Bergen"),
    ("A calm guest house in the hills.", "Bergen"),
    ("A museum of ships.", "Oslo"),
    ("A bakery that opens early.", "Bergen"),
]
DOCUMENTS = [
    Document(id=f"doc {n}", page_content=text, metadata={"n": n, "city": city})
    for n, (text, city) in enumerate(_TEXTS)
]
QUERY = "a place to stay by the harbour, but not a loud one"


def ids(documents: list[Document]) -> list[str | None]:
    return [document.id for document in documents]


class Listener(BaseCallbackHandler):
    """Records the events that it gets."""

    def __init__(self) -> None:
        self.started: list[dict[str, Any]] = []
        self.events: list[tuple[str, Any, dict[str, Any]]] = []

    def on_retriever_start(self, serialized: Any, query: str, **kwargs: Any) -> None:
        self.started.append({"query": query, **kwargs})

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.events.append((name, data, kwargs))
