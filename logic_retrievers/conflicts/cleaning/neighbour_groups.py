"""Judge pairs together with the neighbours of their passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import TypeAlias, TypeVar

from logic_retrievers.conflicts.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.conflicts.cleaning.neighbours import MIN_COSINE, NeighbourSearch
from logic_retrievers.conflicts.stances import MAX_GROUP, Group, Matrix, stance_partitions
from logic_retrievers.effects import Compute, Operation

# added to the log-odds of pairs around a trusted passage; fitted on ConflictQA's development part
# together with ``OPPOSED_PROBABILITY`` of ``classification.py``
OPPOSITION_BIAS = 1.0

K = TypeVar("K")
# positions of two passages
Pair: TypeAlias = tuple[int, int]


def opposition_by_pair(
    search: NeighbourSearch, candidates: CandidatePairs
) -> Operation[dict[Pair, float]]:
    """Return pair of a trusted and a second passage -> probability that their stances differ."""
    near = _neighbours(candidates)
    pairs = {(pair.one, pair.other) for pair in candidates.pairs}
    members: dict[int, tuple[int, ...]] = {}
    for position in sorted(candidates.trusted & near.keys()):
        untrusted = [other for other in near[position] if other not in candidates.trusted]
        if untrusted:
            members[position] = (position, *untrusted[: MAX_GROUP - 1])
    opposition: dict[Pair, float] = {}
    for trusted, group in (yield from _groups(search, candidates, members)).items():
        opposed = opposition_to_first(group.probabilities, OPPOSITION_BIAS)
        for other, probability in zip(group.members[1:], opposed[1:], strict=True):
            pair = (trusted, other) if (trusted, other) in pairs else (other, trusted)
            opposition[pair] = float(probability)
    return opposition


def opposition_to_first(probabilities: Matrix, bias: float = 0.0) -> Matrix:
    """Return the probability that each passage's stance differs from the first passage's.

    Takes the arguments of :func:`stance_partitions`; the first value is 0.
    """
    stances, weights = stance_partitions(probabilities, bias)
    opposition: Matrix = weights @ stances
    return opposition


def conflict_groups(
    search: NeighbourSearch,
    candidates: CandidatePairs,
    conflicts: Iterable[Pair],
    judged: Mapping[Pair, float],
) -> Operation[dict[Pair, Group]]:
    """Group each pair in conflict with its neighbours, which may support either passage.

    Only passages in a candidate pair with either of the two are neighbours. ``judged``: pair ->
    probability of a contradiction, which replaces the vectors' probability.
    """
    near = _neighbours(candidates)
    members: dict[Pair, tuple[int, ...]] = {}
    for one, other in conflicts:
        both = [near.get(one, {}), near.get(other, {})]
        cosines = {
            position: max(cosine_of.get(position, 0.0) for cosine_of in both)
            for position in {*both[0], *both[1]} - {one, other}
        }
        nearest = sorted(cosines, key=lambda position: (-cosines[position], position))
        members[one, other] = (one, other, *nearest[: MAX_GROUP - 2])
    groups = yield from _groups(search, candidates, members)
    for group in groups.values():
        for (a, one), (b, other) in permutations(enumerate(group.members), 2):
            if (probability := judged.get((one, other))) is not None:
                group.probabilities[a, b] = group.probabilities[b, a] = probability
    return groups


def _neighbours(candidates: CandidatePairs) -> dict[int, dict[int, float]]:
    """Map position -> positions paired with it -> cosine, nearest first.

    Pairs about different things are left out, even if a cross-encoder reads them.
    """
    near: dict[int, dict[int, float]] = {}
    pairs = [pair for pair in candidates.pairs if pair.cosine >= MIN_COSINE]
    for pair in sorted(pairs, key=lambda pair: (-pair.cosine, pair.one, pair.other)):
        near.setdefault(pair.one, {})[pair.other] = pair.cosine
        near.setdefault(pair.other, {})[pair.one] = pair.cosine
    return near


def _groups(
    search: NeighbourSearch, candidates: CandidatePairs, members_of: Mapping[K, tuple[int, ...]]
) -> Operation[dict[K, Group]]:
    positions = sorted({position for members in members_of.values() for position in members})
    row_of = {position: row for row, position in enumerate(positions)}
    encoded = yield from search.encode([candidates.passages[position] for position in positions])

    def score() -> dict[K, Group]:
        return {
            key: Group(members, search.probabilities(encoded, [row_of[n] for n in members]))
            for key, members in members_of.items()
        }

    groups: dict[K, Group] = yield Compute(score)
    return groups
