"""How two passages relate: contradiction, newer version, other scope, paraphrase, copy. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from logic_retrievers.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.cleaning.differences import have_same_words
from logic_retrievers.cleaning.pair_rules import (
    contradiction,
    metadata_rules,
    newer_version,
    number_labels,
    other_scope,
    person_groups,
    short_text_scope,
)
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, are_parallel
from logic_retrievers.cleaning.result import Difference, Finding, Kind, Side
from logic_retrievers.cleaning.settings import SCOPE_KEYS, CleaningSettings
from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.types import SCORE_DECIMALS, Passage

OPPOSED_PROBABILITY = 0.8
"""Probability from which a passage counts as opposed to a trusted one."""

_ORDER = {kind: rank for rank, kind in enumerate(Kind)}
"""Findings come in the order of the kinds."""

_MIN_TOPIC_SHARE = 0.1
_MIN_TOPIC_SHARE_LONG = 0.15
"""Share of the topic under which two passages are not related, for short and long texts."""

_MIN_NOTICE_COSINE = 0.6
"""Cosine from which a text may say that what the other describes is over."""

_PARAPHRASE = ((0.7, 0.3), (0.85, 0.2), (0.6, 0.45))
"""Cosine and share of the topic from which two passages say the same."""

_EARLY_SCOPE_RULES = (
    number_labels.find_other_label,
    short_text_scope.find_other_year,
    other_scope.find_other_subject,
    other_scope.find_other_frame,
)
"""Rules for another scope that come before those for a contradiction."""

_LATE_SCOPE_RULES = (
    person_groups.find_other_group,
    short_text_scope.find_other_names,
    short_text_scope.find_other_variant,
    short_text_scope.find_other_subject,
)
"""Weak rules for another scope, applied after those for a contradiction."""


@dataclass(frozen=True, slots=True)
class PairClassification:
    """How two passages relate.

    Args:
        kind: of the relation.
        reason: in a sentence for people, the same whichever passage comes first.
        differences: where the texts differ, in the order of the first text.
        newer: which of the two is the newer version; None where neither is.
    """

    kind: Kind
    reason: str
    differences: tuple[Difference, ...] = ()
    newer: Side | None = None


def classify_pairs(
    candidates: CandidatePairs,
    pairs: Sequence[CandidatePair],
    settings: CleaningSettings,
    threshold: float,
    opposition: Mapping[tuple[int, int], float] | None = None,
) -> list[Finding]:
    """The pairs that relate in some way as findings, the most serious first.

    Args:
        candidates: the passages of the pairs.
        pairs: with the judge's probabilities, where there are any.
        settings: the keys of the metadata.
        threshold: least probability of a contradiction.
        opposition: pair with a trusted passage -> probability that the other passage has the
            opposite stance; replaces our own probability, but not the judge's.
    """
    classified = []
    for pair in pairs:
        opposed = (opposition or {}).get((pair.one, pair.other))
        if opposed is not None and pair.probability == pair.own_probability:
            pair = replace(pair, probability=round(opposed, SCORE_DECIMALS))
            finding = _find(candidates, pair, settings, OPPOSED_PROBABILITY)
        else:
            finding = _find(candidates, pair, settings, threshold)
        if finding is not None:
            classified.append((_ORDER[finding.kind], pair.sort_key, finding))
    classified.sort(key=lambda row: row[:2])
    return [finding for _, _, finding in classified]


def _find(
    candidates: CandidatePairs, pair: CandidatePair, settings: CleaningSettings, threshold: float
) -> Finding | None:
    one, other = candidates.passages[pair.one], candidates.passages[pair.other]
    classification = classify_pair(
        one,
        other,
        probability=pair.probability,
        cosine=pair.cosine,
        threshold=threshold,
        date_key=settings.date_key,
        source_key=settings.source_key,
        scope_keys=settings.scope_keys,
    )
    is_ranked = (pair.one, pair.other) in candidates.ranked
    if is_ranked and (classification is None or classification.kind is not Kind.DUPLICATE):
        classification = replace(
            classification or PairClassification(Kind.CONTRADICTION, ""),
            kind=Kind.CONTRADICTION,
            reason="one of those that contradict a trusted passage most",
        )
    if classification is None:
        return None
    return Finding(
        one.id,
        other.id,
        classification.kind,
        classification.reason,
        pair.cosine,
        pair.score,
        pair.probability,
        pair.own_probability,
        classification.differences,
        {"one": one.id, "other": other.id}.get(classification.newer or ""),
    )


def classify_pair(
    one: Passage,
    other: Passage,
    *,
    probability: float,
    cosine: float,
    threshold: float,
    date_key: str = "date",
    source_key: str = "source",
    scope_keys: Sequence[str] = SCOPE_KEYS,
) -> PairClassification | None:
    """How two passages relate; None: they have nothing to do with each other.

    The order of the two does not matter. The rules are applied in this order: the same words; a
    newer version, by the texts; other units, or another scope by metadata or texts; a newer
    version, by the metadata; a contradiction; else the same in other words. A doubtful
    contradiction is none.

    Args:
        one: a passage.
        other: one that is near to it.
        probability: of a contradiction, from the contradiction vectors.
        cosine: of the topical vectors.
        threshold: least probability of a contradiction.
        date_key: of the date in the metadata; ``a.b`` for a nested one, here and below.
        source_key: of the source.
        scope_keys: that say what a passage is true of; ``year`` stands for ``school_year`` too. If
            there are any, keys of other names whose values are two names count as well, where the
            texts are nearly the same.
    """
    if have_same_words(one.text, other.text):
        return PairClassification(Kind.DUPLICATE, "they say the same in the same words")
    if other.text < one.text:  # a fixed order makes the result independent of the order given
        classification = classify_pair(
            other,
            one,
            probability=probability,
            cosine=cosine,
            threshold=threshold,
            date_key=date_key,
            source_key=source_key,
            scope_keys=scope_keys,
        )
        return None if classification is None else _swapped(classification)
    pair = PassagePair(
        one,
        other,
        probability,
        cosine,
        threshold,
        date_key,
        source_key,
        scope_keys,
    )
    if (
        probability < threshold
        and pair.overlap < _MIN_TOPIC_SHARE + _MIN_TOPIC_SHARE_LONG * pair.relative_length
    ):
        return _classify_notice(pair)
    return _classify(pair)


def _classify(pair: PassagePair) -> PairClassification | None:
    differences = pair.comparison.differences
    if reason := metadata_rules.find_metadata_scope(pair):
        return PairClassification(Kind.SCOPE, reason, differences)
    if not pair.is_decided_by_vectors:
        if reason := other_scope.find_other_unit(pair):
            return PairClassification(Kind.SCOPE, reason, differences)
        if later := newer_version.find_newer_by_text(pair):
            return PairClassification(Kind.SUPERSEDED, later[1], differences, later[0])
    if later := newer_version.find_newer_by_metadata(pair):
        return PairClassification(Kind.SUPERSEDED, later[1], differences, later[0])
    if reason := metadata_rules.find_metadata_category(pair):
        return PairClassification(Kind.SCOPE, reason, differences)
    if not pair.is_decided_by_vectors and (reason := other_scope.find_other_scope(pair)):
        return PairClassification(Kind.SCOPE, reason, differences)
    if not pair.is_decided_by_vectors:
        for scope_rule in _EARLY_SCOPE_RULES:
            if reason := scope_rule(pair):
                return PairClassification(Kind.SCOPE, reason, differences)
    for rule in (
        contradiction.find_conflicting_value,
        contradiction.find_denial,
        contradiction.find_conflicting_answer,
        contradiction.find_vector_contradiction,
    ):
        if reason := rule(pair):
            return PairClassification(Kind.CONTRADICTION, reason, differences)
    if remaining := _classify_last(pair):
        return remaining
    near = any(pair.cosine >= cosine and pair.overlap >= alike for cosine, alike in _PARAPHRASE)
    if (
        near
        and not any(change.in_both for change in pair.value_changes)
        and not contradiction.denial_words(pair)
    ):
        return PairClassification(Kind.PARAPHRASE, "they say the same in other words", differences)
    return None


def _classify_notice(pair: PassagePair) -> PairClassification | None:
    """Pairs with few words in common: one may say that what the other describes is over."""
    later = newer_version.find_newer_by_notice(pair) if pair.cosine >= _MIN_NOTICE_COSINE else None
    if later is None:
        return _classify_last(pair)
    return PairClassification(Kind.SUPERSEDED, later[1], pair.comparison.differences, later[0])


def _classify_last(pair: PassagePair) -> PairClassification | None:
    """Weak rules, applied where no other rule matched."""
    if reason := short_text_scope.find_other_heading(pair):
        return PairClassification(Kind.SCOPE, reason, pair.comparison.differences)
    if not are_parallel(pair):
        return None
    for scope_rule in _LATE_SCOPE_RULES:
        if reason := scope_rule(pair):
            return PairClassification(Kind.SCOPE, reason, pair.comparison.differences)
    if later := newer_version.find_newer_by_hint(pair):
        return PairClassification(Kind.SUPERSEDED, later[1], pair.comparison.differences, later[0])
    return None


def _swapped(classification: PairClassification) -> PairClassification:
    """The classification with the two passages swapped."""
    sides: dict[Side | None, Side | None] = {"one": "other", "other": "one", None: None}
    differences = tuple(
        Difference(difference.type, difference.other, difference.one)
        for difference in classification.differences
    )
    newer = sides[classification.newer]
    return replace(classification, differences=differences, newer=newer)
