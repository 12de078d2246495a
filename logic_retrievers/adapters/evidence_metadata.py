"""Add evidence to copies of a document's metadata, and remove it again.

Evidence tells why a document has its rank, what a contradiction filter decided (``contradiction``)
and what a cleaner found (``cleaning``, ``quarantined``). The key ``logic`` holds all evidence. A
user's own value of ``logic`` is kept under ``replaced`` and restored later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeGuard, TypeVar

from logic_retrievers.conflicts import ScreeningResult, explain
from logic_retrievers.types import Hit, Passage

T = TypeVar("T")

EVIDENCE = "logic"
CONTRADICTION = "contradiction"
CLEANING = "cleaning"
# PassageIndex reads this key in collections of other stores; True hides the document
QUARANTINED = "quarantined"
REPLACED = "replaced"
_RANKING_KEYS = frozenset({"policy", "scores", "ranks", "passed_filter"})
_OTHER_KEYS = frozenset({CONTRADICTION, CLEANING, QUARANTINED, REPLACED})


def paired(candidates: Sequence[tuple[Passage, T]], hits: Sequence[Hit]) -> list[tuple[T, Hit]]:
    """Pair each hit with the framework's item for its passage."""
    # pair by object identity, because several items may have the same id
    item_of = {id(passage): item for passage, item in candidates}
    return [(item_of[id(hit.passage)], hit) for hit in hits]


def describe_hit(hit: Hit) -> dict[str, Any]:
    """Return a hit's evidence, score and rank in JSON types."""
    return {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}


def with_ranking(
    metadata: Mapping[Any, Any],
    hit: Hit,
    score_key: str | None = None,
    *,
    source: str | None = None,
) -> dict[Any, Any]:
    """Copy the metadata deeply, with a hit's evidence in place of all earlier evidence.

    Args:
        metadata: the document's metadata.
        hit: the document's hit.
        score_key: an additional key for the score, if the framework has a usual one.
        source: the passage's source, if the framework's document has no field for it.
    """
    original = deepcopy(without_evidence(metadata, score_key))
    evidence = describe_hit(hit)
    if replaced := {key: original[key] for key in (EVIDENCE, score_key) if key in original}:
        evidence[REPLACED] = replaced
    if source is not None:
        evidence["source"] = source
    scores = {} if score_key is None else {score_key: hit.score}
    return {**original, EVIDENCE: evidence, **scores}


def with_contradictions(metadata: Mapping[Any, Any], hit: Hit) -> dict[Any, Any]:
    """Copy the metadata deeply, and add a contradiction filter's evidence to the ranking's."""
    return _with_added(metadata, {CONTRADICTION: describe_hit(hit)})


def describe_findings(screened: ScreeningResult) -> dict[str, dict[str, Any]]:
    """Map each passage's id to a cleaner's findings about it, in JSON types."""
    cleaned, hidden = screened.cleaned, set(screened.quarantined)
    dry_run = {"dry_run": True} if cleaned.dry_run else {}
    sentences = {id(decision): explain(cleaned, decision) for decision in cleaned.decisions}
    described: dict[str, dict[str, Any]] = {}
    for name, decisions in cleaned.by_passage().items():
        findings = [
            {**decision.seen_from(name), "explanation": sentences[id(decision)]}
            for decision in decisions
        ]
        described[name] = {CLEANING: {"findings": findings, **dry_run}}
        if name in hidden:
            described[name][QUARANTINED] = True
    return described


def with_findings(
    metadata: Mapping[Any, Any], described: Mapping[str, Any] | None
) -> dict[Any, Any]:
    """Copy the metadata deeply, with a cleaner's findings in place of earlier ones.

    Args:
        metadata: the document's metadata.
        described: the document's value in :func:`describe_findings`; None means no findings.
    """
    remaining = without_findings(metadata)
    return _with_added(remaining, described) if described else deepcopy(dict(remaining))


def without_evidence(
    metadata: Mapping[Any, Any], score_key: str | None = None
) -> Mapping[Any, Any]:
    """Return the metadata without this package's evidence; the same object if it has none."""
    if not has_evidence(metadata):
        return metadata
    evidence = metadata[EVIDENCE]
    # without ranking evidence, a different retriever wrote the score
    added = {EVIDENCE, score_key} if _is_ranking(evidence) else {EVIDENCE}
    original = {key: value for key, value in metadata.items() if key not in added}
    return original | dict(evidence.get(REPLACED, {}))


def without_findings(metadata: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the metadata without a cleaner's findings; the same object if it has none."""
    if not has_evidence(metadata) or CLEANING not in metadata[EVIDENCE]:
        return metadata
    evidence = metadata[EVIDENCE]
    if not _is_ranking(evidence) and CONTRADICTION not in evidence:
        return without_evidence(metadata)
    removed = {CLEANING, QUARANTINED}
    remaining = {key: value for key, value in evidence.items() if key not in removed}
    return {**metadata, EVIDENCE: remaining}


def has_evidence(metadata: Mapping[Any, Any]) -> bool:
    """Whether this package, not the user, wrote the value of ``logic``."""
    evidence = metadata.get(EVIDENCE)
    if not isinstance(evidence, Mapping):
        return False
    if _is_ranking(evidence):
        return True
    cleaning = evidence.get(CLEANING)
    return evidence.keys() <= _OTHER_KEYS and (
        _is_ranking(evidence.get(CONTRADICTION))
        or (isinstance(cleaning, Mapping) and isinstance(cleaning.get("findings"), list))
    )


def is_quarantined(metadata: Mapping[Any, Any]) -> bool:
    """Whether a cleaner decided to hide the document."""
    return has_evidence(metadata) and metadata[EVIDENCE].get(QUARANTINED) is True


def source_of(metadata: Mapping[Any, Any]) -> Any:
    """Return the source that :func:`with_ranking` stored, or None."""
    evidence = metadata.get(EVIDENCE)
    return evidence.get("source") if _is_ranking(evidence) else None


def _with_added(metadata: Mapping[Any, Any], added: Mapping[str, Any]) -> dict[Any, Any]:
    """Copy the metadata deeply, add evidence, and keep the user's value under ``replaced``."""
    copied = deepcopy(dict(metadata))
    evidence: Any = copied.get(EVIDENCE)
    if not has_evidence(copied):
        evidence = {REPLACED: {EVIDENCE: evidence}} if EVIDENCE in copied else {}
    return {**copied, EVIDENCE: {**evidence, **added}}


def _is_ranking(evidence: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(evidence, Mapping) and evidence.keys() >= _RANKING_KEYS
