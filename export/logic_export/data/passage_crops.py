"""Pairs of passage versions cropped around their difference, so that it weighs more."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from random import Random

from logic_export.data.sentences import split_sentences
from logic_export.data.triplets import Triplet, unique_triplets

MAX_CONTEXT = 3
"""Most sentences kept on each side of the difference."""


def cropped_triplets(triplets: Sequence[Triplet], *, copies: int, seed: int = 0) -> list[Triplet]:
    """The triplets, followed by copies whose two passages are cropped around their difference.

    A copy keeps all differing sentences and up to :data:`MAX_CONTEXT` before and after, drawn anew
    for each copy and equal for all triplets over the same two passages. So a pair of passages is
    seen at many lengths, and in most of them the difference is a larger part of the vector.
    Passages that share no sentence, or consist of one, cannot be cropped.

    Args:
        triplets: whose passages are versions of each other, as in NevIR; others pass unchanged.
        copies: most copies per pair of passages; duplicates are dropped.
        seed: of the lengths.
    """
    random = Random(seed)
    groups: dict[frozenset[str | None], list[Triplet]] = {}
    for row in triplets:
        groups.setdefault(frozenset((row.satisfying, row.violating)), []).append(row)
    triplets_with_crops = list(triplets)
    for members in groups.values():
        for _ in range(copies):
            triplets_with_crops += _cropped_copies(members, random)
    return unique_triplets(triplets_with_crops)


def _cropped_copies(members: Sequence[Triplet], random: Random) -> list[Triplet]:
    first, second = members[0].satisfying, members[0].violating
    if second is None:
        return []
    left, right = crop_pair(first, second, random)
    if not left or not right or left == right:
        return []
    cropped = {first: left, second: right}
    return [
        Triplet(row.query, cropped[row.satisfying], cropped[row.violating or ""], row.source)
        for row in members
    ]


def crop_pair(left: str, right: str, random: Random) -> tuple[str, str]:
    """Two versions of a passage, cropped at the same random boundaries.

    Both boundaries lie in shared sentences, before the first and after the last difference; a text
    is empty where its version has nothing there.
    """
    left_sentences, right_sentences = split_sentences(left), split_sentences(right)
    changes = [
        change
        for change in SequenceMatcher(
            None, left_sentences, right_sentences, autojunk=False
        ).get_opcodes()
        if change[0] != "equal"
    ]
    if not changes:
        return left, right
    _, start, _, right_start, _ = changes[0]
    _, _, end, _, right_end = changes[-1]
    before = random.randint(0, min(start, MAX_CONTEXT))
    after = random.randint(0, min(len(left_sentences) - end, MAX_CONTEXT))
    return (
        " ".join(left_sentences[start - before : end + after]),
        " ".join(right_sentences[right_start - before : right_end + after]),
    )
