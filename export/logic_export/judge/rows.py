"""Training rows of the pair judge: two texts and the probability of each label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logic_export.data.files import write_json_lines
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import LABELS, RELATIONS
from logic_retrievers.judging.judge import MAX_WORDS, nearest_sentences

ENTAILMENT, NEUTRAL, CONTRADICTION = LABELS


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One pair of texts."""

    premise: str  # the passage, or a sentence of it
    hypothesis: str  # the query, its constraint, or a statement
    target: tuple[float, ...]  # probability of each label, or of each pair kind; sums to 1

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of the target."""
        return LABELS if len(self.target) == len(LABELS) else RELATIONS

    @property
    def label(self) -> str:
        return self.labels[max(range(len(self.target)), key=self.target.__getitem__)]


def labelled_row(
    premise: str, hypothesis: str, label: str, labels: Sequence[str] = LABELS
) -> JudgeRow:
    """Make a row with one certain label."""
    target = tuple(float(label == name) for name in labels)
    return JudgeRow(premise.strip(), hypothesis.strip(), target)


def excerpt_row(passage: str, query: str, label: str) -> JudgeRow:
    """Make a row with the sentences of the passage that the judge would read."""
    return labelled_row(nearest_sentences(passage, query, MAX_WORDS), query, label)


def unique_rows(rows: Iterable[JudgeRow]) -> list[JudgeRow]:
    """Keep the first row of each pair of texts; drop rows with an empty text."""
    first: dict[tuple[str, str], JudgeRow] = {}
    for row in rows:
        if row.premise and row.hypothesis:
            first.setdefault((row.premise, row.hypothesis), row)
    return list(first.values())


def write_judge_rows(path: Path, rows: Iterable[JudgeRow]) -> None:
    """Write rows as JSON lines, with ``label`` or ``kind`` if it is certain, else ``target``.

    Raises:
        StorageError: the disk is full or not writable.
    """
    write_json_lines(path, map(_to_json, rows))


def read_judge_rows(path: Path) -> list[JudgeRow]:
    """Read rows that :func:`write_judge_rows` wrote; other columns are ignored.

    Raises:
        ReadError: the file is missing or malformed.
    """
    rows = []
    for row in json_rows(path):
        try:
            rows.append(_from_json(row.fields))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise row.error(
                "a row needs 'premise', 'hypothesis' and one of 'label' "
                f"({', '.join(LABELS)}), 'kind' ({', '.join(RELATIONS)}) or 'target' "
                "(one probability for each label or kind)"
            ) from error
    return rows


def _to_json(row: JudgeRow) -> Mapping[str, Any]:
    texts = {"premise": row.premise, "hypothesis": row.hypothesis}
    if 1.0 not in row.target:
        return {**texts, "target": row.target}
    return {**texts, "label" if row.labels == LABELS else "kind": row.label}


def _from_json(row: Mapping[str, Any]) -> JudgeRow:
    if "target" not in row:
        name, labels = ("kind", RELATIONS) if "kind" in row else ("label", LABELS)
        labels.index(row[name])
        return labelled_row(row["premise"], row["hypothesis"], row[name], labels)
    target = tuple(float(value) for value in row["target"])
    if len(target) not in (len(LABELS), len(RELATIONS)):
        raise ValueError(row["target"])
    if min(target) < 0 or not abs(sum(target) - 1) <= 0.01:
        raise ValueError(row["target"])
    return JudgeRow(row["premise"].strip(), row["hypothesis"].strip(), target)
