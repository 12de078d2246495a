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
from logic_export.data.contradictions.labelled import negated_sides, pair_sides
from logic_export.data.contradictions.made import KINDS, made_sides, said_otherwise, words_of
from logic_export.data.crops import crop
from logic_export.data.labelled import labelled_triplets
from logic_export.data.sources import called, place, texts_of
from logic_export.data.wordnet import load_wordnet
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.conflictqa import question_rows, question_sides
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.evaluation.sides import Sides, read_sides, unique_sides

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
    batch is filled by one question; the short answers stand in each.
    """
    _at_least(1, most=most)
    found = []
    for same in question_rows(place(path)).values():
        whole = question_sides(same) if answers else []
        for group in question_sides(same, answers=False):
            parts = [group] if most is None else _parts(group, most)
            found += [_with_answers(part, whole[0]) for part in parts] if whole else parts
    return unique_sides(found)


def negations(path: Path, *, seed: int = 0) -> list[Sides]:  # noqa: ARG001
    """Rows ``{sentence, negated}``."""
    return negated_sides(
        (_said(row, "sentence"), _said(row, "negated")) for row in json_rows(place(path))
    )


def claims(path: Path, corpus: Path, *, seed: int = 0) -> list[Sides]:  # noqa: ARG001
    """Claims with labelled evidence, and the corpus that holds it (SciFact's form)."""
    documents = {row.id(): row.text("text") for row in json_rows(place(corpus))}
    return claim_sides((_claim(row) for row in json_rows(place(path))), documents)


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
        (_said(row, one), _said(row, other), row.text(label)) for row in json_rows(place(path))
    )


def versions(folder: str, split: str = "train", crops: int = 0, *, seed: int = 0) -> list[Sides]:
    """Two versions of a passage that differ in a claim (NevIR), each said in two ways.

    With ``crops``, each pair comes that often more, cut around what differs.
    """
    _at_least(0, crops=crops)
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

    Raises:
        ConfigurationError: antonyms alone, without WordNet.
    """
    _at_least(1, count=count, sentences=sentences, texts=texts)
    every = sorted(set(texts_of(path)))
    drawn = Random(seed).sample(every, min(texts, len(every)))
    words = words_of(drawn, load_wordnet() if wordnet else None)
    usable = [kind for kind in kinds if kind != "antonym" or wordnet]
    if not usable:
        raise ConfigurationError("builder 'made' needs kinds; 'antonym' needs wordnet = true")
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
    """The group with the shortest text of each side of its question, which is the answer."""
    short = [min(side, key=len) for side in (whole.left, whole.right)]
    return replace(
        group,
        left=tuple(dict.fromkeys((*group.left, short[0]))),
        right=tuple(dict.fromkeys((*group.right, short[1]))),
    )


def _said(row: Row, name: str) -> str:
    text = row.text(name)
    if not text.strip():
        raise row.error(f"{name!r} is empty")
    return text


def _claim(row: Row) -> Mapping[str, Any]:
    """A claim's fields, of the form that :func:`claim_sides` reads."""
    evidence = row.fields.get("evidence")
    try:
        known = all(
            isinstance(one["label"], str) and all(isinstance(n, int) for n in numbers)
            for one in dict(evidence).values()  # type: ignore[arg-type]
            for numbers in one["rationales"]
        )
    except (KeyError, TypeError, ValueError):
        known = False
    if not known:
        raise row.error("'evidence' must give each document's 'label' and 'rationales'")
    return {"text": _said(row, "text"), "evidence": evidence}


def _at_least(least: int, **options: int | None) -> None:
    for name, value in options.items():
        if value is not None and value < least:
            raise ConfigurationError(f"{name} must be at least {least}, not {value}")
