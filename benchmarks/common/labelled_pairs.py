"""Pairs of texts with labels, by people or by construction, of whether they contradict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from logic_export.data.contradictions.conflictqa import groups_of_questions, load_conflictqa
from logic_export.data.contradictions.groups import labelled_pairs
from logic_export.data.sentences import sentence_window

from logic_retrievers.evaluation.datasets import existing_folder
from logic_retrievers.evaluation.rows import Row, json_rows

Pair = tuple[str, str]
Labelled = tuple[str, str, bool, str]
"""Two texts, whether they contradict, and their resampling group."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """Pairs of one source.

    Args:
        name: of the set.
        description: what its pairs are, and how much of it the head or its calibration saw.
        pairs: two texts each.
        contradicts: shape (pairs,).
        groups: label of each pair, for resampling.
    """

    name: str
    description: str
    pairs: tuple[Pair, ...]
    contradicts: npt.NDArray[np.bool_]
    groups: tuple[str, ...]


def load_labelled_sets(most: int, seed: int = 0) -> list[LabelledPairs]:
    """ConflictQA, HealthVer, SICK and SciFact, with at most ``most`` random pairs each.

    Raises:
        ReadError: a file is missing or malformed.
    """
    conflicts, related = conflictqa_pairs("test")
    return [
        _build_set(
            "ConflictQA test",
            "other side against own side and as many strangers; held out",
            conflicts,
            most,
            seed,
        ),
        _build_set(
            "ConflictQA test, one question",
            "other side against own side of the same question; held out",
            related,
            most,
            seed,
        ),
        _build_set(
            "HealthVer dev",
            "claim and evidence, Refutes against Supports; held out, of a kind not trained on",
            _healthver("dev.jsonl"),
            most,
            seed,
        ),
        _build_set(
            "SciFact dev claims",
            "claim and the sentences that bear on it; the probability was calibrated on claims "
            "made from these",
            _scifact("claims_dev.jsonl"),
            most,
            seed,
        ),
        _build_set(
            "SICK trial",
            "contradiction against the rest; held out, of a kind not trained on",
            _sick("trial.jsonl"),
            most,
            seed,
        ),
    ]


def sample_rows(rows: Sequence[Labelled], most: int, seed: int = 0) -> list[Labelled]:
    """A random sample of at most ``most`` rows; all rows, in order, if there are fewer."""
    if len(rows) <= most:
        return list(rows)
    return [rows[n] for n in Random(seed).sample(range(len(rows)), most)]


def _build_set(
    name: str, description: str, rows: Sequence[Labelled], most: int, seed: int
) -> LabelledPairs:
    rows_sample = sample_rows(rows, most, seed)
    return LabelledPairs(
        name,
        description,
        tuple((text, other) for text, other, _, _ in rows_sample),
        np.array([contradicts for _, _, contradicts, _ in rows_sample], dtype=bool),
        tuple(group for _, _, _, group in rows_sample),
    )


def conflictqa_pairs(part: str) -> tuple[list[Labelled], list[Labelled]]:
    """All pairs, and those within one question."""
    groups = groups_of_questions(load_conflictqa(part))
    question = {text: str(n) for n, group in enumerate(groups) for text in group.texts}
    rows = [
        (text, other, contradicts, question[text])
        for text, other, contradicts in labelled_pairs(groups)
    ]
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
        for evidence, label in _evidence_texts(row, documents)
    ]


def _evidence_texts(row: Row, documents: dict[str, str]) -> list[tuple[str, str]]:
    """The evidence for a claim in each of its documents, with the label."""
    try:
        windows = [
            (
                sentence_window(
                    documents[document],
                    {n for numbers in annotation["rationales"] for n in numbers},
                ),
                annotation,
            )
            for document, annotation in row.fields["evidence"].items()
            if document in documents
        ]
        return [(text, str(annotation["label"])) for text, annotation in windows if text]
    except (AttributeError, KeyError, TypeError) as error:
        problem = "'evidence' must give each document's 'label' and 'rationales'"
        raise row.error(problem) from error
