"""Passages cut around what tells them apart, so that it weighs more in them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from random import Random

from logic_export.data.triplets import Triplet, unique
from logic_retrievers.evaluation.sentences import sentences

AROUND = 3
"""Most sentences kept on each side of those that differ."""


def cropped_triplets(triplets: Sequence[Triplet], *, copies: int, seed: int = 0) -> list[Triplet]:
    """The triplets, and after them copies whose two passages are cut to where they differ.

    A copy keeps all sentences in which its passages differ and up to :data:`AROUND` before and
    after, drawn anew for each copy, the same for all triplets over the same two passages. So one
    pair of passages is seen in many lengths, and in most of them the difference is a larger part of
    the vector. Passages that share no sentence, or that lie within one, have nothing to cut.

    Args:
        triplets: with passages that are versions of each other, as NevIR's; others pass unchanged.
        copies: of each pair of passages, at most; equal ones are left out.
        seed: of the lengths.
    """
    random = Random(seed)
    groups: dict[frozenset[str | None], list[Triplet]] = {}
    for row in triplets:
        groups.setdefault(frozenset((row.satisfying, row.violating)), []).append(row)
    made = list(triplets)
    for members in groups.values():
        for _ in range(copies):
            made += _copies(members, random)
    return unique(made)


def _copies(members: Sequence[Triplet], random: Random) -> list[Triplet]:
    first, second = members[0].satisfying, members[0].violating
    if second is None:
        return []
    left, right = crop(first, second, random)
    if not left or not right or left == right:
        return []
    cut = {first: left, second: right}
    return [
        Triplet(row.query, cut[row.satisfying], cut[row.violating or ""], row.source)
        for row in members
    ]


def crop(left: str, right: str, random: Random) -> tuple[str, str]:
    """Two versions of a passage, each from the same random place to the same other one.

    Both places lie among the sentences that the two share, before the first and after the last
    that differ; an empty text where one version has nothing there.
    """
    ours, theirs = sentences(left), sentences(right)
    changes = [
        change
        for change in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        if change[0] != "equal"
    ]
    if not changes:
        return left, right
    _, start, _, other_start, _ = changes[0]
    _, _, end, _, other_end = changes[-1]
    before = random.randint(0, min(start, AROUND))
    after = random.randint(0, min(len(ours) - end, AROUND))
    return (
        " ".join(ours[start - before : end + after]),
        " ".join(theirs[other_start - before : other_end + after]),
    )
