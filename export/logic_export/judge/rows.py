"""Rows that the pair judge learns from: two texts and how likely each label is."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logic_export.data.files import write_json_lines
from logic_retrievers.errors import ReadError
from logic_retrievers.judging import LABELS

ENTAILMENT, NEUTRAL, CONTRADICTION = LABELS


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One pair of texts.

    Args:
        premise: the passage, or a sentence of it.
        hypothesis: the query, its constraint, or a statement.
        target: probability of each of :data:`logic_retrievers.judging.LABELS`; sums to 1.
    """

    premise: str
    hypothesis: str
    target: tuple[float, float, float]

    @property
    def label(self) -> str:
        """The likeliest label."""
        return LABELS[max(range(3), key=self.target.__getitem__)]


def labelled_row(premise: str, hypothesis: str, label: str) -> JudgeRow:
    """A row of one certain label."""
    entailment, neutral, contradiction = (float(label == name) for name in LABELS)
    return JudgeRow(premise.strip(), hypothesis.strip(), (entailment, neutral, contradiction))


def write_judge_rows(path: Path, rows: Iterable[JudgeRow]) -> None:
    """Writes rows as JSON lines: ``label`` where it is certain, ``target`` otherwise.

    Raises:
        StorageError: the disk is full or not writable.
    """
    write_json_lines(path, map(_to_json, rows))


def read_judge_rows(path: Path) -> list[JudgeRow]:
    """Rows of the form that :func:`write_judge_rows` writes; other columns are ignored.

    Raises:
        ReadError: the file is missing or malformed.
    """
    return list(_read(path))


def unique_rows(rows: Iterable[JudgeRow]) -> list[JudgeRow]:
    """The rows, each pair of texts once: the first of several counts."""
    first: dict[tuple[str, str], JudgeRow] = {}
    for row in rows:
        if row.premise and row.hypothesis:
            first.setdefault((row.premise, row.hypothesis), row)
    return list(first.values())


def _to_json(row: JudgeRow) -> Mapping[str, Any]:
    texts = {"premise": row.premise, "hypothesis": row.hypothesis}
    return {**texts, **({"label": row.label} if 1.0 in row.target else {"target": row.target})}


def _read(path: Path) -> Iterator[JudgeRow]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield _from_json(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise ReadError(
                        f"{path}, line {number}: needs 'premise', 'hypothesis' and a 'label' "
                        f"({', '.join(LABELS)}) or a 'target' of three probabilities"
                    ) from error
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise ReadError(f"{path} cannot be read: {error}") from error


def _from_json(row: Mapping[str, Any]) -> JudgeRow:
    if "target" not in row:
        LABELS.index(row["label"])
        return labelled_row(row["premise"], row["hypothesis"], row["label"])
    first, second, third = (float(value) for value in row["target"])
    if min(first, second, third) < 0 or not abs(first + second + third - 1) <= 0.01:
        raise ValueError(row["target"])
    return JudgeRow(row["premise"].strip(), row["hypothesis"].strip(), (first, second, third))
