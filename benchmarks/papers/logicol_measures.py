"""Logical consistency of an encoder over related queries (Shen et al. 2025, LogiCoL)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import Query
from logic_retrievers.queries import Expression
from logic_retrievers.queries.expressions import split_exclusions
from logic_retrievers.scoring import normalise

Group = TypeVar("Group", bound=Hashable)


class Complement(NamedTuple):
    """Two queries that share no answer: A AND B, and A AND NOT B."""

    both: Query
    without: Query


def complementary_pairs(queries: Iterable[Query]) -> list[Complement]:
    """Find the pairs (A AND B, A AND NOT B) and (A AND B AND C, A AND B AND NOT C).

    Two queries are a pair if dropping the NOT before the second's only excluded part gives the
    first, in any order of the parts. Queries with a ``group`` pair only within the group. A query
    without an expression has no pair. Of several queries with one meaning, only the first counts.
    """
    joint: dict[tuple[str | None, frozenset[Expression]], Query] = {}
    excluding: list[tuple[Query, frozenset[Expression]]] = []
    for query in queries:
        if query.expression is None:
            continue
        wanted, excluded = split_exclusions(query.expression.simplified())
        if len(wanted) > 1 and not excluded:
            joint.setdefault((query.group, frozenset(wanted)), query)
        elif wanted and len(excluded) == 1:
            excluding.append((query, frozenset((*wanted, *excluded))))
    pairs = ((joint.get((query.group, parts)), query) for query, parts in excluding)
    return [Complement(both, without) for both, without in pairs if both is not None]


def group_coherence(vectors: npt.ArrayLike, groups: Sequence[Group]) -> dict[Group, float]:
    """Compute the mean pairwise cosine of each group's query vectors (Shen et al. 2025).

    The coherence is high if an encoder sees the atoms of queries but not the operators.

    Args:
        vectors: vectors of the queries, shape (queries, dimension).
        groups: the group of each query.

    Returns:
        group -> mean over pairs of different queries; groups of one query are left out.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    members: dict[Group, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    coherence = {}
    for group, places in members.items():
        if (n := len(places)) > 1:
            own = normalise(rows[places])
            cosines = own @ own.T
            coherence[group] = float((cosines.sum() - np.trace(cosines)) / (n * (n - 1)))
    return coherence


def score_correlation(first: npt.ArrayLike, second: npt.ArrayLike, k: int = 100) -> float:
    """Compute Pearson's r between the scores of two queries.

    r should be low for queries that exclude each other. It covers every document among the k
    best of either query (ties by position), because the paper does not say which query's "top 100"
    it takes. A document that lacks a score under one query is left out.

    Args:
        first: scores over the pool, shape (documents,); NaN or infinite means no score.
        second: scores of the second query, over the same documents.
        k: number of best documents per query.

    Returns:
        r in [-1, 1]; NaN with fewer than two documents, or if all scores of a query are equal.
    """
    x, y = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    chosen = np.zeros(len(x), dtype=bool)
    for scores in (x, y):
        finite = np.flatnonzero(np.isfinite(scores))
        chosen[finite[np.argsort(-scores[finite], kind="stable")[:k]]] = True
    chosen &= np.isfinite(x) & np.isfinite(y)
    x, y = x[chosen], y[chosen]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    r = normalise(x - x.mean()) @ normalise(y - y.mean())
    return float(np.clip(r, -1, 1))
