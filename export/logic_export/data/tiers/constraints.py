"""Queries with constraints in tiers: what a query rules out is a distractor (N1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from logic_export.data.tiers.examples import TieredExample
from logic_export.data.triplets import Triplet


def from_triplets(rows: Sequence[Triplet], others: int, *, seed: int = 0) -> list[TieredExample]:
    """The rows of each query as one example, in the order of their first mention.

    Args:
        rows: a passage that satisfies one row of a query and violates another counts as right.
        others: passages of other queries, drawn at random, that stand as negatives.
        seed: of the drawing.
    """
    groups: dict[str, list[Triplet]] = defaultdict(list)
    for row in rows:
        groups[row.query].append(row)
    passages = list(
        dict.fromkeys(text for row in rows for text in (row.satisfying, row.violating) if text)
    )
    found = []
    for query, group in groups.items():
        right = dict.fromkeys(row.satisfying for row in group)
        ruled_out = dict.fromkeys(row.violating for row in group if row.violating not in right)
        ruled_out.pop(None, None)
        known = right.keys() | ruled_out.keys()
        drawn = Random(f"{seed}:{query}").sample(passages, min(len(passages), others + len(known)))
        negatives = [text for text in drawn if text not in known][:others]
        found.append(
            TieredExample(
                query,
                tuple(right),
                tuple(filter(None, ruled_out)),
                tuple(negatives),
                group[0].source,
            )
        )
    return found
