"""Triplets from data sets that label passages as satisfying and violating (NevIR, ExcluIR)."""

from __future__ import annotations

from logic_export.data.triplets import Triplet, unique
from logic_retrievers.evaluation import Dataset


def labelled_triplets(dataset: Dataset) -> list[Triplet]:
    """Each query with each of its satisfying against each of its violating passages.

    A NevIR pair so gives two mirrored triplets, as CoDeR's stage 2 has them. A query without
    violating passages (ordinary retrieval) gives triplets without them.
    """
    found = []
    for query in dataset.queries:
        for identifier in sorted(query.satisfying):
            right = dataset.documents[identifier]
            wrong = [dataset.documents[i] for i in sorted(query.violating)]
            others: list[str | None] = [text for text in wrong if text != right]
            found += [
                Triplet(query.text, right, violating, dataset.name)
                for violating in others or [None]
            ]
    return unique(found)
