"""Documents into passages, and hits into documents. Pure; nothing that comes in is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document

from logic_retrievers.adapters import evidence_metadata
from logic_retrievers.adapters.evidence_metadata import EVIDENCE, is_quarantined, is_ranking
from logic_retrievers.errors import InputError, shown
from logic_retrievers.types import Hit, Passage

SOURCE = "source_id"
"""The meta key under which Haystack's splitters note the document that a part was cut from."""


def passage_of(document: Document) -> Passage:
    """What there is to judge of a document; one without text has an empty one.

    Raises:
        InputError: no document.
    """
    if not isinstance(document, Document):
        raise InputError(f"A haystack Document is needed, not {shown(document)}.")
    meta = evidence_metadata.without_evidence(document.meta)
    evidence = document.meta.get(EVIDENCE)
    source = evidence.get("source") if is_ranking(evidence) else None
    source = meta.get(SOURCE) if source is None else source
    return Passage(
        id=document.id,
        text=document.content or "",
        metadata=meta,
        source=source if isinstance(source, str) and source else None,
        quarantined=is_quarantined(document.meta),
    )


def to_candidates(documents: Any) -> list[tuple[Passage, Document]]:
    """The passages of several documents, each with its document.

    Raises:
        InputError: no list of documents.
    """
    if not isinstance(documents, Iterable) or isinstance(documents, str):
        raise InputError(f"Documents come in a list, not as {type(documents).__name__}.")
    return [(passage_of(document), document) for document in documents]


def stored_passages(documents: Any) -> list[Passage]:
    """Passages to store. A document's embeddings are not among it: the store makes its own vectors.

    Raises:
        InputError: no list of documents, or one with binary data, which would be lost.
    """
    candidates = to_candidates(documents)
    for _, document in candidates:
        if document.blob is not None:
            raise InputError(
                f"Document {document.id!r} has binary data (blob), and LogicDocumentStore keeps"
                " texts alone. Convert it to text first."
            )
    return [passage for passage, _ in candidates]


def document_of(passage: Passage) -> Document:
    """The document as it was stored."""
    return Document(id=passage.id, content=passage.text, meta=dict(passage.metadata))


def to_documents(hits: Sequence[Hit]) -> list[Document]:
    """Hits of a search as documents with score and evidence, best first."""
    return [with_ranking(document_of(hit.passage), hit) for hit in hits]


def with_ranking(document: Document, hit: Hit) -> Document:
    """A copy of the document with the hit's score and evidence."""
    meta = evidence_metadata.with_ranking(document.meta, hit)
    if hit.passage.source is not None:
        meta[EVIDENCE]["source"] = hit.passage.source
    return replace(document, meta=meta, score=hit.score)


def with_contradictions(document: Document, hit: Hit) -> Document:
    """A copy of the document with a filter's evidence beside what ranked it; the score stays."""
    return replace(document, meta=evidence_metadata.with_contradictions(document.meta, hit))
