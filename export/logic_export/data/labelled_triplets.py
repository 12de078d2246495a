"""Triplets from labelled data: queries with violating passages, cropped copies, and ConflictQA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from random import Random

from logic_export.data.contradictions.conflictqa import SIDE_FIELDS
from logic_export.data.sentences import split_sentences
from logic_export.data.triplets import Triplet, unique_triplets
from logic_retrievers.evaluation import Dataset

# Most sentences kept on each side of the difference between two versions of a passage.
MAX_CONTEXT = 3


def labelled_triplets(dataset: Dataset) -> list[Triplet]:
    """Pair each satisfying passage of a query with each violating one.

    A NevIR pair gives two mirrored triplets, as in CoDeR's stage 2. Queries without violating
    passages (ordinary retrieval) give triplets without them.
    """
    triplets = []
    for query in dataset.queries:
        for passage_id in sorted(query.satisfying):
            satisfying = dataset.documents[passage_id]
            violating_texts = [dataset.documents[i] for i in sorted(query.violating)]
            negatives: list[str | None] = [text for text in violating_texts if text != satisfying]
            triplets += [
                Triplet(query.text, satisfying, violating, dataset.name)
                for violating in negatives or [None]
            ]
    return unique_triplets(triplets)


def conflict_triplets(rows: Sequence[Mapping[str, str]], *, seed: int = 0) -> list[Triplet]:
    """Pair the statement of each side of a ConflictQA question with each of the side's texts.

    The violating passage is a random text of the other side. ``rows`` have the fields of
    :data:`SIDE_FIELDS`; an empty field counts as missing.
    """
    random = Random(seed)
    triplets = []
    for row in rows:
        texts = [
            [row[name] for name in names[1:] if row.get(name, "").strip()] for names in SIDE_FIELDS
        ]
        for side, names in enumerate(SIDE_FIELDS):
            supporting, opposing = texts[side], [t for t in texts[1 - side] if t not in texts[side]]
            if not row.get(names[0], "").strip() or not opposing:
                continue
            triplets += [
                Triplet(row[names[0]], text, random.choice(opposing), "conflict")
                for text in supporting
            ]
    return unique_triplets(triplets)


def cropped_triplets(triplets: Sequence[Triplet], *, copies: int, seed: int = 0) -> list[Triplet]:
    """Add copies of the triplets whose two passages are cropped around their difference.

    A copy keeps all differing sentences and up to :data:`MAX_CONTEXT` before and after. The number
    is random for each copy, and equal for all triplets over the same two passages. Passages that
    are not versions of each other stay unchanged.
    """
    random = Random(seed)
    groups: dict[frozenset[str | None], list[Triplet]] = {}
    for row in triplets:
        groups.setdefault(frozenset((row.satisfying, row.violating)), []).append(row)
    triplets_with_crops = list(triplets)
    for first, *others in groups.values():
        for _ in range(copies if first.violating else 0):
            left, right = crop_pair(first.satisfying, first.violating or "", random)
            if left and right and left != right:
                cropped = {first.satisfying: left, first.violating: right}
                triplets_with_crops += [
                    Triplet(row.query, cropped[row.satisfying], cropped[row.violating], row.source)
                    for row in (first, *others)
                ]
    return unique_triplets(triplets_with_crops)


def crop_pair(left: str, right: str, random: Random) -> tuple[str, str]:
    """Crop two versions of a passage at the same random boundaries.

    Both boundaries lie in shared sentences, before the first and after the last difference. A crop
    is empty if its version has nothing between the boundaries.
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
