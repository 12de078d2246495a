"""What a cross-encoder reads of the candidate pairs: those whose kind depends on it, each once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast

from logic_retrievers.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.ledger import examined_hash
from logic_retrievers.cleaning.neighbour_groups import Pair
from logic_retrievers.cleaning.settings import Criteria
from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_judge import AnyPairJudge, read_kinds
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.requests import batches
from logic_retrievers.judging.pair_kinds import PAIR_KINDS, PairKinds
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.types import Passage

PAIRS_PER_BATCH = 256
"""Read in some seconds, after which progress is reported."""
REMEMBERED = 100_000
"""Readings that a cleaner keeps, some 40 MB; with one more it begins anew."""

UNRELATED = tuple(float(kind == "unrelated") for kind in PAIR_KINDS)
"""The kinds of a pair that is not read: they decide nothing."""

Readings: TypeAlias = dict[bytes, tuple[float, ...]]
"""Hash of two passages -> probabilities of their kinds. What a dry run has read, or an earlier
batch of a stream, need not be read again."""


def read_pairs(
    candidates: CandidatePairs,
    criteria: Criteria,
    opposition: Mapping[Pair, float],
    readings: Readings,
    meter: ProgressMeter,
) -> Operation[tuple[CandidatePair, ...]]:
    """The pairs with the probabilities of their kinds, from the judge of the settings.

    Pairs that ``opposition`` decides are not read, nor those that a rule decides whatever is read.
    What is read is added to ``readings``. ``meter`` is told of how many passages all is read.
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
    kinds = {key: found for key in keys.values() if (found := readings.get(key))}
    if new := {key: pairs[number] for number, key in keys.items() if key not in kinds}:
        read = read_kinds(_reader(criteria.settings.judge), list(new.values()), passages)
        kinds |= {key: pair.kinds for key, pair in zip(new, read, strict=True) if pair.kinds}
        if len(readings) + len(kinds) > REMEMBERED:
            readings.clear()
        readings |= kinds
    return [
        replace(pair, kinds=kinds[keys[number]] if number in keys else UNRELATED)
        for number, pair in enumerate(pairs)
    ]


def _is_certain(pair: CandidatePair, passages: Sequence[Passage], criteria: Criteria) -> bool:
    """Whether a rule tells the kind of the two, whatever is read of them."""
    settings = criteria.settings
    by_rules = classify_pair(
        passages[pair.one],
        passages[pair.other],
        probability=pair.probability,
        cosine=pair.cosine,
        threshold=criteria.constants.threshold,
        date_key=settings.date_key,
        source_key=settings.source_key,
        scope_keys=settings.scope_keys,
        kinds=UNRELATED,
    )
    return by_rules is not None


def _reader(judge: AnyPairJudge) -> PairKinds:
    from logic_retrievers.judging import default_pair_kinds  # loads ONNX Runtime

    return judge if isinstance(judge, PairKinds) else cast("PairKinds", default_pair_kinds())


def _key(one: Passage, other: Passage) -> bytes:
    hashes = sorted((examined_hash(one), examined_hash(other)))
    return hashlib.sha256("".join(hashes).encode()).digest()
