"""Candidate pairs of a corpus: the passages to examine, trusted ones, and pairs worth classifying.

All reading of the collection and all encoding of a cleaning start here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from logic_retrievers.contradiction.latin_script import unjudgeable_reason
from logic_retrievers.contradiction.stance_groups import MAX_GROUP
from logic_retrievers.contradiction.trusted_passages import index_filter, trusted_positions
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.index.requests import batches
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.types import Passage

NEAR_COPY_COSINE = 0.8
"""Topical cosine from which a pair is a candidate whatever its probability: texts that differ in
one value only are nearly copies, and the contradiction vector does not see the difference."""
MIN_PROBABILITY = 0.5
"""Of a contradiction, from which a pair is a candidate that is no near copy."""
NEAREST_READ = 5
"""Where a cross-encoder reads pairs, so many of the nearest are candidates whatever their
probability: the vectors miss most contradictions in other words."""
RANKED_NEIGHBOURS = 1000
"""Topical neighbours of a trusted passage that are ranked for ``trusted_top``."""
PASSAGES_PER_FETCH = 1024

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
        ranked: positions of pairs that count as contradictions because of their rank alone.
        compared: how many pairs were scored.
        unjudgeable: id -> why a passage cannot be judged.
        digests: id -> ``examined_hash`` of all that were examined.
    """

    passages: tuple[Passage, ...]
    pairs: tuple[CandidatePair, ...]
    trusted: frozenset[int] = frozenset()
    ranked: frozenset[tuple[int, int]] = frozenset()
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

    search: NeighbourSearch
    index: PassageIndex | None
    settings: CleaningSettings
    min_probability: float
    vectors: VectorCache
    nearest_read: int = 0
    unjudgeable: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    pairs: dict[frozenset[str], tuple[str, str, ScoredNeighbour]] = field(default_factory=dict)
    ranked: set[frozenset[str]] = field(default_factory=set)
    compared: int = 0

    def add_neighbours(
        self,
        encoded: EncodedPassages,
        neighbours: Sequence[Sequence[ScoredNeighbour]],
        keep_nearest: Mapping[Key, int],
    ) -> Operation[None]:
        """Adds the pairs that are worth classifying, with their passages.

        ``keep_nearest``: key of a passage -> how many of its nearest are added whatever their
        scores.
        """
        self.compared += sum(map(len, neighbours))
        candidates = [
            pair
            for near in neighbours
            for rank, pair in enumerate(near)
            if pair.probability >= self.min_probability
            or pair.cosine >= NEAR_COPY_COSINE
            or rank < keep_nearest.get(pair.one, 0)
            or rank < self.nearest_read
        ]
        yield from self._add(encoded, candidates)

    def add_ranked(self, examined: Mapping[str, Passage]) -> Operation[None]:
        """Adds the first opponents by F of every trusted passage, for ``trusted_top``.

        Args:
            examined: passages that are not stored, and are ranked too.
        """
        trusted = yield from self._all_trusted()
        encoded = yield from self.search.encode(list({**examined, **trusted}.values()))
        position_of = {p.id: position for position, p in enumerate(encoded.passages.values())}
        points = frozenset[str]().union(*(self.search.points_of(p) for p in trusted.values()))
        neighbours = yield from self.search.score_neighbours(
            encoded, [position_of[name] for name in trusted], count=RANKED_NEIGHBOURS
        )
        self.compared += sum(map(len, neighbours))
        for near in neighbours:
            rivals = [pair for pair in near if not isnan(pair.score) and pair.other not in points]
            rivals.sort(key=lambda pair: (-pair.score, pair.other))
            first = rivals[: self.settings.trusted_top]
            self.ranked.update((yield from self._add(encoded, first)))

    def collected(self, probes: Mapping[str, Passage]) -> CandidatePairs:
        """The candidate pairs by position; ``probes``: id -> trusted passage of the settings."""
        by_id = {**self.passages, **probes}
        passages = tuple(by_id.values())
        position_of = {name: position for position, name in enumerate(by_id)}
        pairs = {
            ids: CandidatePair(
                position_of[one],
                position_of[other],
                scored.cosine,
                scored.cosine if isnan(scored.score) else scored.score,  # a copy has no sparsity
                scored.probability,
                scored.probability,
            )
            for ids, (one, other, scored) in self.pairs.items()
        }
        prefixes = (METADATA,) if self.index is None else self.index.prefixes
        by_filter = trusted_positions(passages, self.settings.trusted_filter, prefixes)
        return CandidatePairs(
            passages,
            tuple(sorted(pairs.values(), key=lambda pair: pair.sort_key)),
            frozenset(by_filter | {position_of[name] for name in probes}),
            frozenset((pairs[ids].one, pairs[ids].other) for ids in self.ranked),
            self.compared,
            self.unjudgeable,
            self.digests,
        )

    def _add(
        self, encoded: EncodedPassages, pairs: Sequence[ScoredNeighbour]
    ) -> Operation[list[frozenset[str]]]:
        """Adds pairs and their passages; returns the ids of those that are still stored."""
        added: list[frozenset[str]] = []
        passages = dict(encoded.passages)
        points = sorted({pair.other for pair in pairs if pair.other not in passages})
        if self.index is not None:
            for batch in batches(points, PASSAGES_PER_FETCH):
                passages |= yield from self.index.fetch_passages(batch)
        for pair in pairs:
            if pair.other not in passages:
                continue  # deleted in the meantime
            one, other = passages[pair.one], passages[pair.other]
            if one.id == other.id or one.quarantined or other.quarantined:
                continue  # what is hidden counts against nobody
            if unjudgeable_reason(other.text):
                continue
            self.passages |= {one.id: one, other.id: other}
            added.append(frozenset((one.id, other.id)))
            self.pairs.setdefault(added[-1], (one.id, other.id, pair))
        return added

    def _all_trusted(self) -> Operation[dict[str, Passage]]:
        """The trusted passages that the settings name, and those that the filter selects."""
        trusted = {passage.id: passage for passage in self.settings.trusted or ()}
        condition = index_filter(self.settings.trusted_filter)
        offset = None
        while condition is not None and self.index is not None:
            page, offset = yield from self.index.read_page(condition, offset)
            trusted |= {passage.id: passage for passage in page}
            if offset is None:
                break
        return {name: p for name, p in trusted.items() if not unjudgeable_reason(p.text)}


def find_candidate_pairs(
    search: NeighbourSearch,
    index: PassageIndex | None,
    pages: Pages,
    settings: CleaningSettings,
    min_probability: float,
    *,
    stored: bool,
    nearest_read: int = 0,
    progress: ProgressCallback | None = None,
) -> Operation[CandidatePairs]:
    """The pairs that may contradict, repeat or replace each other.

    Examined passages that are not stored are compared with each other too. ``nearest_read``: how
    many of the nearest a cross-encoder reads whatever the vectors say. ``progress`` is called
    after each page with the number of passages examined so far.
    """
    meter = ProgressMeter(progress)
    collector = _Collector(search, index, settings, min_probability, VectorCache(), nearest_read)
    trusted = settings.trusted or ()
    collector.unjudgeable |= _unjudgeable(trusted)
    probes = {p.id: p for p in trusted if not unjudgeable_reason(p.text)}
    namesakes: list[Passage] = []
    if index is not None and probes:
        namesakes = yield from index.get_passages(list(probes))
    other_versions = [search.points_of(p) for p in namesakes if _is_replaced(p, probes)]
    without = frozenset[str]().union(*other_versions)
    condition = index_filter(settings.trusted_filter)
    new_probes = probes  # once: every page would find the same in the collection
    while page := (yield from pages()):
        collector.unjudgeable |= _unjudgeable(page)
        collector.unjudgeable |= {p.id: OTHER_VERSION for p in page if _is_replaced(p, probes)}
        judgeable = {p.id: p for p in page if p.id not in collector.unjudgeable}
        encoded = yield from search.encode(list({**new_probes, **judgeable}.values()))
        positions = list(range(len(encoded.passages)))
        neighbours = yield from search.score_neighbours(
            encoded, positions, within=not stored, without=without, cache=collector.vectors
        )
        if condition is not None and index is not None and settings.trusted_candidates:
            neighbours += yield from search.score_neighbours(
                encoded,
                positions,
                within=False,
                count=settings.trusted_candidates,
                filter=condition,
                without=without,
                cache=collector.vectors,
            )
        nearest = MAX_GROUP - 1 if settings.trusted_top is None else 0
        keep_nearest = dict.fromkeys((search.key_of(p) for p in new_probes.values()), nearest)
        yield from collector.add_neighbours(encoded, neighbours, keep_nearest)
        new_probes = {}
        if settings.trusted_top is not None and not stored:
            yield from collector.add_ranked(judgeable)
        collector.digests |= {passage.id: examined_hash(passage) for passage in page}
        if not stored:
            collector.passages |= judgeable
        meter.report(len(collector.digests))
    if settings.trusted_top is not None and stored:
        yield from collector.add_ranked({})
    return collector.collected(probes)


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
