"""Diverse results of a plain search: maximal marginal relevance over topical vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from logic_retrievers.effects import Operation
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.index import PassageIndex
from logic_retrievers.scoring.diversity import maximal_marginal_relevance
from logic_retrievers.settings import check_count
from logic_retrievers.types import Hit

TOPICAL = "topical"


def diverse_hits(
    index: PassageIndex, hits: Sequence[Hit], k: int, weight: float
) -> Operation[list[Hit]]:
    """Those of the hits that are relevant and differ, by their topical vectors.

    Args:
        index: where they were found.
        hits: of a plain topical search; a hit without a stored vector resembles no other.
        k: how many are chosen.
        weight: of relevance, in [0, 1]; what is left of 1 weighs the likeness to chosen hits.

    Raises:
        ConfigurationError: k is under 1, or the weight not in [0, 1].
    """
    check_count("k", k)
    if not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ConfigurationError(f"the weight of relevance is in [0, 1], not {shown(weight)}")
    stored = yield from index.stored_vectors([hit.passage for hit in hits], [TOPICAL])
    rows = np.zeros((len(hits), index.encoder.specs[TOPICAL].dimension))
    for row, hit in enumerate(hits):
        rows[row] = stored.get((TOPICAL, hit.passage.id), 0.0)
    relevance = np.array([hit.score for hit in hits])
    chosen = maximal_marginal_relevance(relevance, rows @ rows.T, k, weight)
    return [replace(hits[item], rank=rank) for rank, item in enumerate(chosen, 1)]
