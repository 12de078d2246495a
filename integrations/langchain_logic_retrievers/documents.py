"""Turn documents into passages and hits into documents without changing the input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from langchain_core.documents import Document
from pydantic import ConfigDict

from logic_retrievers.adapters import evidence_metadata
from logic_retrievers.adapters.evidence_metadata import is_quarantined, source_of
from logic_retrievers.conflicts import ScreeningResult
from logic_retrievers.errors import InputError, shown
from logic_retrievers.types import Hit, Passage
from logic_retrievers.validation import plain_value

# refuses misspelt settings, and keeps documents out of error messages
STRICT = ConfigDict(arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True)
# the metadata key under which LangChain's rerankers write a score
SCORE = "relevance_score"


def stored_document(passage: Passage) -> Document:
    """Return the document as it was stored."""
    return Document(id=passage.id, page_content=passage.text, metadata=dict(passage.metadata))


def to_document(hit: Hit) -> Document:
    """Return the stored document with the evidence for its rank."""
    return with_ranking(stored_document(hit.passage), hit)


def to_passages(
    documents: Sequence[Document], ids: Sequence[str | None] | None = None
) -> list[Passage]:
    """Return the passages to store; an id of None means the document's own id, or a new one."""
    given_ids = [None] * len(documents) if ids is None else list(ids)
    if len(given_ids) != len(documents):
        raise InputError(f"There are {len(documents)} documents and {len(given_ids)} ids.")
    return [
        Passage(
            id=document.id or str(uuid4()) if given_id is None else given_id,
            text=document.page_content,
            metadata=without_evidence(document.metadata),
            quarantined=is_quarantined(document.metadata),
        )
        for given_id, document in zip(given_ids, documents, strict=True)
    ]


def to_documents(
    texts: Sequence[str], metadatas: Iterable[Mapping[str, Any] | None] | None
) -> list[Document]:
    """Make documents from texts and their metadata."""
    metadatas = [None] * len(texts) if metadatas is None else list(metadatas)
    if wrong := [one for one in metadatas if not isinstance(one, Mapping | None)]:
        raise InputError(f"Metadata of a text must be a dict or None, not {shown(wrong[0])}.")
    if len(metadatas) != len(texts):
        raise InputError(f"There are {len(texts)} texts and {len(metadatas)} metadatas.")
    return [
        Document(page_content=text, metadata=dict(metadata or {}))
        for text, metadata in zip(texts, metadatas, strict=True)
    ]


def to_candidates(documents: Iterable[Document]) -> list[tuple[Passage, Document]]:
    """Pair each document with its passage. A document without id is named by its position."""
    documents = list(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise InputError(f"documents must be LangChain's Document, not {shown(document)}")
    names = _candidate_ids(documents)
    return [(_passage(*pair), pair[1]) for pair in zip(names, documents, strict=True)]


def trusted_passages(trusted: Sequence[Document | Passage], start: int = 0) -> list[Passage]:
    """Turn trusted documents into passages. Documents without id are numbered from ``start``."""
    return [
        document
        if isinstance(document, Passage)
        else _passage(_known_id(document) or f"#trusted {place}", document)
        for place, document in enumerate(trusted, start)
    ]


def candidates_with_trusted_text(
    candidates: Sequence[tuple[Passage, Document]], trusted: Sequence[Document | Passage]
) -> list[Passage]:
    """Return candidates with a trusted document's text, where either of the two has no id."""
    all_texts = {
        document.text if isinstance(document, Passage) else document.page_content
        for document in trusted
    }
    texts_without_id = {
        document.page_content
        for document in trusted
        if isinstance(document, Document) and not _known_id(document)
    }
    return [
        passage
        for passage, document in candidates
        if passage.text in (texts_without_id if _known_id(document) else all_texts)
    ]


def document_key(document: Document) -> str:
    """Return the key of a document for a record manager: ``index(..., key_encoder=document_key)``.

    The key ignores this package's evidence, so a cleaner's findings leave the key unchanged. It is
    the sha256 of content and metadata in stored form, written as a UUID because ids of Qdrant's
    points are UUIDs.

    Raises:
        InputError: the metadata cannot be stored.
    """
    try:
        metadata = plain_value(without_evidence(document.metadata), "metadata")
    except InputError as error:
        name = f"The document that begins {shown(document.page_content[:40])}"
        raise InputError(f"{name}: {error}, which cannot be stored.") from None
    canonical = json.dumps([document.page_content, metadata], sort_keys=True, ensure_ascii=True)
    return str(UUID(bytes=hashlib.sha256(canonical.encode()).digest()[:16]))


def passage_to_screen(document: Document) -> Passage:
    """Return the passage for a cleaner; a document without id gets its :func:`document_key`."""
    return _passage(_known_id(document) or document_key(document), document)


def with_ranking(document: Document, hit: Hit) -> Document:
    """Copy the document, with the hit's evidence and score."""
    metadata = evidence_metadata.with_ranking(
        document.metadata, hit, SCORE, source=hit.passage.source
    )
    return document.model_copy(update={"metadata": metadata})


def with_contradictions(document: Document, hit: Hit) -> Document:
    """Copy the document, and add the contradiction filter's evidence to that of the ranking."""
    metadata = evidence_metadata.with_contradictions(document.metadata, hit)
    return document.model_copy(update={"metadata": metadata})


def with_findings(
    documents: Sequence[Document], passages: Sequence[Passage], screened: ScreeningResult
) -> list[Document]:
    """Copy the documents, with a cleaner's findings about their passages."""
    described = evidence_metadata.describe_findings(screened)
    copies = []
    for document, passage in zip(documents, passages, strict=True):
        findings = described.get(passage.id)
        metadata = evidence_metadata.with_findings(document.metadata, findings)
        copies.append(document.model_copy(update={"metadata": metadata}))
    return copies


def without_evidence(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the metadata without this package's evidence."""
    return dict(evidence_metadata.without_evidence(metadata, SCORE))


def _candidate_ids(documents: Sequence[Document]) -> list[str]:
    """Return each document's id, or its position in a form unlike any document's id."""
    mark = "#"
    while any((_known_id(document) or "").startswith(mark) for document in documents):
        mark += "#"
    collections: dict[str, str] = {}  # ids of several collections may all count from 1
    names: list[str] = []
    for position, document in enumerate(documents):
        name = document.id
        if not name and (name := _qdrant_id(document)):
            collection = document.metadata["_collection_name"]
            if collections.setdefault(name, collection) != collection:
                name = f"{mark}{collection} {name}"
        names.append(name or f"{mark}{position}")
    return names


def _passage(name: str, document: Document) -> Passage:
    metadata = without_evidence(document.metadata)
    return Passage(name, document.page_content, metadata, source_of(document.metadata))


def _known_id(document: Document) -> str | None:
    return document.id or _qdrant_id(document)


def _qdrant_id(document: Document) -> str | None:
    """Return the id that langchain-qdrant writes into the metadata of a retrieved document."""
    qdrant_id = document.metadata.get("_id") if "_collection_name" in document.metadata else None
    return None if qdrant_id is None else str(qdrant_id)
