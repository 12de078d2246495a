"""Triplets from labelled data: data sets with violating passages, and ConflictQA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from logic_export.data.contradictions.conflictqa import SIDE_FIELDS
from logic_export.data.triplets import Triplet, unique_triplets
from logic_retrievers.evaluation import Dataset


def labelled_triplets(dataset: Dataset) -> list[Triplet]:
    """Each query with each of its satisfying against each of its violating passages.

    A NevIR pair thus gives two mirrored triplets, as in CoDeR's stage 2. Queries without violating
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
    """ConflictQA: each side's statement with each of its texts against one of the other side's.

    Args:
        rows: with the fields of :data:`SIDE_FIELDS`; an empty field counts as missing.
        seed: pairing of texts across the sides.
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
