"""Evidence in the metadata of a document or node, and the metadata without it. Pure functions.

Everything stands under one key, ``logic``: why a search or a reranker put a document where it is,
what a contradiction filter says about it (``contradiction``), and what a cleaner found on its way
into a store (``cleaning``, ``quarantined``). A user's own value under that key is kept under
``replaced`` and put back. No function changes what it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeGuard, TypeVar

from logic_retrievers.cleaning import ScreeningResult, explain
from logic_retrievers.types import Hit, Passage

T = TypeVar("T")

EVIDENCE = "logic"
CONTRADICTION = "contradiction"
CLEANING = "cleaning"
QUARANTINED = "quarantined"
"""True where the document is to be hidden; ``PassageIndex`` reads this key of what others store."""
REPLACED = "replaced"
_RANKING_KEYS = frozenset({"policy", "scores", "ranks", "passed_filter"})
_OTHER_KEYS = frozenset({CONTRADICTION, CLEANING, QUARANTINED, REPLACED})


def paired(candidates: Sequence[tuple[Passage, T]], hits: Sequence[Hit]) -> list[tuple[T, Hit]]:
    """Each hit with the framework's item behind its passage.

    It is not found by its id, which several items may have.
    """
    item_of = {id(passage): item for passage, item in candidates}
    return [(item_of[id(hit.passage)], hit) for hit in hits]


def describe_hit(hit: Hit) -> dict[str, Any]:
    """A hit's evidence, score and rank, in types that JSON has."""
    return {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}


def with_ranking(
    metadata: Mapping[Any, Any], hit: Hit, score_key: str | None = None
) -> dict[Any, Any]:
    """A deep copy of the metadata with a hit's evidence in place of all earlier evidence.

    Where the framework has a usual key for the score, ``score_key`` gets the score alone.
    """
    original = deepcopy(without_evidence(metadata, score_key))
    evidence = describe_hit(hit)
    if replaced := {key: original[key] for key in (EVIDENCE, score_key) if key in original}:
        evidence[REPLACED] = replaced
    scores = {} if score_key is None else {score_key: hit.score}
    return {**original, EVIDENCE: evidence, **scores}


def with_contradictions(metadata: Mapping[Any, Any], hit: Hit) -> dict[Any, Any]:
    """A deep copy of the metadata with a contradiction filter's evidence beside the ranking's."""
    return _with_added(metadata, {CONTRADICTION: describe_hit(hit)})


def describe_findings(screened: ScreeningResult) -> dict[str, dict[str, Any]]:
    """Id of a passage -> what a cleaner says of it, in types that JSON has."""
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
    """A deep copy of the metadata with a cleaner's findings in place of earlier ones.

    ``described``: as :func:`describe_findings` has it; None: nothing was found.
    """
    remaining = without_findings(metadata)
    return _with_added(remaining, described) if described else deepcopy(dict(remaining))


def without_evidence(
    metadata: Mapping[Any, Any], score_key: str | None = None
) -> Mapping[Any, Any]:
    """The metadata before any of this package's evidence; the same object where there is none."""
    if not has_evidence(metadata):
        return metadata
    evidence = metadata[EVIDENCE]
    # beside a filter's or a cleaner's evidence alone, the score is another retriever's
    added = {EVIDENCE, score_key} if is_ranking(evidence) else {EVIDENCE}
    original = {key: value for key, value in metadata.items() if key not in added}
    return original | dict(evidence.get(REPLACED, {}))


def without_findings(metadata: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The metadata without a cleaner's findings; the same object where there are none."""
    if not has_evidence(metadata) or CLEANING not in metadata[EVIDENCE]:
        return metadata
    evidence = metadata[EVIDENCE]
    if not is_ranking(evidence) and CONTRADICTION not in evidence:
        return without_evidence(metadata)
    removed = {CLEANING, QUARANTINED}
    remaining = {key: value for key, value in evidence.items() if key not in removed}
    return {**metadata, EVIDENCE: remaining}


def has_evidence(metadata: Mapping[Any, Any]) -> bool:
    """Whether what stands under ``logic`` is this package's, and not the user's own."""
    evidence = metadata.get(EVIDENCE)
    if not isinstance(evidence, Mapping):
        return False
    if is_ranking(evidence):
        return True
    cleaning = evidence.get(CLEANING)
    return evidence.keys() <= _OTHER_KEYS and (
        is_ranking(evidence.get(CONTRADICTION))
        or (isinstance(cleaning, Mapping) and isinstance(cleaning.get("findings"), list))
    )


def is_quarantined(metadata: Mapping[Any, Any]) -> bool:
    """Whether a cleaner decided that the document is to be hidden."""
    return has_evidence(metadata) and metadata[EVIDENCE].get(QUARANTINED) is True


def _with_added(metadata: Mapping[Any, Any], added: Mapping[str, Any]) -> dict[Any, Any]:
    """A deep copy with further evidence; a user's own value under the key is kept aside."""
    copied = deepcopy(dict(metadata))
    evidence: Any = copied.get(EVIDENCE)
    if not has_evidence(copied):
        evidence = {REPLACED: {EVIDENCE: evidence}} if EVIDENCE in copied else {}
    return {**copied, EVIDENCE: {**evidence, **added}}


def is_ranking(evidence: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it holds what :func:`describe_hit` makes."""
    return isinstance(evidence, Mapping) and evidence.keys() >= _RANKING_KEYS
