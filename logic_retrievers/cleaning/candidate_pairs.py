"""Candidate pairs of a corpus: the passages to examine, trusted ones, and pairs worth classifying.

All reading of the collection and all encoding of a cleaning start here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from typing import TypeAlias

from logic_retrievers.cleaning.ledger import Ledger, examined_hash, ledger_namespace
from logic_retrievers.cleaning.neighbours import (
    EncodedPassages,
    Key,
    NeighbourSearch,
    ScoredNeighbour,
    VectorCache,
)
from logic_retrievers.cleaning.settings import CleaningSettings
from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.stance_groups import MAX_GROUP
from logic_retrievers.contradiction.trusted_passages import index_filter, trusted_positions
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.progress import ProgressMeter
from logic_retrievers.text import unjudgeable_reason
from logic_retrievers.types import Passage

NEAR_COPY_COSINE = 0.8
"""Topical cosine from which a pair is a candidate whatever its probability: texts that differ in
one value only are nearly copies, and the contradiction vector does not see the difference."""
MIN_PROBABILITY = 0.5
"""Of a contradiction, from which a pair is a candidate that is no near copy."""

OTHER_VERSION = "a trusted passage has its id and says something else"

Pages: TypeAlias = Callable[[], Operation[Sequence[Passage]]]
"""Gives some of the passages to examine at every call, each id once, and none at the end."""


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """The pairs to classify, and what was examined to find them.

    Args:
        passages: every passage of a pair.
        pairs: that are worth classifying, by position, the strongest first.
        trusted: positions of the trusted passages.
        compared: how many pairs were scored.
        unjudgeable: id -> why a passage cannot be judged.
        digests: id -> ``examined_hash`` of all that were examined.
    """

    passages: tuple[Passage, ...]
    pairs: tuple[CandidatePair, ...]
    trusted: frozenset[int] = frozenset()
    compared: int = 0
    unjudgeable: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)


def listed_pages(passages: Sequence[Passage]) -> Pages:
    """All passages of a list at once; of those with the same id the first counts."""
    remaining = list({passage.id: passage for passage in reversed(passages)}.values())[::-1]

    def next_page() -> Operation[Sequence[Passage]]:
        page, remaining[:] = list(remaining), []
        yield from ()
        return page

    return next_page


def stored_pages(index: PassageIndex, ledger: Ledger, fingerprint: str | None) -> Pages:
    """The passages of a collection that are not hidden.

    Those that were examined with the criteria of this fingerprint, and have not changed since, are
    left out; None: none are.
    """
    offset, ended = None, False

    def next_page() -> Operation[Sequence[Passage]]:
        nonlocal offset, ended
        while not ended:
            page, offset = yield from index.read_page(None, offset)
            ended = offset is None
            active = [passage for passage in page if not passage.quarantined]
            if fingerprint is not None:
                active = yield Compute(partial(_unexamined, index, ledger, active, fingerprint))
            if active:
                return active
        return ()

    return next_page


@dataclass(slots=True)
class _Collector:
    """What has been found so far: passages by id, and pairs of ids, each once."""

    index: PassageIndex | None
    min_probability: float
    nearest_read: int
    passages: dict[str, Passage] = field(default_factory=dict)
    pairs: dict[frozenset[str], tuple[str, str, ScoredNeighbour]] = field(default_factory=dict)
    compared: int = 0

    def add_neighbours(
        self,
        encoded: EncodedPassages,
        neighbours: Sequence[Sequence[ScoredNeighbour]],
        probes: Collection[Key],
    ) -> Operation[None]:
        """Adds the pairs that are worth classifying, with their passages.

        ``probes``: trusted passages, whose nearest are added whatever their scores.
        """
        self.compared += sum(map(len, neighbours))
        candidates = [
            pair
            for near in neighbours
            for rank, pair in enumerate(near)
            if pair.probability >= self.min_probability
            or pair.cosine >= NEAR_COPY_COSINE
            or rank < (MAX_GROUP - 1 if pair.one in probes else self.nearest_read)
        ]
        passages = dict(encoded.passages)
        points = sorted({pair.other for pair in candidates if pair.other not in passages})
        if self.index is not None:
            passages |= yield from self.index.fetch_passages(points)
        for pair in candidates:
            if pair.other not in passages:
                continue  # deleted in the meantime
            one, other = passages[pair.one], passages[pair.other]
            if one.id == other.id or one.quarantined or other.quarantined:
                continue  # what is hidden counts against nobody
            if unjudgeable_reason(other.text):
                continue
            self.passages |= {one.id: one, other.id: other}
            self.pairs.setdefault(frozenset((one.id, other.id)), (one.id, other.id, pair))

    def by_position(self, position_of: Mapping[str, int]) -> tuple[CandidatePair, ...]:
        """The pairs by the positions of their ids, the strongest first."""
        pairs = (
            CandidatePair(
                position_of[one],
                position_of[other],
                scored.cosine,
                scored.cosine if isnan(scored.score) else scored.score,  # a copy has no sparsity
                scored.probability,
                scored.probability,
            )
            for one, other, scored in self.pairs.values()
        )
        return tuple(sorted(pairs, key=lambda pair: pair.sort_key))


def find_candidate_pairs(
    search: NeighbourSearch,
    index: PassageIndex | None,
    pages: Pages,
    settings: CleaningSettings,
    min_probability: float,
    *,
    stored: bool,
    nearest_read: int = 0,
    meter: ProgressMeter | None = None,
) -> Operation[CandidatePairs]:
    """The pairs that may contradict, repeat or replace each other.

    Examined passages that are not stored are compared with each other too. ``nearest_read``: how
    many of the nearest a cross-encoder reads whatever the vectors say. ``meter`` is told after each
    page how many passages were examined so far; where their pairs are yet to be read, none is done.
    """
    meter = ProgressMeter(None) if meter is None else meter
    collector = _Collector(index, min_probability, nearest_read)
    vectors: VectorCache = {}
    trusted = settings.trusted or ()
    unjudgeable = _unjudgeable(trusted)
    digests: dict[str, str] = {}
    probes = {p.id: p for p in trusted if not unjudgeable_reason(p.text)}
    namesakes: list[Passage] = []
    if index is not None and probes:
        namesakes = yield from index.get_passages(list(probes))
    other_versions = [search.points_of(p) for p in namesakes if _is_replaced(p, probes)]
    without = frozenset[str]().union(*other_versions)
    condition = index_filter(settings.trusted_filter)
    new_probes = probes  # once: every page would find the same in the collection
    while page := (yield from pages()):
        unjudgeable |= _unjudgeable(page)
        unjudgeable |= {p.id: OTHER_VERSION for p in page if _is_replaced(p, probes)}
        judgeable = {p.id: p for p in page if p.id not in unjudgeable}
        encoded = yield from search.encode(list({**new_probes, **judgeable}.values()))
        neighbours = yield from search.score_neighbours(
            encoded, vectors, within=not stored, without=without
        )
        if condition is not None and index is not None and settings.trusted_candidates:
            neighbours += yield from search.score_neighbours(
                encoded,
                vectors,
                within=False,
                count=settings.trusted_candidates,
                filter=condition,
                without=without,
            )
        probe_keys = {search.key_of(passage) for passage in new_probes.values()}
        yield from collector.add_neighbours(encoded, neighbours, probe_keys)
        new_probes = {}
        digests |= {passage.id: examined_hash(passage) for passage in page}
        if not stored:
            collector.passages |= judgeable
        meter.report(0 if nearest_read else len(digests), len(digests))
    by_id = {**collector.passages, **probes}
    passages = tuple(by_id.values())
    position_of = {name: position for position, name in enumerate(by_id)}
    prefixes = (METADATA,) if index is None else index.prefixes
    by_filter = trusted_positions(passages, settings.trusted_filter, prefixes)
    return CandidatePairs(
        passages,
        collector.by_position(position_of),
        frozenset(by_filter | {position_of[name] for name in probes}),
        compared=collector.compared,
        unjudgeable=unjudgeable,
        digests=digests,
    )


def _unexamined(
    index: PassageIndex, ledger: Ledger, passages: Sequence[Passage], fingerprint: str
) -> list[Passage]:
    """The passages that were not examined with these criteria, or have changed since."""
    ids = [passage.id for passage in passages]
    known = ledger.examined(ledger_namespace(index), ids, fingerprint)
    return [p for p in passages if known.get(p.id) != examined_hash(p)]


def _unjudgeable(passages: Sequence[Passage]) -> dict[str, str]:
    return {p.id: reason for p in passages if (reason := unjudgeable_reason(p.text))}


def _is_replaced(passage: Passage, probes: Mapping[str, Passage]) -> bool:
    return passage.id in probes and passage.text != probes[passage.id].text
