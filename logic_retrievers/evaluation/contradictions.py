"""Contradiction retrieval as SparseCL measures it: who, among all texts, says the contrary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.sides import Sides
from logic_retrievers.scoring import Sparsity, sparsity

Vectors: TypeAlias = npt.NDArray[np.floating]
CUT = 10
DEPTH = 1000
"""Topical candidates of a query, as in the paper."""

HIGHEST: Mapping[Sparsity, float] = {"hoyer": 10.0, "l2_l1": 200.0, "kappa4": 200.0}
"""Where the search for alpha ends: the paper's 10; for measures whose values lie some twenty times
closer together, twenty times as much."""

PARTS = 10
STOP = 0.01


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts, and for some of them which others say the contrary.

    Args:
        texts: all of them, each once.
        queries: row of a query in ``texts``, and the rows of what contradicts it.
        agreeing: of the same queries, the rows of what is on their own side.
    """

    texts: tuple[str, ...]
    queries: tuple[tuple[int, tuple[int, ...]], ...]
    agreeing: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The topically nearest of one query.

    Args:
        right: whether each contradicts it.
        cosines: of the topical vectors.
        sparsities: of the contradiction vectors; the query and its copies are left out.
        total: how many contradict it, candidate or not.
    """

    right: npt.NDArray[np.bool_]
    cosines: npt.NDArray[np.float64]
    sparsities: npt.NDArray[np.float64]
    total: int


def pool_of(asked: Sequence[Sides], others: Sequence[Sides] = ()) -> Pool:
    """Every text of ``asked`` is a query; the texts of ``others`` are candidates alone."""
    rows: dict[str, int] = {}
    for group in (*asked, *others):
        for text in group.texts:
            rows.setdefault(text, len(rows))
    queries, agreeing = [], []
    for group in asked:
        for own, other in ((group.left, group.right), (group.right, group.left)):
            for text in own:
                queries.append((rows[text], tuple(rows[one] for one in other)))
                agreeing.append(tuple(rows[one] for one in own if one != text))
    return Pool(tuple(rows), tuple(queries), tuple(agreeing))


def candidates_of(
    pool: Pool,
    topical: Vectors,
    contradiction: Vectors,
    measure: Sparsity = "hoyer",
    depth: int = DEPTH,
) -> list[Candidates]:
    """The ``depth`` nearest of every query, with both of their scores.

    Args:
        pool: the texts.
        topical: shape (texts, dimension), rows of length 1; for the cosines.
        contradiction: the same; for the sparsity of differences.
        measure: of sparsity.
        depth: how many are nearest.
    """
    found = []
    for row, right in pool.queries:
        cosines = topical @ topical[row]
        cosines[row] = -np.inf
        near = np.argsort(-cosines, kind="stable")[:depth]
        sparse = sparsity(contradiction[row], contradiction[near], measure).astype(np.float64)
        kept = np.isfinite(cosines[near]) & ~np.isnan(sparse)
        found.append(
            Candidates(
                np.isin(near, right)[kept],
                cosines[near][kept].astype(np.float64),
                sparse[kept],
                len(right),
            )
        )
    return found


def ndcg(found: Sequence[Candidates], alpha: float) -> npt.NDArray[np.float64]:
    """nDCG@10 of cosine + alpha * sparsity, one value a query."""
    return np.array([_ndcg(one, one.cosines + alpha * one.sparsities) for one in found])


def find_alpha(
    found: Sequence[Candidates], stop: float = STOP, highest: float = HIGHEST["hoyer"]
) -> float:
    """The weight of the sparsity, by the paper's search from coarse to fine.

    [0, ``highest``] in ten parts, nDCG@10 at the middle of each, then on into the best part, until
    a part is narrower than ``stop``.

    Args:
        found: candidates of development queries.
        stop: width.
        highest: see :data:`HIGHEST`.

    Raises:
        ConfigurationError: no queries.
    """
    if not found:
        raise ConfigurationError("alpha is found on queries, and there are none")
    return _search(lambda alpha: float(ndcg(found, alpha).mean()), stop, highest)


def crossed_ndcg(
    found: Sequence[Candidates],
) -> tuple[npt.NDArray[np.float64], tuple[float, float]]:
    """nDCG@10 of each half of the queries with the alpha of the other, and the two alphas.

    For a collection without development queries: what is measured did not choose its own alpha.
    """
    halves = np.arange(len(found)) % 2
    values = np.zeros(len(found))
    alphas = []
    for half in (0, 1):
        alpha = find_alpha([one for one, part in zip(found, halves, strict=True) if part != half])
        own = [one for one, part in zip(found, halves, strict=True) if part == half]
        values[halves == half] = ndcg(own, alpha)
        alphas.append(alpha)
    return values, (alphas[0], alphas[1])


def _search(value: Callable[[float], float], stop: float, highest: float) -> float:
    low, high = 0.0, highest
    while True:
        width = (high - low) / PARTS
        middles = [low + width * (part + 0.5) for part in range(PARTS)]
        best = max(middles, key=value)
        if width < stop:
            return best
        low, high = best - width / 2, best + width / 2


def _ndcg(one: Candidates, scores: npt.NDArray[np.float64]) -> float:
    order = np.argsort(-scores, kind="stable")[:CUT]
    gains = 1 / np.log2(np.arange(2, CUT + 2))
    ideal = gains[: min(CUT, one.total)].sum()
    return float(gains[: len(order)][one.right[order]].sum() / ideal) if one.total else 0.0
