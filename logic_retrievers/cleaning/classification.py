"""Classify pairs: contradiction, newer version, other scope, paraphrase, copy (``result.Kind``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from logic_retrievers.cleaning.candidate_pairs import (
    MIN_PROBABILITY,
    NEAR_COPY_COSINE,
    CandidatePairs,
)
from logic_retrievers.cleaning.differences import have_same_words
from logic_retrievers.cleaning.pair_rules import metadata_rules, text_rules
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair
from logic_retrievers.cleaning.result import Difference, Finding, Kind, Side
from logic_retrievers.cleaning.settings import SCOPE_KEYS, CleaningSettings
from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.judging.pair_kinds import PAIR_KINDS
from logic_retrievers.types import SCORE_DECIMALS, Passage

# probability from which a passage counts as opposed to a trusted one
OPPOSED_PROBABILITY = 0.8

# findings come in the order of the kinds
_ORDER = {kind: rank for rank, kind in enumerate(Kind)}

# least (cosine, overlap of topics) of two passages that say the same
_SAME_WORDING = ((0.7, 0.3), (0.85, 0.2))

# returns a reason, with the newer side if there is one; empty or None if the rule does not apply
Rule: TypeAlias = Callable[[PassagePair], str | text_rules.NewerSide | None]

# (kind that a rule gives to a pair, rule), in the order in which rules are asked
Rules: TypeAlias = tuple[tuple[Kind, Rule], ...]

_METADATA_RULES: Rules = (
    (Kind.SCOPE, metadata_rules.find_metadata_scope),
    (Kind.SUPERSEDED, metadata_rules.find_newer_by_metadata),
    (Kind.SCOPE, metadata_rules.find_metadata_category),
)
_TEXT_RULES: Rules = (
    (Kind.SUPERSEDED, text_rules.find_newer_by_text),
    (Kind.SCOPE, text_rules.find_other_unit),
    (Kind.SCOPE, text_rules.find_other_scope),
    (Kind.SCOPE, text_rules.find_other_year),
    (Kind.SCOPE, text_rules.find_other_subject),
)
_VECTOR_RULE: Rules = ((Kind.CONTRADICTION, text_rules.find_vector_contradiction),)
_CONTRADICTION_RULES: Rules = (
    (Kind.CONTRADICTION, text_rules.find_conflicting_value),
    (Kind.CONTRADICTION, text_rules.find_denial),
    *_VECTOR_RULE,
)

# The vectors (and for near-copies the rules) may find a contradiction only if the cross-encoder
# gives contradiction and newer version together this probability. The cross-encoder often misses a
# changed value, but recognises another scope and a paraphrase.
_MIN_READ = 0.2
# least probability of a contradiction alone at which the rules count for any two texts
_MIN_AGREED = 0.3

# If two versions have at least this probability by the cross-encoder, the later date or version in
# the metadata decides. Half of the true pairs reach it, and no pair in corpora without such pairs.
_MIN_NEWER = 0.8

_UNRELATED = "unrelated"
_READ_AS = {
    Kind.CONTRADICTION: "read together they contradict each other",
    Kind.SUPERSEDED: "read together they are two states of one thing",
    Kind.SCOPE: "read together they speak of different things",
    Kind.PARAPHRASE: "read together they say the same",
}


@dataclass(frozen=True, slots=True)
class PairClassification:
    """How two passages relate.

    Args:
        kind: kind of the relation.
        reason: in a sentence for people, the same whichever passage comes first.
        differences: where the texts differ, in the order of the first text.
        newer: which of the two is the newer version; None if neither is known to be.
        probability: of a contradiction, by the cross-encoder; None if rules or vectors decided.
    """

    kind: Kind
    reason: str
    differences: tuple[Difference, ...] = ()
    newer: Side | None = None
    probability: float | None = None


def classify_pairs(
    candidates: CandidatePairs,
    pairs: Sequence[CandidatePair],
    settings: CleaningSettings,
    threshold: float,
    opposition: Mapping[tuple[int, int], float] | None = None,
    kinds_threshold: float = 0.5,
) -> list[Finding]:
    """Return findings for the pairs that relate in some way, the most serious first.

    ``opposition``: pair with a trusted passage -> probability that the other passage has the
    opposite stance. It replaces the probability of the vectors, but not that of a judge.
    ``kinds_threshold`` is the least probability of a contradiction by the cross-encoder.
    """
    classified = []
    for pair in pairs:
        opposed, least = (opposition or {}).get((pair.one, pair.other)), threshold
        if opposed is not None and pair.probability == pair.own_probability:
            # the whole neighbourhood was judged, so no reading of two passages overrules it
            pair = replace(pair, probability=round(opposed, SCORE_DECIMALS), kinds=None)
            least = OPPOSED_PROBABILITY
        found = classify_candidate(candidates.passages, pair, settings, least, kinds_threshold)
        if found is not None and not _is_far(pair, found.kind):
            finding = _finding(candidates.passages, pair, found)
            key = (-finding.probability, *pair.sort_key[1:])
            classified.append((_ORDER[finding.kind], key, finding))
    classified.sort(key=lambda row: row[:2])
    return [finding for _, _, finding in classified]


def classify_candidate(
    passages: Sequence[Passage],
    pair: CandidatePair,
    settings: CleaningSettings,
    threshold: float,
    kinds_threshold: float = 0.5,
) -> PairClassification | None:
    """:func:`classify_pair` for a pair by position."""
    return classify_pair(
        passages[pair.one],
        passages[pair.other],
        probability=pair.probability,
        cosine=pair.cosine,
        threshold=threshold,
        date_key=settings.date_key,
        source_key=settings.source_key,
        scope_keys=settings.scope_keys,
        kinds=pair.kinds,
        kinds_threshold=kinds_threshold,
    )


def _finding(
    passages: Sequence[Passage], pair: CandidatePair, found: PairClassification
) -> Finding:
    one, other = passages[pair.one].id, passages[pair.other].id
    return Finding(
        one,
        other,
        found.kind,
        found.reason,
        pair.cosine,
        pair.score,
        pair.probability if found.probability is None else found.probability,
        pair.own_probability,
        found.differences,
        {"one": one, "other": other}.get(found.newer or ""),
    )


def _is_far(pair: CandidatePair, kind: Kind) -> bool:
    """Whether two passages without a conflict are too far apart for a line in a report."""
    proposed = pair.cosine >= NEAR_COPY_COSINE or pair.own_probability >= MIN_PROBABILITY
    return kind in (Kind.SCOPE, Kind.PARAPHRASE) and pair.kinds is not None and not proposed


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
    kinds: Sequence[float] | None = None,
    kinds_threshold: float = 0.5,
) -> PairClassification | None:
    """Classify how two passages relate; None if they have nothing to do with each other.

    The order of the two does not matter. The certain rules come first. They find the same words,
    another scope or a newer version by the metadata, and then a newer version, other units or
    another scope by the texts. Then come rules for a contradiction: a value that differs, a denial,
    or the vectors. If a cross-encoder has read the two, its reading must leave room for a
    contradiction, and it decides all other pairs. Otherwise likeness decides whether they say the
    same in other words. A doubtful contradiction counts as none.

    Args:
        one: a passage.
        other: a passage near it.
        probability: of a contradiction, from the contradiction vectors.
        cosine: of the topical vectors.
        threshold: least probability of a contradiction.
        date_key: metadata key of the date; ``a.b`` for a nested one, here and below.
        source_key: metadata key of the source.
        scope_keys: keys for what a passage is true of; ``year`` stands for ``school_year`` too. If
            there are any, other keys with the names of two categories count as well, for texts that
            are nearly the same.
        kinds: probabilities of ``PAIR_KINDS`` from a cross-encoder that has read both.
        kinds_threshold: least probability of a contradiction in ``kinds``.
    """
    if have_same_words(one.text, other.text):
        return PairClassification(Kind.DUPLICATE, "they say the same in the same words")
    swapped = other.text < one.text  # in a fixed order, so that the given order does not matter
    left, right = (other, one) if swapped else (one, other)
    pair = PassagePair(
        left, right, probability, cosine, threshold, date_key, source_key, scope_keys
    )
    classification = _classify(pair, kinds, kinds_threshold)
    return _swapped(classification) if swapped and classification else classification


def _classify(
    pair: PassagePair, kinds: Sequence[float] | None, kinds_threshold: float
) -> PairClassification | None:
    """Apply the rules, then the cross-encoder's reading or, if there is none, the wording."""
    read = None if kinds is None else dict(zip(PAIR_KINDS, kinds, strict=True))
    if pair.is_decided_by_vectors:
        rules = (*_METADATA_RULES, *_CONTRADICTION_RULES)
    else:
        rules = (*_METADATA_RULES, *_TEXT_RULES, *_contradiction_rules(pair, read))
    classification = _apply(rules, pair)
    if classification and (read is None or _is_borne_out(classification.kind, pair, read)):
        return classification
    return _by_wording(pair) if read is None else _by_kinds(pair, read, kinds_threshold)


def _is_borne_out(kind: Kind, pair: PassagePair, read: Mapping[str, float]) -> bool:
    """Whether the reading confirms a rule's kind; only versions that are far apart need that.

    Two notes in one file with different dates need not be about the same thing.
    """
    if kind is not Kind.SUPERSEDED or pair.cosine >= NEAR_COPY_COSINE:
        return True
    return max(PAIR_KINDS, key=read.__getitem__) in (Kind.SUPERSEDED, Kind.CONTRADICTION)


def _contradiction_rules(pair: PassagePair, read: Mapping[str, float] | None) -> Rules:
    """Return the contradiction rules for which a cross-encoder's reading leaves room."""
    if read is None:
        return _CONTRADICTION_RULES
    conflict, paraphrase = read[Kind.CONTRADICTION], read[Kind.PARAPHRASE]
    if conflict + read[Kind.SUPERSEDED] < max(_MIN_READ, paraphrase):
        return ()
    agreed = conflict >= max(_MIN_AGREED, paraphrase)
    near_copies = pair.cosine >= NEAR_COPY_COSINE
    return _CONTRADICTION_RULES if agreed or near_copies else _VECTOR_RULE


def _by_wording(pair: PassagePair) -> PairClassification | None:
    """Return a paraphrase if the texts are alike, else None."""
    near = any(pair.cosine >= cosine and pair.overlap >= alike for cosine, alike in _SAME_WORDING)
    if not near or pair.opposed_values or text_rules.denial_words(pair):
        return None
    reason = "they say the same in other words"
    return PairClassification(Kind.PARAPHRASE, reason, pair.comparison.differences)


def _by_kinds(
    pair: PassagePair, read: Mapping[str, float], threshold: float
) -> PairClassification | None:
    """Return the likeliest kind by the cross-encoder; a doubtful contradiction is none."""
    name = max(PAIR_KINDS, key=read.__getitem__)
    if name == _UNRELATED or (name == Kind.CONTRADICTION and read[name] < threshold):
        return None
    is_state = name == Kind.SUPERSEDED and read[name] >= _MIN_NEWER
    later = metadata_rules.later_by_metadata(pair) if is_state else None
    reason = f"{_READ_AS[Kind(name)]} ({read[name]:.2f})"
    if name == Kind.CONTRADICTION and len(pair.opposed_values) == 1:
        reason = f"{pair.contrast(pair.opposed_values[0])}; {reason}"
    return PairClassification(
        Kind(name),
        reason,
        pair.comparison.differences,
        later[0] if later else None,
        read[Kind.CONTRADICTION],
    )


def _apply(rules: Rules, pair: PassagePair) -> PairClassification | None:
    for kind, rule in rules:
        if found := rule(pair):
            newer, reason = (None, found) if isinstance(found, str) else found
            return PairClassification(kind, reason, pair.comparison.differences, newer)
    return None


def _swapped(classification: PairClassification) -> PairClassification:
    sides: dict[Side | None, Side | None] = {"one": "other", "other": "one", None: None}
    differences = tuple(Difference(d.type, d.other, d.one) for d in classification.differences)
    return replace(classification, differences=differences, newer=sides[classification.newer])
