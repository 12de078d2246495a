"""Documents into passages, and hits into documents. Pure; nothing that comes in is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

from langchain_core.documents import Document

from logic_retrievers.errors import InputError
from logic_retrievers.types import Hit, Passage

EVIDENCE = "logic"
SCORE = "relevance_score"
REPLACED = "replaced"
"""Under the evidence: what the user had under our two keys, to be put back."""
_OF_EVIDENCE = frozenset({"policy", "scores", "ranks", "kept"})


def plain_document(passage: Passage) -> Document:
    """The document as it was stored."""
    return Document(id=passage.id, page_content=passage.text, metadata=dict(passage.metadata))


def to_document(hit: Hit) -> Document:
    """The stored document with the evidence for its place."""
    return annotated(plain_document(hit.passage), hit)


def annotated(document: Document, hit: Hit) -> Document:
    """A copy of the document, of its own class, that carries the hit's evidence."""
    evidence = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
    if hit.passage.source is not None:
        evidence["source"] = hit.passage.source
    own = deepcopy(unannotated(document.metadata))
    if replaced := {key: own[key] for key in (EVIDENCE, SCORE) if key in own}:
        evidence[REPLACED] = replaced
    metadata = {**own, EVIDENCE: evidence, SCORE: hit.score}
    return document.model_copy(update={"metadata": metadata})


def unannotated(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """The metadata as it was before :func:`annotated`."""
    evidence = metadata.get(EVIDENCE)
    if not isinstance(evidence, Mapping) or not evidence.keys() >= _OF_EVIDENCE:
        return dict(metadata)
    plain = {key: value for key, value in metadata.items() if key not in (EVIDENCE, SCORE)}
    return plain | dict(evidence.get(REPLACED, {}))


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
    mark = "#"
    while any((one.id or _qdrant_id(one) or "").startswith(mark) for one in documents):
        mark += "#"
    homes: dict[str, str] = {}  # two collections may both count from 1
    found: dict[str, tuple[Passage, Document]] = {}
    for position, document in enumerate(documents):
        name = document.id
        if not name and (name := _qdrant_id(document)):
            home = document.metadata["_collection_name"]
            name = name if homes.setdefault(name, home) == home else f"{mark}{home} {name}"
        name = name or f"{mark}{position}"
        passage = Passage(name, document.page_content, unannotated(document.metadata))
        found.setdefault(name, (passage, document))
    return found


def _qdrant_id(document: Document) -> str | None:
    """Where langchain-qdrant leaves the id of a document that it found."""
    found = document.metadata.get("_id") if "_collection_name" in document.metadata else None
    return None if found is None else str(found)
