"""Let a cross-encoder read the candidate pairs that no metadata decide."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias, cast, runtime_checkable

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.candidate_pairs import (
    MIN_PROBABILITY,
    NEAR_COPY_COSINE,
    CandidatePairs,
)
from logic_retrievers.conflicts.cleaning.classification import classify_by_metadata
from logic_retrievers.conflicts.cleaning.ledger import examined_hash
from logic_retrievers.conflicts.cleaning.neighbour_groups import Pair
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, Criteria
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.client_calls import batches
from logic_retrievers.judging.relation import RELATIONS, RelationReader, pair_texts, turned
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.types import SCORE_DECIMALS, Passage

# a batch takes some seconds, after which progress is reported
PAIRS_PER_BATCH = 256
# readings that a cleaner keeps, some 40 MB; before keeping more it forgets them all
REMEMBERED = 100_000

# A pair that is far apart is read in the second order only if contradiction and newer version had
# this probability in the first. No finding among 8,800 pairs of four corpora had less than .117.
MIN_ROOM = 0.05

# the relation of a pair that is not read, which decides nothing
UNRELATED = tuple(float(relation == "unrelated") for relation in RELATIONS)

# Hash of two passages in their order -> probabilities of their relation. Pairs that a dry run or an
# earlier batch of a stream has read are not read again.
Readings: TypeAlias = dict[bytes, tuple[float, ...]]


@runtime_checkable
class OneWayReader(RelationReader, Protocol):
    """A cross-encoder that can also read two texts in only one of the two orders."""

    def read(self, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[float, ...]]: ...


def read_pairs(
    candidates: CandidatePairs,
    criteria: Criteria,
    opposition: Mapping[Pair, float],
    readings: Readings,
    meter: ProgressMeter,
) -> Operation[tuple[CandidatePair, ...]]:
    """Return the pairs with the probabilities of their relation, from the judge of the settings.

    Pairs that ``opposition`` or metadata decide are not read. New readings are added to
    ``readings``. ``meter`` counts the passages whose pairs have all been read.
    """
    examined, pairs = len(candidates.digests), candidates.pairs
    read: list[CandidatePair] = []
    for batch in batches(pairs, PAIRS_PER_BATCH):
        read += yield Compute(
            partial(_read_batch, batch, candidates.passages, criteria, opposition, readings)
        )
        meter.report(examined * len(read) // len(pairs), examined)
    if not pairs:
        meter.report(examined)
    return tuple(read)


def _read_batch(
    pairs: Sequence[CandidatePair],
    passages: Sequence[Passage],
    criteria: Criteria,
    opposition: Mapping[Pair, float],
    readings: Readings,
) -> list[CandidatePair]:
    keys = {
        number: _key(passages[pair.one], passages[pair.other])
        for number, pair in enumerate(pairs)
        if (pair.one, pair.other) not in opposition and not _is_certain(pair, passages, criteria)
    }
    known = {key: found for key in keys.values() if (found := readings.get(key))}
    if new := {key: pairs[number] for number, key in keys.items() if key not in known}:
        read = _read_new(criteria.settings, list(new.values()), passages)
        known |= dict(zip(new, read, strict=True))
        if len(readings) + len(known) > REMEMBERED:
            readings.clear()
        readings |= known
    return [
        replace(pair, relation=known[keys[number]] if number in keys else UNRELATED)
        for number, pair in enumerate(pairs)
    ]


def _read_new(
    settings: CleaningSettings, pairs: Sequence[CandidatePair], passages: Sequence[Passage]
) -> list[tuple[float, ...]]:
    """Read pairs in both orders and return the mean; UNRELATED if the first rules a finding out.

    Dates, versions and sources are not read, because with two dates any pair looks like two
    versions of one text.
    """
    from logic_retrievers.judging import default_relation  # loads ONNX Runtime

    judge = settings.judge
    without = (settings.date_key, settings.version_key, settings.source_key)
    reader = (
        judge if isinstance(judge, RelationReader) else cast("RelationReader", default_relation())
    )
    texts = [pair_texts(passages[pair.one], passages[pair.other], without) for pair in pairs]
    if not isinstance(reader, OneWayReader):
        return [tuple(round(p, SCORE_DECIMALS) for p in row) for row in reader(texts)]
    # always the same way first, whichever passage was examined
    in_order = {n for n, (one, other) in enumerate(texts) if one <= other}
    texts = [(min(two), max(two)) for two in texts]
    first = reader.read(texts)
    numbers = [n for n, pair in enumerate(pairs) if _leaves_room(pair, first[n])]
    second = reader.read([(texts[n][1], texts[n][0]) for n in numbers])
    read = [UNRELATED] * len(pairs)
    for n, other_way in zip(numbers, second, strict=True):
        both = zip(first[n], turned(other_way), strict=True)
        mean = tuple(round((a + b) / 2, SCORE_DECIMALS) for a, b in both)
        read[n] = mean if n in in_order else turned(mean)
    return read


def _leaves_room(pair: CandidatePair, relation: Sequence[float]) -> bool:
    """Whether a pair may be a finding; far apart, only a contradiction or newer version may."""
    near = pair.cosine >= NEAR_COPY_COSINE or pair.own_probability >= MIN_PROBABILITY
    return near or sum(relation[:3]) >= MIN_ROOM


def _is_certain(pair: CandidatePair, passages: Sequence[Passage], criteria: Criteria) -> bool:
    """Whether metadata decide how the two relate, whatever a cross-encoder reads."""
    one, other = passages[pair.one], passages[pair.other]
    threshold = criteria.constants.threshold
    return classify_by_metadata(one, other, pair, criteria.settings, threshold) is not None


def _key(one: Passage, other: Passage) -> bytes:
    return hashlib.sha256((examined_hash(one) + examined_hash(other)).encode()).digest()
