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
    """CoDeR-Seq: eq. 7 and 8, the topical order where nothing passes."""
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


def exclusion(
    whole: Scores,
    wanted: Scores,
    excluded: list[Scores],
    *,
    penalty: float,
    standout_share: float,
    mention_share: float,
    whole_query_weight: float,
    standout_threshold: float,
    is_property: bool = False,
) -> dict[str, tuple[float, float]]:
    """Score and violation of every passage of a pool; the formulas of ExclusionPolicy."""

    def clip(value: float) -> float:
        return min(1.0, max(0.0, value))

    confidence = clip(max(wanted.values()) / max(1e-9, max(whole.values()))) ** 2
    nearest_wanted = nearest(wanted, 5)
    result = {}
    for i in whole:
        base = (1 - whole_query_weight) * wanted[i] + whole_query_weight * whole[i]
        base = confidence * base + (1 - confidence) * whole[i]
        violations = [0.0]
        for scores in excluded:
            share = scores[i] / max(0.4, max(scores.values()))
            standout = clip((share - standout_threshold) / (1 - standout_threshold))
            mention = 0.0 if is_property else mention_share
            about = mention + (1 - mention) * clip((scores[i] - wanted[i]) / 0.1)
            usual = sum(scores[j] for j in nearest_wanted) / len(nearest_wanted)
            if is_property:
                usual = max(usual, wanted[i])
            excess = max(0.0, scores[i] - usual)
            violations.append(clip(standout_share * standout * about + excess))
        violation = confidence * max(violations)
        result[i] = (base - penalty * violation, violation)
    return result
