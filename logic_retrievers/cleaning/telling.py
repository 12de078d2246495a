"""Pairs worth a look become findings: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from logic_retrievers.cleaning.findings import Finding, Kind
from logic_retrievers.cleaning.gathering import Gathered
from logic_retrievers.cleaning.kinds import SCOPE_KEYS, tell_apart
from logic_retrievers.cleaning.resolving import Told
from logic_retrievers.contradiction.conflicts import DECIMALS, Pair

OPPOSED = 0.8
"""Probability from which a passage counts as being on the other side of a trusted one."""
ORDER = tuple(Kind)
"""Contradictions come first, then in the order in which the kinds are written down."""


@dataclass(frozen=True, slots=True)
class Reading:
    """By what passages are told apart.

    Args:
        threshold: least probability of a contradiction.
        date_key, source_key: of the metadata.
        scope_keys: of the metadata, that say what a passage is true of.
    """

    threshold: float
    date_key: str = "date"
    source_key: str = "source"
    scope_keys: tuple[str, ...] = SCOPE_KEYS


class _Sided(NamedTuple):
    """A pair, and whether its probability is that of a whole group."""

    pair: Pair
    by_group: bool


def tell(
    gathered: Gathered,
    pairs: Sequence[Pair],
    reading: Reading,
    sides: Mapping[tuple[int, int], float] | None = None,
) -> list[Told]:
    """The findings, the most serious first.

    Args:
        gathered: what the pairs speak of.
        pairs: with the second opinion's answers, where there are any.
        reading: the settings.
        sides: places of a pair with a trusted passage -> how likely the other one is on the other
            side; takes the place of our own probability, not of a second opinion.
    """
    sided = [_sided(pair, sides or {}) for pair in pairs]
    found = [one for pair in sided if (one := _told(gathered, pair, reading)) is not None]
    return sorted(found, key=lambda one: (ORDER.index(one.finding.kind), one.pair.strength))


def _sided(pair: Pair, sides: Mapping[tuple[int, int], float]) -> _Sided:
    side = sides.get((pair.one, pair.other))
    if side is None or pair.probability != pair.own:
        return _Sided(pair, False)
    return _Sided(replace(pair, probability=round(side, DECIMALS)), True)


def _told(gathered: Gathered, judged: _Sided, reading: Reading) -> Told | None:
    pair = judged.pair
    one, other = gathered.passages[pair.one], gathered.passages[pair.other]
    cosine = gathered.cosines[pair.one, pair.other]
    told = tell_apart(
        one,
        other,
        probability=pair.probability,
        cosine=cosine,
        threshold=OPPOSED if judged.by_group else reading.threshold,
        date_key=reading.date_key,
        source_key=reading.source_key,
        scope_keys=reading.scope_keys,
    )
    kind, reason, newer = (None, "", None) if told is None else (told.kind, told.reason, told.newer)
    differences = () if told is None else told.differences
    if (pair.one, pair.other) in gathered.ranked and kind is not Kind.DUPLICATE:
        kind = Kind.CONTRADICTION
        reason = "one of those that contradict a trusted passage most"
    if kind is None:
        return None
    finding = Finding(
        one.id,
        other.id,
        kind,
        reason,
        cosine,
        pair.score,
        pair.probability,
        pair.own,
        differences,
        {"one": one.id, "other": other.id}.get(newer or ""),
    )
    return Told(pair, finding)
