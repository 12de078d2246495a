"""The builders of a contradiction recipe: from files of a data folder to groups of two sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from logic_export.data.contradictions.claims import claim_sides
from logic_export.data.contradictions.labelled import negated_sides, pair_sides, question_sides
from logic_export.data.contradictions.made import KINDS, made_sides, said_otherwise, words_of
from logic_export.data.contradictions.sides import Sides, read_sides, unique_sides
from logic_export.data.crops import crop
from logic_export.data.labelled import labelled_triplets
from logic_export.data.sources import called, place, texts_of
from logic_export.data.wordnet import load_wordnet
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.rows import json_rows

SideBuilder: TypeAlias = Callable[..., list[Sides]]


def build_sides(name: str, options: Mapping[str, Any], seed: int) -> list[Sides]:
    """Runs a builder by its name in :data:`SIDE_BUILDERS`.

    Raises:
        ConfigurationError: no such builder, or an option that it does not have.
        ReadError: a file of the data folder is missing or malformed.
    """
    return called(SIDE_BUILDERS, name, options, seed)


def file(path: Path, *, seed: int = 0) -> list[Sides]:  # noqa: ARG001 - builders share a form
    """Groups of the user's own, in the form of :func:`read_sides`."""
    return read_sides(place(path))


def questions(
    path: Path,
    most: int | None = 2,
    *,
    answers: bool = True,
    seed: int = 0,  # noqa: ARG001
) -> list[Sides]:
    """Rows of ConflictQA's form, by question.

    A question with more than ``most`` passages on a side is cut into several groups, so that no
    batch is filled by one question; short answers stand in each.
    """
    rows = [row.fields for row in json_rows(place(path))]
    passages = question_sides(rows, answers=False)
    if most is not None:
        passages = [part for group in passages for part in _parts(group, most)]
    if not answers:
        return passages
    said = {text: group for group in question_sides(rows) for text in group.texts}
    return [_with_answers(group, said[group.left[0]]) for group in passages]


def negations(path: Path, *, seed: int = 0) -> list[Sides]:  # noqa: ARG001
    """Rows ``{sentence, negated}``."""
    return negated_sides(
        (row.text("sentence"), row.text("negated")) for row in json_rows(place(path))
    )


def claims(path: Path, corpus: Path, *, seed: int = 0) -> list[Sides]:  # noqa: ARG001
    """Claims with labelled evidence, and the corpus that holds it (SciFact's form)."""
    documents = {row.id(): row.text("text") for row in json_rows(place(corpus))}
    return claim_sides((row.fields for row in json_rows(place(path))), documents)


def pairs(
    path: Path,
    one: str = "sentence_a",
    other: str = "sentence_b",
    label: str = "label",
    *,
    seed: int = 0,  # noqa: ARG001
) -> list[Sides]:
    """Labelled pairs; the names of the fields may be said."""
    return pair_sides(
        (row.text(one), row.text(other), row.text(label)) for row in json_rows(place(path))
    )


def versions(folder: str, split: str = "train", crops: int = 0, *, seed: int = 0) -> list[Sides]:
    """Two versions of a passage that differ in a claim (NevIR), each said in two ways.

    With ``crops``, each pair comes that often more, cut around what differs.
    """
    random = Random(seed)
    found = []
    for row in labelled_triplets(load_dataset(folder, split)):
        if row.violating is None:
            continue
        cuts = [(row.satisfying, row.violating)]
        cuts += [crop(row.satisfying, row.violating, random) for _ in range(crops)]
        for left, right in dict.fromkeys(cuts):
            group = said_otherwise(left, right, "versions", {}, random) if left and right else None
            if group is not None:
                found.append(group)
    return unique_sides(found)


def made(
    path: Path,
    count: int,
    kinds: Sequence[str] = KINDS,
    sentences: int = 4,
    texts: int = 5000,
    *,
    wordnet: bool = False,
    seed: int = 0,
) -> list[Sides]:
    """Contradictions made by rules over a corpus, of which ``texts`` are read.

    With ``wordnet``, antonyms and synonyms join in.
    """
    every = sorted(set(texts_of(path)))
    drawn = Random(seed).sample(every, min(texts, len(every)))
    words = words_of(drawn, load_wordnet() if wordnet else None)
    usable = [kind for kind in kinds if kind != "antonym" or wordnet]
    return made_sides(drawn, words, count=count, kinds=usable, most_sentences=sentences, seed=seed)


SIDE_BUILDERS: Mapping[str, SideBuilder] = {
    builder.__name__: builder
    for builder in (file, questions, negations, claims, pairs, versions, made)
}


def _parts(group: Sides, most: int) -> list[Sides]:
    count = ceil(max(len(group.left), len(group.right)) / most)
    if count == 1:
        return [group]
    size = [min(most, len(side)) for side in (group.left, group.right)]
    left, right = cycle(group.left), cycle(group.right)
    return [
        replace(group, left=tuple(islice(left, size[0])), right=tuple(islice(right, size[1])))
        for _ in range(count)
    ]


def _with_answers(group: Sides, whole: Sides) -> Sides:
    """The group with those texts of its question that no passage holds."""
    if group.left[0] in whole.right:
        whole = replace(whole, left=whole.right, right=whole.left)
    short = [min(side, key=len) for side in (whole.left, whole.right)]
    return replace(
        group,
        left=tuple(dict.fromkeys((*group.left, short[0]))),
        right=tuple(dict.fromkeys((*group.right, short[1]))),
    )
