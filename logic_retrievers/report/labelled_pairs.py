"""Labelled pairs of texts: which of them contradict, by people or by the making of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation.conflictqa import load_conflictqa, sides_of
from logic_retrievers.evaluation.folders import existing_folder
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.evaluation.sentences import around
from logic_retrievers.evaluation.sides import pairs_within

Pair = tuple[str, str]
Labelled = tuple[str, str, bool, str]
"""Two texts, whether they contradict, and the label they are resampled by."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """Pairs of one source.

    Args:
        name: of the set.
        told: what its pairs are, and what the head or its calibration has seen of it.
        pairs: two texts each.
        contradicts: shape (pairs,).
        groups: label of each pair, for resampling.
    """

    name: str
    told: str
    pairs: tuple[Pair, ...]
    contradicts: npt.NDArray[np.bool_]
    groups: tuple[str, ...]


def labelled_sets(most: int, seed: int = 0) -> list[LabelledPairs]:
    """ConflictQA, HealthVer, SICK and SciFact; of each at most so many pairs, drawn at random.

    Raises:
        ReadError: a file is missing or malformed.
    """
    conflicts, related = _conflictqa("test")
    return [
        _set(
            "ConflictQA test",
            "other side against own side and as many strangers; held out",
            conflicts,
            most,
            seed,
        ),
        _set(
            "ConflictQA test, one question",
            "other side against own side of the same question; held out",
            related,
            most,
            seed,
        ),
        _set(
            "HealthVer dev",
            "claim and evidence, Refutes against Supports; held out, of a kind not trained on",
            _healthver("dev.jsonl"),
            most,
            seed,
        ),
        _set(
            "SciFact dev claims",
            "claim and the sentences that bear on it; the probability was calibrated on claims "
            "made from these",
            _scifact("claims_dev.jsonl"),
            most,
            seed,
        ),
        _set(
            "SICK trial",
            "contradiction against the rest; held out, of a kind not trained on",
            _sick("trial.jsonl"),
            most,
            seed,
        ),
    ]


def drawn(rows: Sequence[Labelled], most: int, seed: int = 0) -> list[Labelled]:
    """At most so many of the rows, at random; all of them in their order where there are fewer."""
    if len(rows) <= most:
        return list(rows)
    return [rows[n] for n in Random(seed).sample(range(len(rows)), most)]


def _set(name: str, told: str, rows: Sequence[Labelled], most: int, seed: int) -> LabelledPairs:
    kept = drawn(rows, most, seed)
    return LabelledPairs(
        name,
        told,
        tuple((one, other) for one, other, _, _ in kept),
        np.array([said for _, _, said, _ in kept], dtype=bool),
        tuple(group for _, _, _, group in kept),
    )


def _conflictqa(part: str) -> tuple[list[Labelled], list[Labelled]]:
    """All pairs, and those within one question."""
    groups = sides_of(load_conflictqa(part))
    question = {text: str(n) for n, group in enumerate(groups) for text in group.texts}
    rows = [(one, other, said, question[one]) for one, other, said in pairs_within(groups)]
    return rows, [row for row in rows if question[row[0]] == question[row[1]]]


def _healthver(name: str) -> list[Labelled]:
    rows = json_rows(existing_folder(Path("healthver")) / name)
    return [
        (row.text("claim"), row.text("evidence"), row.text("label") == "Refutes", row.text("claim"))
        for row in rows
        if row.text("label") in ("Refutes", "Supports")
    ]


def _sick(name: str) -> list[Labelled]:
    rows = json_rows(existing_folder(Path("sick")) / name)
    return [
        (
            row.text("sentence_a"),
            row.text("sentence_b"),
            row.text("label") == "CONTRADICTION",
            row.id("pair_id"),
        )
        for row in rows
    ]


def _scifact(name: str) -> list[Labelled]:
    folder = existing_folder(Path("scifact"))
    documents = {row.id(): row.text("text") for row in json_rows(folder / "corpus.jsonl.gz")}
    return [
        (row.text("text"), evidence, label == "CONTRADICT", row.id())
        for row in json_rows(folder / name)
        for evidence, label in _bearing(row, documents)
    ]


def _bearing(row: Row, documents: dict[str, str]) -> list[tuple[str, str]]:
    """What bears on a claim in each of its documents, with the label."""
    try:
        found = [
            (around(documents[document], {n for some in one["rationales"] for n in some}), one)
            for document, one in row.fields["evidence"].items()
            if document in documents
        ]
        return [(text, str(one["label"])) for text, one in found if text]
    except (AttributeError, KeyError, TypeError) as error:
        problem = "'evidence' must give each document's 'label' and 'rationales'"
        raise row.error(problem) from error
