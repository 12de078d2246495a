"""Let a cross-encoder read the candidate pairs that no metadata decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.conflicts.cleaning.classification import classify_by_metadata
from logic_retrievers.conflicts.cleaning.ledger import examined_hash
from logic_retrievers.conflicts.cleaning.settings import Criteria
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.client_calls import batches
from logic_retrievers.judging.relation import pair_texts
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.types import SCORE_DECIMALS, Passage

# a batch takes some seconds, after which progress is reported
PAIRS_PER_BATCH = 256
# readings that a cleaner keeps, some 40 MB; before keeping more it forgets them all
REMEMBERED = 100_000

# Hashes of two passages -> relation of the first to the second. What a dry run or an earlier batch
# of a stream has read in this order is not read again.
Readings: TypeAlias = dict[tuple[str, str], tuple[float, ...]]


def read_pairs(
    candidates: CandidatePairs,
    criteria: Criteria,
    readings: Readings,
    meter: ProgressMeter,
) -> Operation[tuple[CandidatePair, ...]]:
    """Return the pairs with the probabilities of their relation, from the judge of the settings.

    Pairs that metadata decide are not read. New readings are added to
    ``readings``. ``meter`` counts the passages whose pairs have all been read.
    """
    examined, pairs = len(candidates.digests), candidates.pairs
    read: list[CandidatePair] = []
    for batch in batches(pairs, PAIRS_PER_BATCH):
        read += yield Compute(partial(_read_batch, batch, candidates.passages, criteria, readings))
        meter.report(examined * len(read) // len(pairs), examined)
    if not pairs:
        meter.report(examined)
    return tuple(read)


def _read_batch(
    pairs: Sequence[CandidatePair],
    passages: Sequence[Passage],
    criteria: Criteria,
    readings: Readings,
) -> list[CandidatePair]:
    reader, settings = criteria.reader, criteria.settings
    assert reader is not None
    keys = {
        number: (examined_hash(passages[pair.one]), examined_hash(passages[pair.other]))
        for number, pair in enumerate(pairs)
        if not _is_certain(pair, passages, criteria)
    }
    known = {key: found for key in keys.values() if (found := readings.get(key))}
    if new := {key: pairs[number] for number, key in keys.items() if key not in known}:
        # with two dates any pair looks like two versions of one text
        without = (settings.date_key, settings.version_key, settings.source_key)
        texts = [pair_texts(passages[p.one], passages[p.other], without) for p in new.values()]
        for key, row in zip(new, reader.read(texts), strict=True):
            known[key] = tuple(round(probability, SCORE_DECIMALS) for probability in row)
        if len(readings) + len(known) > REMEMBERED:
            readings.clear()
        readings |= known
    return [
        replace(pair, relation=known[keys[number]]) if number in keys else pair
        for number, pair in enumerate(pairs)
    ]


def _is_certain(pair: CandidatePair, passages: Sequence[Passage], criteria: Criteria) -> bool:
    """Whether metadata decide how the two relate, whatever a cross-encoder reads."""
    one, other = passages[pair.one], passages[pair.other]
    threshold = criteria.constants.threshold
    return classify_by_metadata(one, other, pair, criteria.settings, threshold) is not None
