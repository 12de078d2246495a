"""Hits by group: how many candidates a group needs, and which hits stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from logic_retrievers.index.groups import Grouping, first_of_groups, group_key
from logic_retrievers.judging.settings import WeightedJudge
from logic_retrievers.ranking.execution import PlannedQuery
from logic_retrievers.types import Hit

# A judge or a reranker also reads groups and passages behind those that the policy would return.
_SPARE_GROUPS, _SPARE_PASSAGES = 20, 2
# ``hard`` may leave out the best passages of a group.
_CANDIDATES_PER_HIT = 10


def groupings_for(
    queries: Sequence[PlannedQuery],
    field: str,
    k: int,
    per_group: int,
    judge: WeightedJudge | None,
    reranker: WeightedJudge | None,
) -> list[Grouping]:
    """Return the groups that a search looks for to return k groups for each query."""
    groupings = []
    for query in queries:
        count, passages = k, per_group
        read = (judge and query.request) or (reranker and query.question)
        if read or query.words or query.preferences:
            count, passages = k + max(k, _SPARE_GROUPS), per_group + _SPARE_PASSAGES
        if query.words:
            passages = _CANDIDATES_PER_HIT * per_group
        groupings.append(Grouping(field, count, passages))
    return groupings


def group_of(hit: Hit) -> Any:
    """Return the key of a hit's group; None if the hit stands alone."""
    value = hit.evidence.details.get("group")
    return None if value is None else group_key(value)


def count_groups(hits: Sequence[Hit]) -> int:
    """Count the groups of hits."""
    return len(first_of_groups(hits, group_of, len(hits), 1))


def grouped(hits: Sequence[Hit], k: int, per_group: int, offset: int = 0) -> list[Hit]:
    """Keep the best hits of k groups behind the first ``offset`` groups, in the order of the hits.

    Ranks continue those of the hits that were skipped.
    """
    skipped = first_of_groups(hits, group_of, offset, per_group)
    ids = {id(hit) for hit in skipped}
    kept = first_of_groups(hits, group_of, offset + k, per_group)
    left = [hit for hit in kept if id(hit) not in ids]
    return [replace(hit, rank=rank) for rank, hit in enumerate(left, start=len(skipped) + 1)]
