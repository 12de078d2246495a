"""Which words of two texts stand for each other."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from logic_retrievers.cleaning.differences.words import Word

MOST_WORDS = 1500
"""What stands behind them is not aligned, for the time grows faster than the texts."""

Region: TypeAlias = tuple[int, int, int, int]
"""Words of the one, and of the other that stand in their place; the ends are outside."""


def regions(one: Sequence[Word], other: Sequence[Word]) -> tuple[list[Region], float]:
    """Where the first :data:`MOST_WORDS` words differ, and the share that they have in common.

    The same two texts in the other order give the same regions, turned round.
    """
    left, right = ([word.key for word in words[:MOST_WORDS]] for words in (one, other))
    if turned := left > right:
        left, right = right, left
    matcher = SequenceMatcher(None, left, right)
    found = [
        (c, d, a, b) if turned else (a, b, c, d)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]
    return found, matcher.ratio() if left or right else 1.0
