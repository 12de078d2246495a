"""Documents, some of which contradict each other, with vectors placed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.documents import Document
from langchain_logic_retrievers import ContradictionFilter, LogicVectorStore
from placed import PlacedEncoder

OPEN, SHUT, AGAIN = "inn | open | a", "inn | shut | a", "inn | open | b"
TAX, DUTY, COPPER = "tax | low | a", "tax | high | a", "copper | red | a"
DOCUMENTS = [
    Document(id=text, page_content=text, metadata={"date": year, "source": source})
    for text, year, source in (
        (OPEN, 2020, "blog"),
        (TAX, 2024, "law"),
        (SHUT, 2024, "inn"),
        (COPPER, 2022, "blog"),
        (DUTY, 2021, "blog"),
        (AGAIN, 2021, "press"),
    )
]


def contradictions(**settings: Any) -> ContradictionFilter:
    return ContradictionFilter(**{"encoder": PlacedEncoder(), **settings})


def nameless(documents: list[Document] = DOCUMENTS) -> list[Document]:
    return [document.model_copy(update={"id": None}) for document in documents]


@contextmanager
def opposed_store(**settings: Any) -> Iterator[LogicVectorStore]:
    """The documents in a collection that has the contradiction vector."""
    vectors = ("topical", "contradiction")
    store = LogicVectorStore.open(encoder=PlacedEncoder(), vectors=vectors, **settings)
    with store.index:
        store.add_documents(DOCUMENTS)
        yield store
