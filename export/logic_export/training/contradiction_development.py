"""Development of a contradiction head: contradiction retrieval with the sparsity of differences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sentence_transformers import SentenceTransformer

from logic_export.contradiction_retrieval import (
    MAX_ALPHA,
    ContradictionPool,
    find_alpha,
    ndcg,
    nearest_candidates,
)
from logic_export.dense_retrieval import Encode
from logic_export.training.development import Development, Figures, Measured
from logic_export.training.encoding import make_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import Sparsity

NDCG, COSINE, ALPHA = "nDCG@10", "nDCG@10 of cosine alone", "alpha"
DEVELOPMENT_CANDIDATES = 100
"""Candidates per query; fewer than in use, for speed. The right ones are among the nearest."""


class ContradictionDevelopment(Development):
    """nDCG@10 of cosine + alpha * sparsity, with alpha searched at each measurement.

    Args:
        pools: by name.
        topical: encoder of the cosines, which is not trained.
        length: most tokens of a text.
        prefix: put before every text.
        measure: of sparsity; None for the cosine baseline, which has only its own cosine.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a pool without queries.
    """

    def __init__(
        self,
        pools: Mapping[str, ContradictionPool],
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
        encode = make_encoder(model, self._length, self._prefix)
        return {name: self._figures(name, encode) for name in self._pools}

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean nDCG@10."""
        return float(np.mean([figures[NDCG] for figures in measured.values()]))

    def _figures(self, name: str, encode: Encode) -> Figures:
        pool, vectors = self._pools[name], encode(self._pools[name].texts)
        if self._measure is None:
            candidates = nearest_candidates(pool, vectors, vectors, depth=DEVELOPMENT_CANDIDATES)
            return {NDCG: float(ndcg(candidates, 0).mean())}
        candidates = nearest_candidates(
            pool, self._topical[name], vectors, self._measure, DEVELOPMENT_CANDIDATES
        )
        alpha = find_alpha(candidates, highest=MAX_ALPHA[self._measure])
        return {
            NDCG: float(ndcg(candidates, alpha).mean()),
            COSINE: float(ndcg(candidates, 0).mean()),
            ALPHA: alpha,
        }
