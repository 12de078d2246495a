"""Development of a contradiction head: does the sparsity of differences find contradictions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sentence_transformers import SentenceTransformer

from logic_export.retrieval import Encode
from logic_export.training.development import Development, Figures, Measured, encoding
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.contradictions import (
    HIGHEST,
    Pool,
    candidates_of,
    find_alpha,
    ndcg,
)
from logic_retrievers.scoring import Sparsity

NDCG, COSINE, ALPHA = "nDCG@10", "nDCG@10 of cosine alone", "alpha"
DEPTH = 100
"""Candidates of a query; fewer than in use, for speed. The right ones are among the nearest."""


class ContradictionDevelopment(Development):
    """nDCG@10 of cosine + alpha * sparsity, alpha found anew each time.

    Args:
        pools: by name.
        topical: makes the cosines; the model that is not trained.
        length: most tokens of a text.
        prefix: put before every text.
        measure: of sparsity; None: of the cosine baseline, whose own cosine is all there is.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a pool without queries.
    """

    def __init__(
        self,
        pools: Mapping[str, Pool],
        topical: Encode,
        length: int,
        prefix: str,
        measure: Sparsity | None = "hoyer",
        base: Mapping[str, Figures] | None = None,
    ) -> None:
        super().__init__(base)
        if empty := [name for name, pool in pools.items() if not pool.queries]:
            raise ConfigurationError(f"{empty[0]} holds no questions with two sides")
        self._pools, self._measure = pools, measure
        self._length, self._prefix = length, prefix
        self._topical = {name: topical(pool.texts) for name, pool in pools.items()}

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every pool."""
        encode = encoding(model, self._length, self._prefix)
        return {name: self._figures(name, encode) for name in self._pools}

    def score(self, found: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean nDCG@10."""
        return float(np.mean([one[NDCG] for one in found.values()]))

    def _figures(self, name: str, encode: Encode) -> Figures:
        pool, own = self._pools[name], encode(self._pools[name].texts)
        if self._measure is None:
            found = candidates_of(pool, own, own, depth=DEPTH)
            return {NDCG: float(ndcg(found, 0).mean())}
        found = candidates_of(pool, self._topical[name], own, self._measure, DEPTH)
        alpha = find_alpha(found, highest=HIGHEST[self._measure])
        return {
            NDCG: float(ndcg(found, alpha).mean()),
            COSINE: float(ndcg(found, 0).mean()),
            ALPHA: alpha,
        }
