"""Queries in tiers as the rows of a table, their passages outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from logic_export.data.tiers.examples import TieredExample
from logic_export.losses import DISTRACTOR, NEGATIVE, POSITIVE


def passages_of(examples: Sequence[TieredExample]) -> list[str]:
    """Each passage once, in the order of their first mention."""
    return list(dict.fromkeys(text for one in examples for text in one.passages))


def to_rows(examples: Sequence[TieredExample]) -> list[dict[str, Any]]:
    """``query``, ``documents`` (places in :func:`passages_of`) and the tier of each."""
    place = {text: index for index, text in enumerate(passages_of(examples))}
    return [
        {
            "query": one.query,
            "documents": [place[text] for text in one.passages],
            "tiers": [POSITIVE] * len(one.positives)
            + [DISTRACTOR] * len(one.distractors)
            + [NEGATIVE] * len(one.negatives),
        }
        for one in examples
    ]
