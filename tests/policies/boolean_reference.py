"""A reference for Boolean combination, in plain Python, one candidate at a time."""

from __future__ import annotations

import math
from statistics import fmean, pstdev

from logic_retrievers.queries import And, Atom, Not, Or


def standard(scores, background=(0.0, 0.0), least=20):
    """Standard scores; background rows fill a small pool, half above and half below it."""
    known = [score for score in scores.values() if score is not None]
    if not known:
        return dict.fromkeys(scores, 0.0)
    missing = max(0, least - len(known))
    mean, deviation = background
    rows = [*known, *known, *[mean + deviation] * missing, *[mean - deviation] * missing]
    centre, spread = fmean(rows), pstdev(rows)
    if spread < 1e-9:
        return dict.fromkeys(scores, 0.0)
    lowest = min(known)
    return {
        i: ((lowest if score is None else score) - centre) / spread for i, score in scores.items()
    }


def calibrated(tree, u, s):
    """Our scores, id -> score; u: text -> id -> standard score."""
    if isinstance(tree, Atom):
        return u[tree.text]
    if isinstance(tree, Or):
        return _each(max, [calibrated(part, u, s) for part in tree.parts])
    parts = tree.parts if isinstance(tree, And) else (tree,)
    wanted = [part for part in parts if not isinstance(part, Not)]
    denied = [part.part for part in parts if isinstance(part, Not)]
    value = dict.fromkeys(next(iter(u.values())), 0.0)
    if wanted:
        value = _each(min, [calibrated(part, u, s) for part in wanted])
    if len(wanted) > 1:
        phrase = u[" and ".join(part.text for part in wanted)]
        value = {i: (1 - s.joint_weight) * v + s.joint_weight * phrase[i] for i, v in value.items()}
    if not denied:
        return value
    against = _each(max, [calibrated(part, u, s) for part in denied])
    penalty = s.penalty * max(*value.values(), 0.0)
    found = {}
    for i, v in value.items():
        speaks = 1 / (1 + math.exp(-2 * (against[i] - s.mention_threshold)))
        rather = 1 / (1 + math.exp(-4 * (against[i] - v)))
        found[i] = v - penalty * speaks * (s.mention_share + (1 - s.mention_share) * rather)
    return found


def _each(route, several):
    return {i: route(one[i] for one in several) for i in several[0]}
