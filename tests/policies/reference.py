"""The policies once more, in plain Python over dictionaries, read straight from the paper.

Deliberately slow and naive: what the package is compared with.
"""

from __future__ import annotations

import math

Scores = dict[str, float]
"""id -> score; a passage without the vector is not in it."""


def by_score(scores: Scores) -> list[str]:
    """Ids, best first, ties by id."""
    return sorted(scores, key=lambda i: (-scores[i], i))


def nearest(scores: Scores, depth: int) -> list[str]:
    return by_score(scores)[:depth]


def sequential(
    topical: Scores,
    compatibility: Scores,
    k: int,
    *,
    alpha: float,
    tau: float,
    depth: int,
    cut: bool,
) -> list[tuple[str, float]]:
    """CoDeR-Seq: eq. 7 and 8, the topical order where nothing passes."""
    pool = nearest(topical, max(depth, k))
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
    rule: str,
    depth: int,
    cut: bool,
    fusion: str = "reciprocal_rank",
) -> list[tuple[str, float]]:
    """CoDeR-Union: eq. 9 to 11 with the three readings of its filter, or a mean of cosines."""
    depth = max(depth, k)
    pool = sorted({*nearest(topical, depth), *nearest(compatibility, depth)})
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
    n = len(pool)
    if rule == "share_kept":
        everything, last = keep >= 1, math.ceil(round(keep * n, 9))
    elif rule == "share_dropped":
        everything, last = keep <= 0, n - math.floor(round(keep * n, 9))
    else:
        everything = keep <= 0
        last = max((r for r in range(1, n + 1) if everything or 1 / r >= keep), default=0)
    passed = {i for i in pool if everything or (i in rank_c and rank_c[i] <= last)} or set(pool)
    order = by_score({i: fused[i] for i in passed})
    if not cut:
        order += by_score({i: fused[i] for i in pool if i not in passed})
    return [(i, fused[i]) for i in order][:k]


def ranks(scores: Scores) -> dict[str, int]:
    return {i: r for r, i in enumerate(by_score(scores), 1)}


def exclusion(
    whole: Scores,
    target: Scores,
    traps: list[Scores],
    *,
    penalty: float,
    mention: float,
    whole_weight: float,
    standout: float,
    floor: float,
    margin: float,
    width: float,
    low: float,
    high: float,
) -> dict[str, tuple[float, float]]:
    """Score and violation of every passage of a pool; the formulas of ExclusionPolicy."""

    def clip(value: float) -> float:
        return min(1.0, max(0.0, value))

    best_target, best_whole = max(target.values()), max(1e-9, max(whole.values()))
    heard = clip((best_target / best_whole - low) / (high - low))
    found = {}
    for i in whole:
        wanted = (1 - whole_weight) * target[i] + whole_weight * whole[i]
        wanted = heard * wanted + (1 - heard) * whole[i]
        violation = 0.0
        if traps:
            out = max(
                clip((trap[i] / max(floor, max(trap.values())) - standout) / (1 - standout))
                for trap in traps
            )
            nearest_trap = max(trap[i] for trap in traps)
            speaks = clip((nearest_trap - target[i] + margin) / width)
            violation = heard * out * (mention + (1 - mention) * speaks)
        found[i] = (wanted - penalty * violation, violation)
    return found
