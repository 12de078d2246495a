"""Triplets from pairs of statements that deny each other, and from their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from logic_export.data.triplets import Triplet, unique
from logic_retrievers.evaluation.conflictqa import SIDES


def negation_triplets(
    pairs: Iterable[tuple[str, str]], *, seed: int = 0, most: int | None = None
) -> list[Triplet]:
    """Statements with one of the same meaning against one that denies it.

    Both members of a pair are taken as queries in turn. What has the same meaning is another
    statement that the same negation denies; without one the statement itself is satisfying, which
    teaches little, so such pairs come last when ``most`` leaves some out.

    Args:
        pairs: (statement, its negation).
        seed: of the order.
        most: triplets to keep.
    """
    denied: dict[str, list[str]] = {}
    for left, right in pairs:
        for one, other in ((left, right), (right, left)):
            denied.setdefault(one, []).append(other)
    told, bare = [], []
    for statement in sorted(denied):
        for negation in sorted(set(denied[statement]) - {statement}):
            same = sorted(set(denied[negation]) - {statement, negation})
            if same:
                told += [Triplet(statement, other, negation, "negation") for other in same]
            else:
                bare.append(Triplet(statement, statement, negation, "negation"))
    random = Random(seed)
    random.shuffle(told)
    random.shuffle(bare)
    return unique([*told, *bare])[:most]


def conflict_triplets(rows: Sequence[Mapping[str, str]], *, seed: int = 0) -> list[Triplet]:
    """ConflictQA: each side's statement with each of its texts against one of the other side's.

    Args:
        rows: with the fields of :data:`SIDES`; an empty field counts as missing.
        seed: which text of the other side stands against which.
    """
    random = Random(seed)
    found = []
    for row in rows:
        texts = [[row[name] for name in names[1:] if row.get(name, "").strip()] for names in SIDES]
        for side, names in enumerate(SIDES):
            own, other = texts[side], [t for t in texts[1 - side] if t not in texts[side]]
            if not row.get(names[0], "").strip() or not other:
                continue
            found += [
                Triplet(row[names[0]], text, random.choice(other), "conflict") for text in own
            ]
    return unique(found)
