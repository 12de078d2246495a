"""Find the pairs of passages in a corpus that are worth classifying."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from typing import TypeAlias

from qdrant_client import models

from logic_retrievers.conflicts.candidate_pairs import (
    NEAREST_READ,
    CandidatePair,
    index_filter,
    trusted_positions,
)
from logic_retrievers.conflicts.cleaning.ledger import Ledger, examined_hash, ledger_namespace
from logic_retrievers.conflicts.cleaning.neighbours import (
    NeighbourSearch,
    PassageCache,
    ScoredNeighbour,
)
from logic_retrievers.conflicts.cleaning.settings import Criteria
from logic_retrievers.conflicts.stances import MAX_GROUP
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.text import unjudgeable_reason
from logic_retrievers.types import Passage

# A pair with at least this topical cosine is a candidate at any probability: the contradiction
# vector misses a single differing value in near-copies.
NEAR_COPY_COSINE = 0.8
# Other pairs are candidates with at least this probability of a contradiction.
MIN_PROBABILITY = 0.5

OTHER_VERSION = "a trusted passage has its id and says something else"

# Each call returns the next passages to examine, each id once; at the end, none.
Pages: TypeAlias = Callable[[], Operation[Sequence[Passage]]]


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """The pairs to classify, and the passages examined to find them.

    Args:
        passages: all passages; ``pairs`` and ``trusted`` hold positions in this list.
        pairs: pairs worth classifying, the strongest first.
        trusted: positions of the trusted passages.
        compared: number of scored pairs.
        unjudgeable: id -> why a passage cannot be judged.
        digests: id -> ``examined_hash`` of every examined passage.
    """

    passages: tuple[Passage, ...]
    pairs: tuple[CandidatePair, ...]
    trusted: frozenset[int] = frozenset()
    compared: int = 0
    unjudgeable: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)


def listed_pages(passages: Sequence[Passage]) -> Pages:
    """Return all passages of a list as one page; of passages with one id, only the first."""
    pages = [list({passage.id: passage for passage in reversed(passages)}.values())[::-1]]

    def next_page() -> Operation[Sequence[Passage]]:
        yield from ()
        return pages.pop() if pages else ()

    return next_page


def stored_pages(
    index: PassageIndex,
    ledger: Ledger,
    fingerprint: str | None,
    released: Collection[str] = (),
    condition: models.Filter | None = None,
) -> Pages:
    """Return pages of a collection's passages that are active or about to be ``released``.

    A ``fingerprint`` of the criteria skips unchanged passages already examined with them. Only
    passages that meet the ``condition`` are read.
    """
    offset, ended = None, False
    namespace = ledger_namespace(index)

    def next_page() -> Operation[Sequence[Passage]]:
        nonlocal offset, ended
        while not ended:
            page, offset = yield from index.read_page(condition, offset)
            ended = offset is None
            active = [p for p in page if not p.quarantined or p.id in released]
            if fingerprint is not None:
                ids = [passage.id for passage in active if passage.id not in released]
                known = yield Compute(partial(ledger.examined, namespace, ids, fingerprint))
                active = [p for p in active if known.get(p.id) != examined_hash(p)]
            if active:
                return active
        return ()

    return next_page


def find_candidate_pairs(
    search: NeighbourSearch,
    index: PassageIndex | None,
    pages: Pages,
    criteria: Criteria,
    *,
    stored: bool,
    released: Collection[str] = (),
    meter: ProgressMeter | None = None,
) -> Operation[CandidatePairs]:
    """Find the pairs of passages that may contradict, repeat or replace each other.

    Examined passages that are not ``stored`` are also compared with each other. Hidden passages in
    ``released`` count as active, because a dry run does not unhide them. ``meter`` counts the
    examined passages; if a cross-encoder reads the pairs later, none counts as done yet.
    """
    settings = criteria.settings
    nearest_read = 0 if criteria.reader is None else NEAREST_READ
    least = min(MIN_PROBABILITY, criteria.constants.threshold, criteria.judge_above)
    meter = ProgressMeter(None) if meter is None else meter
    by_id: dict[str, Passage] = {}
    found: dict[frozenset[str], ScoredNeighbour] = {}
    cache: PassageCache = {}
    trusted = settings.trusted or ()
    unjudgeable = _unjudgeable(trusted)
    digests: dict[str, str] = {}
    compared = 0
    probes = {p.id: p for p in trusted if not unjudgeable_reason(p.text)}
    namesakes: list[Passage] = []
    if index is not None and probes:
        namesakes = yield from index.get_passages(list(probes))
    other_versions = [search.points_of(p) for p in namesakes if _is_replaced(p, probes)]
    without = frozenset[str]().union(*other_versions)
    condition = index_filter(settings.trusted_filter)
    new_probes = probes  # only with the first page; later pages would repeat the same searches
    while page := (yield from pages()):
        unjudgeable |= _unjudgeable(page)
        unjudgeable |= {p.id: OTHER_VERSION for p in page if _is_replaced(p, probes)}
        judgeable = {p.id: p for p in page if p.id not in unjudgeable}
        encoded = yield from search.encode(list({**new_probes, **judgeable}.values()))
        neighbours = yield from search.score_neighbours(
            encoded, cache, within=not stored or bool(released), without=without
        )
        if condition is not None and index is not None and settings.trusted_candidates:
            neighbours += yield from search.score_neighbours(
                encoded,
                cache,
                within=False,
                count=settings.trusted_candidates,
                filter=condition,
                without=without,
            )
        compared += sum(map(len, neighbours))
        for pair in _worth_classifying(neighbours, least, nearest_read, new_probes):
            # a pair with a hidden passage is ignored
            both = {pair.one.id: pair.one, pair.other.id: pair.other}
            is_hidden = any(p.quarantined and p.id not in released for p in both.values())
            if not is_hidden and not unjudgeable_reason(pair.other.text):
                by_id |= both
                found.setdefault(frozenset(both), pair)
        new_probes = {}
        digests |= {passage.id: examined_hash(passage) for passage in page}
        if not stored:
            by_id |= judgeable
        meter.report(0 if nearest_read else len(digests), len(digests))
    by_id |= probes
    passages = tuple(by_id.values())
    position_of = {name: position for position, name in enumerate(by_id)}
    prefixes = (METADATA,) if index is None else index.prefixes
    by_filter = trusted_positions(passages, settings.trusted_filter, prefixes)
    pairs = [
        CandidatePair(
            position_of[pair.one.id],
            position_of[pair.other.id],
            pair.cosine,
            pair.cosine if isnan(pair.score) else pair.score,  # a copy has no sparsity
            pair.probability,
        )
        for pair in found.values()
    ]
    return CandidatePairs(
        passages,
        tuple(sorted(pairs, key=lambda pair: pair.sort_key)),
        frozenset(by_filter | {position_of[name] for name in probes}),
        compared,
        unjudgeable,
        digests,
    )


def _worth_classifying(
    neighbours: Sequence[Sequence[ScoredNeighbour]],
    min_probability: float,
    nearest_read: int,
    probes: Collection[str],
) -> Iterator[ScoredNeighbour]:
    """Yield probable pairs, near-copies, and each passage's nearest at any score.

    ``probes``: ids of trusted passages, each of which needs enough neighbours to fill a group.
    """
    for near in neighbours:
        for rank, pair in enumerate(near):
            if (
                pair.probability >= min_probability
                or pair.cosine >= NEAR_COPY_COSINE
                or pair.by_words
                or rank < (MAX_GROUP - 1 if pair.one.id in probes else nearest_read)
            ):
                yield pair


def _unjudgeable(passages: Sequence[Passage]) -> dict[str, str]:
    return {p.id: reason for p in passages if (reason := unjudgeable_reason(p.text))}


def _is_replaced(passage: Passage, probes: Mapping[str, Passage]) -> bool:
    return passage.id in probes and passage.text != probes[passage.id].text
