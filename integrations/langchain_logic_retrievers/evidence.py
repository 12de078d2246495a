"""Evidence in a document's metadata: put on copies, and taken off again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeGuard

from langchain_core.documents import Document

from logic_retrievers.types import Hit

EVIDENCE = "logic"
SCORE = "relevance_score"
CONTRADICTION = "contradiction"
"""Under the evidence: what a filter has to say, beside what ranked the document."""
REPLACED = "replaced"
"""Under the evidence: what the user had under our two keys, to be put back."""
_OF_EVIDENCE = frozenset({"policy", "scores", "ranks", "kept"})


def annotated(document: Document, hit: Hit) -> Document:
    """A copy of the document, of its own class, that carries the hit's evidence and its score."""
    evidence = _told(hit)
    if hit.passage.source is not None:
        evidence["source"] = hit.passage.source
    own = deepcopy(unannotated(document.metadata))
    if replaced := {key: own[key] for key in (EVIDENCE, SCORE) if key in own}:
        evidence[REPLACED] = replaced
    metadata = {**own, EVIDENCE: evidence, SCORE: hit.score}
    return document.model_copy(update={"metadata": metadata})


def noted(document: Document, hit: Hit) -> Document:
    """A copy of the document with a filter's evidence beside what ranked it; the rest stays."""
    metadata = deepcopy(document.metadata)
    found = metadata.get(EVIDENCE)
    if not (_ranked(found) or _filtered(found)):
        found = {REPLACED: {EVIDENCE: found}} if EVIDENCE in metadata else {}
    metadata[EVIDENCE] = {**found, CONTRADICTION: _told(hit)}
    return document.model_copy(update={"metadata": metadata})


def unannotated(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """The metadata as it was before :func:`annotated` and :func:`noted`."""
    evidence = metadata.get(EVIDENCE)
    if _ranked(evidence):
        ours = {EVIDENCE, SCORE}
    elif _filtered(evidence):
        ours = {EVIDENCE}  # a filter leaves the score alone: it is somebody else's
    else:
        return dict(metadata)
    plain = {key: value for key, value in metadata.items() if key not in ours}
    return plain | dict(metadata[EVIDENCE].get(REPLACED, {}))


def source_in(metadata: Mapping[Any, Any]) -> str | None:
    """The source that :func:`annotated` wrote down; None where there is none."""
    evidence = metadata.get(EVIDENCE)
    return evidence.get("source") if _ranked(evidence) else None


def _told(hit: Hit) -> dict[str, Any]:
    return {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}


def _ranked(evidence: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is ours, and says why a document stands where it stands."""
    return isinstance(evidence, Mapping) and evidence.keys() >= _OF_EVIDENCE


def _filtered(evidence: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is ours, and a filter's alone."""
    return (
        isinstance(evidence, Mapping)
        and evidence.keys() <= {CONTRADICTION, REPLACED}
        and _ranked(evidence.get(CONTRADICTION))
    )
