"""Builders of pairs that nobody has labelled: a teacher does, and the builder ``soft`` reads it."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np

from logic_export.data.triplet_builders import find_data_file
from logic_export.judge.rows import (
    NEUTRAL,
    JudgeRow,
    excerpt_row,
    labelled_row,
    read_judge_rows,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging import PAIR_KINDS
from logic_retrievers.judging.pair_kinds import pair_texts
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage


def candidates(
    folder: str,
    split: str = "train",
    depth: int = 10,
    *,
    seed: int = 0,  # noqa: ARG001
) -> list[JudgeRow]:
    """Every query of a data set with its first topical candidates, as a judge would read them.

    Nobody has labelled them: they are for the builder ``soft``.

    Args:
        folder: a data set's, for queries and documents; its labels are not read.
        split: train or dev.
        depth: candidates of each query, as the default bundle finds them.
        seed: not used.
    """
    dataset = load_dataset(folder, split)
    texts = [query.text for query in dataset.queries]
    with PassageIndex.open("candidates", default_encoder(), vectors=["topical"]) as index:
        index.add(Passage(name, text) for name, text in dataset.documents.items())
        hits_by_query = Engine(index, "topical").search_many(texts, depth)
    return [
        excerpt_row(hit.passage.text, text, NEUTRAL)
        for text, hits in zip(texts, hits_by_query, strict=True)
        for hit in hits
    ]


def siblings(path: str, *, seed: int = 0) -> list[JudgeRow]:  # noqa: ARG001
    """The hypotheses of one premise with each other, both ways; nobody has labelled them.

    Args:
        path: labelled pairs, as the builder ``pairs`` reads them.
        seed: not used.
    """
    by_premise: dict[str, list[str]] = {}
    for row in read_judge_rows(find_data_file(Path(path))):
        by_premise.setdefault(row.premise, []).append(row.hypothesis)
    return [
        labelled_row(one, other, NEUTRAL)
        for hypotheses in by_premise.values()
        for one, other in permutations(dict.fromkeys(hypotheses), 2)
    ]


def neighbour_kinds(
    folder: str,
    split: str = "train",
    passages: int = 700,
    depth: int = 5,
    least_cosine: float = 0.5,
    *,
    seed: int = 0,
) -> list[JudgeRow]:
    """Passages of a corpus with their nearest ones, both ways, as the cleaner would read them.

    They teach what neighbours of one field look like; most have no conflict.

    Args:
        folder: a data set's, for its documents alone.
        split: train or dev.
        passages: how many are drawn, with ``seed``.
        depth: nearest ones of each among these, by the default bundle's topical vectors.
        least_cosine: of a pair.
        seed: of the draw.
    """
    documents = list(load_dataset(folder, split).documents.values())
    drawn = Random(seed).sample(documents, min(passages, len(documents)))
    return [
        labelled_row(one, other, "unrelated", PAIR_KINDS)
        for pair in _nearest_pairs(drawn, depth, least_cosine)
        for one, other in permutations(pair)
    ]


def _nearest_pairs(texts: list[str], depth: int, least_cosine: float) -> list[tuple[str, str]]:
    """Each text with its nearest, as a cross-encoder reads the two."""
    vectors = default_encoder().encode_documents(texts, ["topical"])["topical"]
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :depth]
    return [
        pair_texts(Passage("one", texts[first]), Passage("other", texts[second]))
        for first, others in enumerate(nearest)
        for second in others
        if cosines[first, second] >= least_cosine
    ]
