"""Evidence in a document's metadata: put on copies, and taken off again. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeGuard

from langchain_core.documents import Document

from logic_retrievers.cleaning import Decision
from logic_retrievers.types import Hit

EVIDENCE = "logic"
SCORE = "relevance_score"
CONTRADICTION = "contradiction"
"""Under the evidence: what a filter has to say, beside what ranked the document."""
CLEANING = "cleaning"
"""Under the evidence: what a cleaner found on the document's way into a store."""
QUARANTINED = "quarantined"
"""Under the evidence: True where the document is to be hidden; a collection looks for it there."""
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
    if not (_ranked(found) or _noted(found)):
        found = {REPLACED: {EVIDENCE: found}} if EVIDENCE in metadata else {}
    metadata[EVIDENCE] = {**found, CONTRADICTION: _told(hit)}
    return document.model_copy(update={"metadata": metadata})


def judged(
    document: Document, name: str, decisions: Sequence[Decision], *, quarantined: bool
) -> Document:
    """A copy of the document with a cleaner's verdict instead of an earlier one; the rest stays.

    Args:
        document: on its way into a store.
        name: the id that the decisions know it by.
        decisions: those that name it. Without any there is nothing to tell.
        quarantined: whether it is to be hidden.
    """
    metadata = deepcopy(_unjudged(document.metadata))
    if decisions:
        found = metadata.get(EVIDENCE)
        if not (_ranked(found) or _noted(found)):
            found = {REPLACED: {EVIDENCE: found}} if EVIDENCE in metadata else {}
        verdict = {CLEANING: {"findings": [one.seen_from(name) for one in decisions]}}
        metadata[EVIDENCE] = {**found, **verdict, **({QUARANTINED: True} if quarantined else {})}
    return document.model_copy(update={"metadata": metadata})


def is_quarantined(metadata: Mapping[Any, Any]) -> bool:
    """Whether a cleaner's verdict is that the document is to be hidden."""
    evidence = metadata.get(EVIDENCE)
    return (_ranked(evidence) or _noted(evidence)) and evidence.get(QUARANTINED) is True


def unannotated(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """The metadata as it was before :func:`annotated`, :func:`noted` and :func:`judged`."""
    evidence = metadata.get(EVIDENCE)
    if _ranked(evidence):
        ours = {EVIDENCE, SCORE}
    elif _noted(evidence):
        ours = {EVIDENCE}  # the score is somebody else's
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


def _noted(evidence: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is ours, and a filter's or a cleaner's alone."""
    return (
        isinstance(evidence, Mapping)
        and evidence.keys() <= {CONTRADICTION, CLEANING, QUARANTINED, REPLACED}
        and (_ranked(evidence.get(CONTRADICTION)) or _cleaned(evidence.get(CLEANING)))
    )


def _cleaned(verdict: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is what :func:`judged` wrote."""
    return isinstance(verdict, Mapping) and isinstance(verdict.get("findings"), list)


def _unjudged(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """The metadata without a cleaner's verdict; other evidence stays."""
    evidence = metadata.get(EVIDENCE)
    if not (_ranked(evidence) or _noted(evidence)):
        return dict(metadata)
    if not _ranked(evidence) and CONTRADICTION not in evidence:
        return unannotated(metadata)
    kept = {key: value for key, value in evidence.items() if key not in {CLEANING, QUARANTINED}}
    return {**metadata, EVIDENCE: kept}
