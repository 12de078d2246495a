"""Classify pairs: contradiction, newer version, other scope, paraphrase, copy (``result.Kind``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

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
    find_other_time,
)
from logic_retrievers.conflicts.cleaning.result import Finding, Kind
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, Criteria, ReadThresholds
from logic_retrievers.conflicts.cleaning.word_diff import find_differences, have_same_words
from logic_retrievers.conflicts.pair_judge import Readings
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.client_calls import batches
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.types import SCORE_DECIMALS, Passage

# A cross-encoder reads a batch in some seconds; progress is reported after each.
PAIRS_PER_BATCH = 256
# least probability at which a passage opposes a trusted one
OPPOSED_PROBABILITY = 0.8
# least share of the probability of two states that makes one side the newer
_MIN_NEWER = 0.8
# rank of each kind, by which findings are sorted
_ORDER = {kind: rank for rank, kind in enumerate(Kind)}

_READ_AS = {
    Kind.CONTRADICTION: "read together they contradict each other",
    Kind.SUPERSEDED: "read together they are two states of one thing",
    Kind.SCOPE: "read together they speak of different things",
    Kind.PARAPHRASE: "read together they say the same",
}

# how two passages relate, why, which is the newer, and whether the relation may hide a passage
Relation: TypeAlias = tuple[Kind, str, Passage | None, bool]


def read_pairs(
    candidates: CandidatePairs, criteria: Criteria, readings: Readings, meter: ProgressMeter
) -> Operation[list[CandidatePair]]:
    """Have the cross-encoder read each pair whose relation the metadata do not declare.

    New readings are added to ``readings``. ``meter`` counts passages in proportion to the pairs
    read.
    """
    passages, settings, reader = candidates.passages, criteria.settings, criteria.reader
    assert reader is not None
    # hidden from the reader, because two dates make any pair look like versions of one text
    times = settings.validity or ()
    unread = (settings.date_key, settings.version_key, settings.source_key, *times)

    def read(batch: Sequence[CandidatePair]) -> list[CandidatePair]:
        undeclared: list[CandidatePair] = []
        declared: list[CandidatePair] = []
        for pair in batch:
            likely = pair.probability >= criteria.constants.threshold
            found = declared_relation(
                passages[pair.one], passages[pair.other], pair, settings, likely=likely
            )
            (declared if found else undeclared).append(pair)
        return [*reader.judge(undeclared, passages, unread, readings), *declared]

    examined, count = len(candidates.digests), len(candidates.pairs)
    pairs: list[CandidatePair] = []
    for batch in batches(candidates.pairs, PAIRS_PER_BATCH):
        pairs += yield Compute(partial(read, batch))
        meter.report(examined * len(pairs) // count, examined)
    if not pairs:
        meter.report(examined)
    return pairs


def classify_pairs(
    candidates: CandidatePairs,
    pairs: Sequence[CandidatePair],
    settings: CleaningSettings,
    threshold: float,
    opposition: Mapping[tuple[int, int], float] | None = None,
    read: ReadThresholds | None = None,
) -> list[Finding]:
    """Return findings for the pairs that relate in some way, the most serious first.

    ``opposition``: pair with a trusted passage -> probability that the second passage has the
    opposite stance. This replaces the vectors' probability and an unsure reading by a
    cross-encoder, but not the probability from a user's judge. ``read`` is required for pairs that
    a cross-encoder has read.
    """
    classified = []
    for pair in pairs:
        opposed, least = (opposition or {}).get((pair.one, pair.other)), threshold
        by = "vectors" if pair.judged is None else "judge"
        is_unsure = pair.reading and read and pair.probability < read.hiding
        if opposed is not None and (pair.judged is None or is_unsure):
            # opposition weighs the whole neighbourhood, so only a sure reading overrules it
            pair = replace(pair, judged=round(opposed, SCORE_DECIMALS), reading=None)
            least, by = OPPOSED_PROBABILITY, "with all that is near to the trusted passage"
        one, other = candidates.passages[pair.one], candidates.passages[pair.other]
        finding = classify_pair(one, other, pair, settings, least, read, by)
        if finding is not None:
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

    Metadata decide first, then a cross-encoder if it has read the pair, else the vectors. A
    doubtful contradiction is not reported. ``read`` is required if the pair has a reading. For a
    pair without a reading, the reason names ``by`` as the source of the probability.
    """
    found: Relation | None = None
    if pair.reading is not None and read is not None:
        found = _read_relation(one, other, pair, pair.reading, settings, read)
    elif pair.probability >= threshold:
        reason = f"{by}: they contradict each other ({pair.probability:.2f})"
        found = Kind.CONTRADICTION, reason, None, True
    is_conflict = found is not None and found[0] in (Kind.CONTRADICTION, Kind.SUPERSEDED)
    if declared := declared_relation(one, other, pair, settings, likely=is_conflict):
        found = declared
    elif found and (other_scope := _other_scope(one, other, settings)):
        found = Kind.SCOPE, other_scope, None, True
    is_far = pair.cosine < NEAR_COPY_COSINE and pair.own_probability < MIN_PROBABILITY
    if found is None or (is_far and found[0] in (Kind.SCOPE, Kind.PARAPHRASE)):
        return None  # two passages on one topic without a conflict are not worth a line
    kind, reason, newer, certain = found
    return Finding(
        one.id,
        other.id,
        kind,
        reason,
        pair.cosine,
        pair.score,
        pair.probability,
        pair.own_probability,
        () if kind is Kind.DUPLICATE else find_differences(one.text, other.text),
        None if newer is None else newer.id,
        certain,
    )


def declared_relation(
    one: Passage, other: Passage, pair: CandidatePair, settings: CleaningSettings, *, likely: bool
) -> Relation | None:
    """Find copies; for near-copies and ``likely`` contradictions, find what metadata declare."""
    if have_same_words(one.text, other.text):
        return Kind.DUPLICATE, "they say the same in the same words", None, True
    if not likely and pair.cosine < NEAR_COPY_COSINE:
        return None
    if reason := _other_scope(one, other, settings):
        return Kind.SCOPE, reason, None, True
    keys = settings.document_key, settings.date_key, settings.version_key
    if version := find_newer_version(one, other, *keys):
        return Kind.SUPERSEDED, version[1], version[0], True
    return None


def _other_scope(one: Passage, other: Passage, settings: CleaningSettings) -> str:
    return find_other_scope(one, other, settings.scope_keys) or find_other_time(
        one, other, settings.validity
    )


def _read_relation(
    one: Passage,
    other: Passage,
    pair: CandidatePair,
    reading: Sequence[float],
    settings: CleaningSettings,
    thresholds: ReadThresholds,
) -> Relation | None:
    contradiction, superseded, supersedes, scope, paraphrase, unrelated = reading
    probabilities = {
        Kind.CONTRADICTION: contradiction,
        Kind.SUPERSEDED: superseded + supersedes,
        Kind.SCOPE: scope,
        Kind.PARAPHRASE: paraphrase,
    }
    kind = max(probabilities, key=probabilities.__getitem__)
    if probabilities[kind] < unrelated:
        return None
    if kind in (Kind.SCOPE, Kind.PARAPHRASE):
        return kind, f"{_READ_AS[kind]} ({probabilities[kind]:.2f})", None, True
    if pair.probability < thresholds.listed:
        return None
    newer: Passage | None = None
    if kind is Kind.SUPERSEDED and pair.probability >= thresholds.hiding:
        newer = _read_newer(one, other, superseded, supersedes, settings)
    reason = f"{_READ_AS[kind]} ({pair.probability:.2f})"
    return kind, reason, newer, pair.probability >= thresholds.hiding


def _read_newer(
    one: Passage,
    other: Passage,
    superseded: float,
    supersedes: float,
    settings: CleaningSettings,
) -> Passage | None:
    """Return the newer state as read, or else as dated; None if reading and dates disagree."""
    read: Passage | None = None
    if max(superseded, supersedes) >= _MIN_NEWER * (superseded + supersedes):
        read = one if supersedes > superseded else other
    later = find_later(one, other, settings.date_key, settings.version_key)
    if later is None:
        return read
    return later[0] if read is None or read is later[0] else None
