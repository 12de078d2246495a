"""Documents into passages, and hits into documents. Pure; nothing that comes in is changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from langchain_core.documents import Document

from langchain_logic_retrievers.evidence import (
    annotated,
    is_quarantined,
    source_in,
    unannotated,
)
from logic_retrievers.errors import InputError
from logic_retrievers.types import Hit, Passage


def plain_document(passage: Passage) -> Document:
    """The document as it was stored."""
    return Document(id=passage.id, page_content=passage.text, metadata=dict(passage.metadata))


def to_document(hit: Hit) -> Document:
    """The stored document with the evidence for its place."""
    return annotated(plain_document(hit.passage), hit)


def to_passages(
    documents: Sequence[Document], ids: Sequence[str | None] | None = None
) -> list[Passage]:
    """Passages to store.

    Args:
        documents: to be stored.
        ids: one a document, or None for that one; else the document's own id, or a new one.

    Raises:
        InputError: another number of ids than of documents.
    """
    given = [None] * len(documents) if ids is None else list(ids)
    if len(given) != len(documents):
        raise InputError(f"There are {len(documents)} documents and {len(given)} ids.")
    return [
        Passage(
            id=document.id or str(uuid4()) if one is None else one,
            text=document.page_content,
            metadata=unannotated(document.metadata),
            quarantined=is_quarantined(document.metadata),
        )
        for one, document in zip(given, documents, strict=True)
    ]


def to_documents(
    texts: Sequence[str], metadatas: Sequence[Mapping[str, Any]] | None
) -> list[Document]:
    """Documents of texts and their metadata.

    Raises:
        InputError: another number of metadata than of texts.
    """
    if metadatas is None:
        metadatas = [{}] * len(texts)
    if len(metadatas) != len(texts):
        raise InputError(f"There are {len(texts)} texts and {len(metadatas)} metadatas.")
    return [
        Document(page_content=text, metadata=dict(metadata))
        for text, metadata in zip(texts, metadatas, strict=True)
    ]


def candidates(documents: Sequence[Document]) -> dict[str, tuple[Passage, Document]]:
    """What is to be ranked, under ids that differ: documents of one id count once.

    A document without id is known by its position, in a form that no given id has.
    """
    found: dict[str, tuple[Passage, Document]] = {}
    for name, document in zip(_names(documents), documents, strict=True):
        found.setdefault(name, (_passage(name, document), document))
    return found


def vouched(trusted: Sequence[Document | Passage], first: int = 0) -> list[Passage]:
    """Trusted documents as passages; one without id is called by its place among them.

    Args:
        trusted: documents, or passages, which stay as they are.
        first: the place that is counted from.
    """
    return [
        one
        if isinstance(one, Passage)
        else _passage(one.id or _qdrant_id(one) or f"#trusted {place}", one)
        for place, one in enumerate(trusted, first)
    ]


def recognised(
    given: Mapping[str, tuple[Passage, Document]], trusted: Sequence[Document | Passage]
) -> list[Passage]:
    """The given documents that say what a trusted one says, where one of the two has no id."""
    of_all = {one.text if isinstance(one, Passage) else one.page_content for one in trusted}
    of_nameless = {
        one.page_content for one in trusted if isinstance(one, Document) and _is_nameless(one)
    }
    return [
        passage
        for passage, document in given.values()
        if passage.text in (of_all if _is_nameless(document) else of_nameless)
    ]


def document_key(document: Document) -> str:
    """What a record manager knows a document by, whatever evidence or verdict it carries.

    For ``index(..., key_encoder=document_key)``: sha256 over the content and the metadata as they
    were before this package said anything, in the form of a UUID, since Qdrant's points have no
    other names.

    Raises:
        InputError: metadata that JSON cannot hold; dates are written as text.
    """
    content = [document.page_content, unannotated(document.metadata)]
    try:
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, default=_as_text)
    except (TypeError, ValueError) as error:
        raise InputError(f"A document's metadata must be JSON-like: {error}.") from error
    return str(UUID(bytes=hashlib.sha256(canonical.encode()).digest()[:16]))


def screenable(document: Document) -> Passage:
    """A document on its way into a store; one without id goes by its :func:`document_key`.

    Raises:
        InputError: as :func:`document_key`.
    """
    return _passage(document.id or _qdrant_id(document) or document_key(document), document)


def _names(documents: Sequence[Document]) -> list[str]:
    """What each is known by: its id, or its position in a form that no given id has."""
    mark = "#"
    while any((one.id or _qdrant_id(one) or "").startswith(mark) for one in documents):
        mark += "#"
    homes: dict[str, str] = {}  # two collections may both count from 1
    names: list[str] = []
    for position, document in enumerate(documents):
        name = document.id
        if not name and (name := _qdrant_id(document)):
            home = document.metadata["_collection_name"]
            name = name if homes.setdefault(name, home) == home else f"{mark}{home} {name}"
        names.append(name or f"{mark}{position}")
    return names


def _passage(name: str, document: Document) -> Passage:
    metadata = document.metadata
    return Passage(name, document.page_content, unannotated(metadata), source_in(metadata))


def _as_text(value: Any) -> str:
    if not hasattr(value, "isoformat"):
        raise TypeError(f"{type(value).__name__} is none of its types")
    return str(value.isoformat())


def _is_nameless(document: Document) -> bool:
    return not document.id and not _qdrant_id(document)


def _qdrant_id(document: Document) -> str | None:
    """Where langchain-qdrant leaves the id of a document that it found."""
    found = document.metadata.get("_id") if "_collection_name" in document.metadata else None
    return None if found is None else str(found)
