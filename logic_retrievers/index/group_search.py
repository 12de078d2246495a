"""Search for the nearest passages of enough groups, in rounds that leave out full groups.

The passages of one long document may be nearer than those of all others. A round therefore finds
the nearest passages outside the groups that already have enough of them. Once enough groups are
found, further rounds look only inside those that lack passages. Every round fills a group, finds
enough groups or finds nothing more, as long as a search is exact and returns at least
``count * per_group`` passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from qdrant_client import models

from logic_retrievers.checks import MAX_COUNT
from logic_retrievers.index.client_calls import ScoredId
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.groups import Grouping, Member, first_of_groups, in_groups
from logic_retrievers.types import SCORE_DECIMALS

# Rounds of a search. As many groups are found in any collection; usually far more.
ROUNDS = 32
# Results of the first round; a round asks for twice as many as the one before, up to the maximum.
LEAST_RESULTS, MOST_RESULTS = 100, 1_600


class GroupSearch:
    """The rounds of one vector query.

    Args:
        collection: the collection that is searched.
        paths: payload keys of the groups; see :func:`groups.group_paths`.
        grouping: the groups to find.
        condition: what every passage must meet.
        limit: results of the first round, at least.
        spare: further results, so that ids break ties at the limit.
    """

    def __init__(
        self,
        collection: Collection,
        paths: Sequence[str],
        grouping: Grouping,
        condition: models.Filter | None,
        limit: int,
        spare: int,
    ) -> None:
        self.grouping = grouping
        self.done = False
        self.groups = 0
        self._condition = condition
        self._paths = paths
        self._limits = collection.limits
        self._spare = spare
        wanted = min(max(limit, grouping.count * grouping.per_group), MAX_COUNT) + spare
        allowed = self._limits.candidates(wanted, collection.name)
        self.results = max(allowed, self._limits.results(LEAST_RESULTS))
        self.next_condition = condition
        self._scores: dict[str, float] = {}
        self._members: dict[str, Member | None] = {}

    def add(self, points: Sequence[ScoredId], members: Mapping[str, Member | None]) -> None:
        """Add the results of a round, and prepare the next one."""
        ranked = sorted((-round(point.score, SCORE_DECIMALS), str(point.id)) for point in points)
        exhausted = len(ranked) < self.results
        if not exhausted:  # the last ones may have ties that were not returned
            ranked = ranked[: max(1, len(ranked) - self._spare)]
        self._scores |= {point: -score for score, point in ranked}
        self._members |= {point: members.get(point) for _, point in ranked}
        self.done = exhausted or not self._go_on()
        self.results = self._limits.results(min(2 * self.results, max(self.results, MOST_RESULTS)))

    @property
    def best(self) -> list[tuple[str, float]]:
        """The best passages of the first groups, with their scores."""
        grouping = self.grouping
        chosen = first_of_groups(
            self._ordered(), self._group_of, grouping.count, grouping.per_group
        )
        return [(point, self._scores[point]) for point in chosen]

    def _go_on(self) -> bool:
        """Tell whether a further round is needed, and set its condition."""
        found: dict[object, list[str]] = {}
        for point in self._ordered():
            group = self._group_of(point)
            found.setdefault(("alone", point) if group is None else group, []).append(point)
        self.groups = len(found)
        whole = self._condition
        must: list[models.Condition] = [] if whole is None else [whole]
        if len(found) < self.grouping.count:
            full = [point for points in found.values() if self._is_full(points) for point in points]
            self.next_condition = models.Filter(must=must, must_not=self._matching(full))
            return True
        first = islice(found.values(), self.grouping.count)
        lacking = [point for points in first if not self._is_full(points) for point in points]
        inside = models.Filter(should=self._matching(lacking, everywhere=True))
        self.next_condition = models.Filter(must=[*must, inside])
        return bool(lacking)

    def _is_full(self, points: Sequence[str]) -> bool:
        return len(points) >= self.grouping.per_group or self._members[points[0]] is None

    def _matching(
        self, points: Iterable[str], *, everywhere: bool = False
    ) -> list[models.Condition]:
        """Match the groups of these points.

        Points that stand alone are not matched: they are fewer than the groups that are wanted.
        """
        members = [member for point in points if (member := self._members[point]) is not None]
        if everywhere and self._limits.unindexed_filtering_retrieve is not False:
            numbers = range(len(self._paths))
            members = [Member(number, value) for _, value in members for number in numbers]
        return in_groups(members, self._paths, self._limits)

    def _ordered(self) -> list[str]:
        return sorted(self._scores, key=lambda point: (-self._scores[point], point))

    def _group_of(self, point: str) -> object:
        member = self._members[point]
        return None if member is None else member.group
