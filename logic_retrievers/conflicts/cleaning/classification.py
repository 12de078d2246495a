"""Classify pairs: contradiction, newer version, other scope, paraphrase, copy (``result.Kind``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.candidate_pairs import (
    MIN_PROBABILITY,
    NEAR_COPY_COSINE,
    CandidatePairs,
)
from logic_retrievers.conflicts.cleaning.metadata import (
    find_later,
    find_newer_version,
    find_other_scope,
)
from logic_retrievers.conflicts.cleaning.result import Finding, Kind
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, ReadThresholds
from logic_retrievers.conflicts.cleaning.word_diff import find_differences, have_same_words
from logic_retrievers.types import SCORE_DECIMALS, Passage

# probability from which a passage counts as opposed to a trusted one
OPPOSED_PROBABILITY = 0.8

# findings come in the order of the kinds
_ORDER = {kind: rank for rank, kind in enumerate(Kind)}

# least share of a side in the probability of two states, to be the newer one
_MIN_NEWER = 0.8

_READ_AS = {
    Kind.CONTRADICTION: "read together they contradict each other",
    Kind.SUPERSEDED: "read together they are two states of one thing",
    Kind.SCOPE: "read together they speak of different things",
    Kind.PARAPHRASE: "read together they say the same",
}


def classify_pairs(
    candidates: CandidatePairs,
    pairs: Sequence[CandidatePair],
    settings: CleaningSettings,
    threshold: float,
    opposition: Mapping[tuple[int, int], float] | None = None,
    read: ReadThresholds | None = None,
) -> list[Finding]:
    """Return findings for the pairs that relate in some way, the most serious first.

    ``opposition``: pair with a trusted passage -> probability that the other passage has the
    opposite stance. It replaces the probability of the vectors and what a cross-encoder read
    without being sure, but not the probability by a user's judge. ``read``: needed for pairs with
    a relation.
    """
    classified = []
    for pair in pairs:
        opposed, least = (opposition or {}).get((pair.one, pair.other)), threshold
        by = "vectors" if pair.probability == pair.own_probability else "judge"
        is_sure = pair.relation and read and pair.conflict_probability >= read.hiding
        if opposed is not None and pair.probability == pair.own_probability and not is_sure:
            # the whole neighbourhood was judged, so that only a sure reading overrules it
            pair = replace(pair, probability=round(opposed, SCORE_DECIMALS), relation=None)
            least, by = OPPOSED_PROBABILITY, "with all that is near to the trusted passage"
        one, other = candidates.passages[pair.one], candidates.passages[pair.other]
        finding = classify_pair(one, other, pair, settings, least, read, by)
        if finding is not None:
            if finding.kind is not Kind.DUPLICATE:
                differences = find_differences(one.text, other.text)
                finding = replace(finding, differences=differences)
            key = (-finding.probability, *pair.sort_key[1:])
            classified.append((_ORDER[finding.kind], key, finding))
    classified.sort(key=lambda row: row[:2])
    return [finding for _, _, finding in classified]


def classify_pair(
    one: Passage,
    other: Passage,
    pair: CandidatePair,
    settings: CleaningSettings,
    threshold: float,
    read: ReadThresholds | None = None,
    by: str = "vectors",
) -> Finding | None:
    """Classify how two passages relate; None if there is nothing to report.

    What the metadata declare comes first. Otherwise a cross-encoder decides if it has read the two,
    else the vectors. A doubtful contradiction counts as none.

    Args:
        one: a passage.
        other: another one.
        pair: their scores, and the cross-encoder's reading if there is one.
        settings: names the metadata keys.
        threshold: least probability of a contradiction.
        read: thresholds of the cross-encoder's probabilities; needed with a relation.
        by: what the probability is from if no cross-encoder has read the pair, for the reason.
    """
    if found := classify_by_metadata(one, other, pair, settings, threshold):
        return found
    if pair.relation is not None and read is not None:
        return _by_reading(one, other, pair, pair.relation, settings, read)
    if pair.probability < threshold:
        return None
    reason = f"{by}: they contradict each other ({pair.probability:.2f})"
    return _finding(one, other, pair, Kind.CONTRADICTION, reason)


def classify_by_metadata(
    one: Passage, other: Passage, pair: CandidatePair, settings: CleaningSettings, threshold: float
) -> Finding | None:
    """Find copies, and what the metadata declare of near-copies and likely contradictions."""
    if have_same_words(one.text, other.text):
        reason = "they say the same in the same words"
        return _finding(one, other, pair, Kind.DUPLICATE, reason)
    if pair.cosine < NEAR_COPY_COSINE and pair.probability < threshold:
        return None
    if reason := find_other_scope(one, other, settings.scope_keys):
        return _finding(one, other, pair, Kind.SCOPE, reason)
    keys = settings.document_key, settings.date_key, settings.version_key
    if version := find_newer_version(one, other, *keys):
        return _finding(one, other, pair, Kind.SUPERSEDED, version[1], newer=version[0])
    return None


def _by_reading(
    one: Passage,
    other: Passage,
    pair: CandidatePair,
    relation: Sequence[float],
    settings: CleaningSettings,
    thresholds: ReadThresholds,
) -> Finding | None:
    contradiction, superseded, supersedes, scope, paraphrase, unrelated = relation
    conflict = pair.conflict_probability
    probabilities = {
        Kind.CONTRADICTION: contradiction,
        Kind.SUPERSEDED: superseded + supersedes,
        Kind.SCOPE: scope,
        Kind.PARAPHRASE: paraphrase,
    }
    kind = max(probabilities, key=probabilities.__getitem__)
    is_conflict = kind in (Kind.CONTRADICTION, Kind.SUPERSEDED)
    if probabilities[kind] < unrelated or (is_conflict and conflict < thresholds.listed):
        return None
    shown = conflict if is_conflict else probabilities[kind]
    reason = f"{_READ_AS[kind]} ({shown:.2f})"
    if other_scope := find_other_scope(one, other, settings.scope_keys):
        kind, reason, is_conflict = Kind.SCOPE, other_scope, False
    if not is_conflict:
        return None if _is_far(pair) else _finding(one, other, pair, kind, reason)
    keys = settings.document_key, settings.date_key, settings.version_key
    if version := find_newer_version(one, other, *keys):
        return _finding(one, other, pair, Kind.SUPERSEDED, version[1], newer=version[0])
    certain = conflict >= thresholds.hiding
    newer: Passage | None = None
    if kind is Kind.SUPERSEDED and certain:
        newer = _read_newer(one, other, superseded, supersedes, settings)
    return _finding(one, other, pair, kind, reason, newer=newer, certain=certain)


def _finding(
    one: Passage,
    other: Passage,
    pair: CandidatePair,
    kind: Kind,
    reason: str,
    *,
    newer: Passage | None = None,
    certain: bool = True,
) -> Finding:
    return Finding(
        one.id,
        other.id,
        kind,
        reason,
        pair.cosine,
        pair.score,
        pair.conflict_probability,
        pair.own_probability,
        newer=None if newer is None else newer.id,
        certain=certain,
    )


def _is_far(pair: CandidatePair) -> bool:
    """Whether two passages without a conflict are too far apart for a line in a report."""
    return pair.cosine < NEAR_COPY_COSINE and pair.own_probability < MIN_PROBABILITY


def _read_newer(
    one: Passage,
    other: Passage,
    superseded: float,
    supersedes: float,
    settings: CleaningSettings,
) -> Passage | None:
    """Return the newer of two states, as read or else as dated; None if the two disagree."""
    read: Passage | None = None
    if max(superseded, supersedes) >= _MIN_NEWER * (superseded + supersedes):
        read = one if supersedes > superseded else other
    later = find_later(one, other, settings.date_key, settings.version_key)
    if later is None:
        return read
    return later[0] if read is None or read is later[0] else None
