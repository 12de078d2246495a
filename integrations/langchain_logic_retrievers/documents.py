"""Documents into passages, and hits into documents. Pure; nothing that comes in is changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from langchain_core.documents import Document

from logic_retrievers.adapters import evidence_metadata as evidence_metadata
from logic_retrievers.adapters.evidence_metadata import EVIDENCE, is_quarantined, is_ranking
from logic_retrievers.cleaning import ScreeningResult
from logic_retrievers.errors import InputError, shown
from logic_retrievers.types import Hit, Passage
from logic_retrievers.validation import plain_value

SCORE = "relevance_score"
"""The metadata key under which LangChain's rerankers write a score."""


def stored_document(passage: Passage) -> Document:
    """The document as it was stored."""
    return Document(id=passage.id, page_content=passage.text, metadata=dict(passage.metadata))


def to_document(hit: Hit) -> Document:
    """The stored document with the evidence for its place."""
    return with_ranking(stored_document(hit.passage), hit)


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
    """Documents of texts and their metadata.

    Raises:
        InputError: another number of metadata than of texts, or one that is no mapping.
    """
    metadatas = [None] * len(texts) if metadatas is None else list(metadatas)
    if wrong := [one for one in metadatas if not isinstance(one, Mapping | None)]:
        raise InputError(f"Metadata of a text are a dict or None, not {shown(wrong[0])}.")
    if len(metadatas) != len(texts):
        raise InputError(f"There are {len(texts)} texts and {len(metadatas)} metadatas.")
    return [
        Document(page_content=text, metadata=dict(metadata or {}))
        for text, metadata in zip(texts, metadatas, strict=True)
    ]


def to_candidates(documents: Iterable[Document]) -> list[tuple[Passage, Document]]:
    """Candidates for a ranking, each with its document.

    A document without id is known by its position, in a form that no document's id has.

    Raises:
        InputError: they are no documents.
    """
    documents = list(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise InputError(f"documents must be LangChain's Document, not {shown(document)}")
    names = _candidate_ids(documents)
    return [(_passage(*pair), pair[1]) for pair in zip(names, documents, strict=True)]


def trusted_passages(trusted: Sequence[Document | Passage], start: int = 0) -> list[Passage]:
    """Trusted documents as passages; one without id is called by its place among them.

    Args:
        trusted: documents, or passages, which stay as they are.
        start: the place that is counted from.
    """
    return [
        document
        if isinstance(document, Passage)
        else _passage(_known_id(document) or f"#trusted {place}", document)
        for place, document in enumerate(trusted, start)
    ]


def candidates_with_trusted_text(
    candidates: Sequence[tuple[Passage, Document]], trusted: Sequence[Document | Passage]
) -> list[Passage]:
    """The candidates whose text a trusted document has, where one of the two has no id."""
    all_texts = {_text(document) for document in trusted}
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
    """What a record manager knows a document by, whatever evidence or verdict it carries.

    For ``index(..., key_encoder=document_key)``: sha256 over the content and the metadata without
    this package's evidence, as they are stored, in the form of a UUID, since Qdrant's points have
    no other names.

    Raises:
        InputError: metadata that cannot be stored.
    """
    try:
        metadata = plain_value(without_evidence(document.metadata), "metadata")
    except InputError as error:
        name = f"The document that begins {shown(document.page_content[:40])}"
        raise InputError(f"{name}: {error}, which cannot be stored.") from None
    canonical = json.dumps([document.page_content, metadata], sort_keys=True, ensure_ascii=True)
    return str(UUID(bytes=hashlib.sha256(canonical.encode()).digest()[:16]))


def passage_to_screen(document: Document) -> Passage:
    """A document on its way into a store; one without id goes by its :func:`document_key`.

    Raises:
        InputError: as :func:`document_key`.
    """
    return _passage(_known_id(document) or document_key(document), document)


def trusted_to_screen(trusted: Sequence[Document | Passage]) -> list[Passage]:
    """Trusted documents as a cleaner knows them; passages stay as they are."""
    return [
        document if isinstance(document, Passage) else passage_to_screen(document)
        for document in trusted
    ]


def with_ranking(document: Document, hit: Hit) -> Document:
    """A copy of the document, of its own class, that carries the hit's evidence and its score."""
    metadata = evidence_metadata.with_ranking(document.metadata, hit, SCORE)
    if hit.passage.source is not None:
        metadata[EVIDENCE]["source"] = hit.passage.source
    return document.model_copy(update={"metadata": metadata})


def with_contradictions(document: Document, hit: Hit) -> Document:
    """A copy of the document with a filter's evidence beside what ranked it."""
    metadata = evidence_metadata.with_contradictions(document.metadata, hit)
    return document.model_copy(update={"metadata": metadata})


def with_findings(
    documents: Sequence[Document], passages: Sequence[Passage], screened: ScreeningResult
) -> list[Document]:
    """Copies of the documents with a cleaner's findings about their passages."""
    described = evidence_metadata.describe_findings(screened)
    return [
        document.model_copy(
            update={
                "metadata": evidence_metadata.with_findings(
                    document.metadata, described.get(passage.id)
                )
            }
        )
        for document, passage in zip(documents, passages, strict=True)
    ]


def without_evidence(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """The metadata as it was before any evidence of this package."""
    return dict(evidence_metadata.without_evidence(metadata, SCORE))


def _candidate_ids(documents: Sequence[Document]) -> list[str]:
    """Each document's id, or its position in a form that no document's id has."""
    mark = "#"
    while any((_known_id(document) or "").startswith(mark) for document in documents):
        mark += "#"
    collections: dict[str, str] = {}  # two collections may both count from 1
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
    evidence = document.metadata.get(EVIDENCE)
    source = evidence.get("source") if is_ranking(evidence) else None
    return Passage(name, document.page_content, without_evidence(document.metadata), source)


def _text(document: Document | Passage) -> str:
    return document.text if isinstance(document, Passage) else document.page_content


def _known_id(document: Document) -> str | None:
    return document.id or _qdrant_id(document)


def _qdrant_id(document: Document) -> str | None:
    """The id that langchain-qdrant writes into the metadata of a document that it retrieved."""
    qdrant_id = document.metadata.get("_id") if "_collection_name" in document.metadata else None
    return None if qdrant_id is None else str(qdrant_id)
