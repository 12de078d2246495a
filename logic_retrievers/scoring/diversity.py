"""Maximal marginal relevance: relevant items that differ from each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def maximal_marginal_relevance(
    relevance: npt.NDArray[np.floating],
    similarities: npt.NDArray[np.floating],
    k: int,
    weight: float = 0.5,
) -> list[int]:
    """Choose items one by one, by relevance less likeness to the items chosen before.

    Carbonell and Goldstein 1998, *The Use of MMR*: the next item maximises ``weight * relevance -
    (1 - weight) * max similarity``. Among equal items the first is chosen.

    Args:
        relevance: shape (items,).
        similarities: shape (items, items).
        k: number of items.
        weight: in [0, 1]; 1 orders by relevance alone.

    Returns:
        Positions of the chosen items, in the order of choice.
    """
    chosen: list[int] = []
    likeness = np.zeros(len(relevance))
    left = np.ones(len(relevance), dtype=bool)
    while len(chosen) < min(k, len(relevance)):
        values = np.where(left, weight * relevance - (1 - weight) * likeness, -np.inf)
        item = int(np.argmax(values))
        likeness = similarities[item] if not chosen else np.maximum(likeness, similarities[item])
        left[item] = False
        chosen.append(item)
    return chosen
