"""Contradiction retrieval as SparseCL measures it (Xu et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_export.data.contradictions.groups import ContradictionGroup
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import Sparsity, sparsity

Vectors: TypeAlias = npt.NDArray[np.floating]
CUTOFF = 10
# Topical candidates per query, as in the paper.
CANDIDATES = 1000
# Upper end of the search for alpha: the paper's 10, and twenty times as much for measures whose
# values lie about twenty times closer together.
MAX_ALPHA: Mapping[Sparsity, float] = {"hoyer": 10.0, "l2_l1": 200.0, "kappa4": 200.0}
SEARCH_PARTS = 10
SEARCH_PRECISION = 0.01


@dataclass(frozen=True, slots=True)
class ContradictionPool:
    """Distinct texts, and which of them are queries; each query lists the texts against it."""

    texts: tuple[str, ...]
    # per query, its row in ``texts`` and the rows of the texts that contradict it
    queries: tuple[tuple[int, tuple[int, ...]], ...]
    # per query, the rows of the texts that agree with it
    agreeing: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredCandidates:
    """The topically nearest texts of one query, without copies; arrays of shape (candidates,)."""

    right: npt.NDArray[np.bool_]  # whether each text contradicts the query
    cosines: npt.NDArray[np.float64]  # cosines of the topical vectors
    sparsities: npt.NDArray[np.float64]  # sparsities of contradiction vectors' differences
    total: int  # number of texts that contradict the query, candidates or not


def build_pool(
    groups: Sequence[ContradictionGroup], others: Sequence[ContradictionGroup] = ()
) -> ContradictionPool:
    """Build a pool: texts of ``groups`` are queries, texts of ``others`` only candidates."""
    rows: dict[str, int] = {}
    for group in (*groups, *others):
        for text in group.texts:
            rows.setdefault(text, len(rows))
    queries, agreeing = [], []
    for group in groups:
        for side, opposite in ((group.left, group.right), (group.right, group.left)):
            for text in side:
                queries.append((rows[text], tuple(rows[member] for member in opposite)))
                agreeing.append(tuple(rows[member] for member in side if member != text))
    return ContradictionPool(tuple(rows), tuple(queries), tuple(agreeing))


def nearest_candidates(
    pool: ContradictionPool,
    topical: Vectors,
    contradiction: Vectors,
    measure: Sparsity = "hoyer",
    depth: int = CANDIDATES,
) -> list[ScoredCandidates]:
    """Find the ``depth`` nearest texts of every query, and both scores of each.

    ``topical`` (for the cosines) and ``contradiction`` (for the sparsity of differences) are the
    vectors of the pool's texts, shape (texts, dimension), rows of length 1.
    """
    candidates = []
    for row, contradicting in pool.queries:
        cosines = topical @ topical[row]
        cosines[row] = -np.inf
        nearest = np.argsort(-cosines, kind="stable")[:depth]
        sparsities = sparsity(contradiction[row], contradiction[nearest], measure).astype(
            np.float64
        )
        valid = np.isfinite(cosines[nearest]) & ~np.isnan(sparsities)
        candidates.append(
            ScoredCandidates(
                np.isin(nearest, contradicting)[valid],
                cosines[nearest][valid].astype(np.float64),
                sparsities[valid],
                len(contradicting),
            )
        )
    return candidates


def ndcg(candidates: Sequence[ScoredCandidates], alpha: float) -> npt.NDArray[np.float64]:
    """Compute nDCG@10 of cosine + alpha * sparsity, shape (queries,)."""
    return np.array(
        [_query_ndcg(query, query.cosines + alpha * query.sparsities) for query in candidates]
    )


def find_alpha(
    candidates: Sequence[ScoredCandidates], highest: float = MAX_ALPHA["hoyer"]
) -> float:
    """Find the weight of the sparsity by the paper's coarse-to-fine search.

    [0, ``highest``] is divided into ten parts, and nDCG@10 of development queries is measured at
    the middle of each. The best part is divided again until a part is narrower than
    :data:`SEARCH_PRECISION`. Without queries it raises :class:`ConfigurationError`.
    """
    if not candidates:
        raise ConfigurationError("alpha is found on queries, and there are none")
    low, high = 0.0, highest
    while True:
        width = (high - low) / SEARCH_PARTS
        middles = [low + width * (part + 0.5) for part in range(SEARCH_PARTS)]
        best = max(middles, key=lambda alpha: float(ndcg(candidates, alpha).mean()))
        if width < SEARCH_PRECISION:
            return best
        low, high = best - width / 2, best + width / 2


def crossed_ndcg(
    candidates: Sequence[ScoredCandidates],
) -> tuple[npt.NDArray[np.float64], tuple[float, float]]:
    """Measure nDCG@10 of each half of the queries with the alpha of the other half.

    No query is thus measured with an alpha chosen on it, even without development queries.
    Returns both alphas too.
    """
    values = np.zeros(len(candidates))
    alphas = find_alpha(candidates[1::2]), find_alpha(candidates[::2])
    for half, alpha in enumerate(alphas):
        values[half::2] = ndcg(candidates[half::2], alpha)
    return values, alphas


def _query_ndcg(query: ScoredCandidates, scores: npt.NDArray[np.float64]) -> float:
    order = np.argsort(-scores, kind="stable")[:CUTOFF]
    gains = 1 / np.log2(np.arange(2, CUTOFF + 2))
    ideal = gains[: min(CUTOFF, query.total)].sum()
    return float(gains[: len(order)][query.right[order]].sum() / ideal) if query.total else 0.0
