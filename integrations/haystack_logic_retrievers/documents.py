"""Turn documents into passages and hits into documents without changing the input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document

from logic_retrievers.adapters import evidence_metadata
from logic_retrievers.adapters.evidence_metadata import is_quarantined, source_of
from logic_retrievers.errors import InputError, shown
from logic_retrievers.types import Hit, Passage

# meta key under which Haystack's splitters keep the id of a part's original document
SOURCE = "source_id"


def passage_of(document: Document) -> Passage:
    """Return a document's passage, with an empty text if the document has none."""
    if not isinstance(document, Document):
        raise InputError(f"documents must be Haystack's Document, not {shown(document)}.")
    meta = evidence_metadata.without_evidence(document.meta)
    source = source_of(document.meta)
    source = meta.get(SOURCE) if source is None else source
    return Passage(
        id=document.id,
        text=document.content or "",
        metadata=meta,
        source=source if isinstance(source, str) and source else None,
        quarantined=is_quarantined(document.meta),
    )


def to_candidates(documents: Any) -> list[tuple[Passage, Document]]:
    """Pair each document with its passage."""
    if not isinstance(documents, Iterable) or isinstance(documents, str):
        raise InputError(f"Pass a list of Haystack's Document, not {shown(documents)}.")
    return [(passage_of(document), document) for document in documents]


def stored_passages(documents: Any) -> list[Passage]:
    """Return the passages to store; refuse binary data, which passages cannot hold."""
    candidates = to_candidates(documents)
    for _, document in candidates:
        if document.blob is not None:
            raise InputError(
                f"Document {document.id!r} has binary data (blob), and LogicDocumentStore keeps"
                " only texts. Convert it to text first."
            )
    return [passage for passage, _ in candidates]


def document_of(passage: Passage) -> Document:
    """Return the document as it was stored."""
    return Document(id=passage.id, content=passage.text, meta=dict(passage.metadata))


def to_documents(hits: Sequence[Hit]) -> list[Document]:
    """Return hits as documents with score and evidence, best first."""
    return [with_ranking(document_of(hit.passage), hit) for hit in hits]


def with_ranking(document: Document, hit: Hit) -> Document:
    """Copy the document, with the hit's score and evidence."""
    meta = evidence_metadata.with_ranking(document.meta, hit, source=hit.passage.source)
    return replace(document, meta=meta, score=hit.score)


def with_contradictions(document: Document, hit: Hit) -> Document:
    """Copy the document with its score, and add the filter's evidence to that of the ranking."""
    return replace(document, meta=evidence_metadata.with_contradictions(document.meta, hit))
