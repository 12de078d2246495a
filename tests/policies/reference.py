"""Reference policies in plain Python over dictionaries, straight from the paper.

Deliberately slow and naive: tests compare the package with them.
"""

from __future__ import annotations

import math

Scores = dict[str, float]
"""id -> score; a passage without the vector is not in it."""


def by_score(scores: Scores) -> list[str]:
    """Ids, best first, ties by id."""
    return sorted(scores, key=lambda i: (-scores[i], i))


def nearest(scores: Scores, limit: int) -> list[str]:
    return by_score(scores)[:limit]


def sequential(
    topical: Scores,
    compatibility: Scores,
    k: int,
    *,
    alpha: float,
    tau: float,
    limit: int,
    cut: bool,
) -> list[tuple[str, float]]:
    """CoDeR-Seq: eq. 7 and 8; the topical order if nothing passes."""
    pool = nearest(topical, max(limit, k))
    s_c = {i: compatibility.get(i, -1.0) for i in pool}
    passed = {i for i in pool if s_c[i] >= tau}
    if not passed:
        return [(i, topical[i]) for i in pool][:k]
    fused = {i: alpha * topical[i] + (1 - alpha) * s_c[i] for i in pool}
    order = by_score({i: fused[i] for i in passed})
    if not cut:
        order += by_score({i: fused[i] for i in pool if i not in passed})
    return [(i, fused[i]) for i in order][:k]


def union(
    topical: Scores,
    compatibility: Scores,
    k: int,
    *,
    alpha: float,
    keep: float,
    limit: int,
    cut: bool,
    fusion: str = "reciprocal_rank",
) -> list[tuple[str, float]]:
    """CoDeR-Union: eq. 9 to 11, or a mean of cosines."""
    limit = max(limit, k)
    pool = sorted({*nearest(topical, limit), *nearest(compatibility, limit)})
    rank_t = ranks({i: topical[i] for i in pool if i in topical})
    rank_c = ranks({i: compatibility[i] for i in pool if i in compatibility})
    fused = {
        i: alpha * (1 / rank_t[i] if i in rank_t else 0)
        + (1 - alpha) * (1 / rank_c[i] if i in rank_c else 0)
        for i in pool
    }
    if fusion == "cosine":
        fused = {
            i: alpha * topical[i] + (1 - alpha) * compatibility[i]
            if i in topical and i in compatibility
            else topical.get(i, compatibility.get(i))
            for i in pool
        }
    everything, last = keep >= 1, math.ceil(round(keep * len(pool), 9))
    passed = {i for i in pool if everything or (i in rank_c and rank_c[i] <= last)} or set(pool)
    order = by_score({i: fused[i] for i in passed})
    if not cut:
        order += by_score({i: fused[i] for i in pool if i not in passed})
    return [(i, fused[i]) for i in order][:k]


def ranks(scores: Scores) -> dict[str, int]:
    return {i: r for r, i in enumerate(by_score(scores), 1)}


def constraint(
    topical: Scores,
    compatibility: Scores | None,
    excluded: list[tuple[Scores, Scores | None]],
    *,
    gate: float,
    share: float,
    penalty: float,
) -> list[tuple[str, float, float]]:
    """Ids with scores and penalties, best first, by ConstraintPolicy's formula.

    Args:
        topical: cosines to the query; a passage without this vector has None.
        compatibility: the same by the compatibility vector; None if it is not used.
        excluded: the same two cosines for each excluded text.
        gate: probability of a constraint.
        share: weight of the compatibility cosine.
        penalty: deduction per unit of cosine above the usual one.
    """

    def mixed(first, second, i):
        one, other = first.get(i), None if second is None else second.get(i)
        if other is None:
            return -1.0 if one is None else one
        return other if one is None else (1 - share) * one + share * other

    whole = {i: mixed(topical, compatibility, i) for i in topical}
    by_query = nearest(whole, len(whole))
    losses = dict.fromkeys(whole, 0.0)
    for columns in excluded:
        x = {i: mixed(*columns, i) for i in whole}
        for i, loss in losses.items():
            others = [j for j in by_query if j != i][:5]
            usual = sum(x[j] for j in others) / len(others) if others else x[i]
            losses[i] = max(loss, gate * penalty * max(0.0, x[i] - usual))
    scores = {
        i: (1 - gate) * (-1.0 if topical[i] is None else topical[i]) + gate * whole[i] - losses[i]
        for i in whole
    }
    return [(i, scores[i], losses[i]) for i in by_score(scores)]
