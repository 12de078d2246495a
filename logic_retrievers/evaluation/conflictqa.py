"""ConflictQA: questions whose passages stand on two sides that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.folders import data_file, existing_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.evaluation.sides import Sides, unique_sides

FOLDER = "conflictqa_strategyqa"
SIDES = (
    ("memory_answer", "parametric_memory", "parametric_memory_aligned_evidence"),
    ("counter_answer", "counter_memory", "counter_memory_aligned_evidence"),
)
"""ConflictQA's fields: a statement and two texts that support it, for each of two sides."""


def load_conflictqa(part: str) -> dict[str, list[Sides]]:
    """Question -> its passages on two sides, of ``train``, ``dev`` or ``test``.

    Passages alone, without the short answers; a question may have none that are on one side only.

    Raises:
        ReadError: no such folder or part, or a malformed row.
    """
    folder = existing_folder(Path(FOLDER))
    path = data_file(folder, f"{part}.jsonl")
    if path is None:
        raise ReadError(f"no {part}.jsonl[.gz] in this folder", file=str(folder))
    rows = question_rows(path)
    return {text: question_sides(same, answers=False) for text, same in rows.items()}


def sides_of(questions: Mapping[str, Sequence[Sides]]) -> list[Sides]:
    """The groups of all questions, each once."""
    return unique_sides(group for groups in questions.values() for group in groups)


def question_rows(path: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of a file by question, with the fields of :data:`SIDES`.

    Raises:
        ReadError: the file cannot be read, or a row lacks a field.
    """
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in json_rows(path):
        fields = {name: row.text(name) for name in ("question", *SIDES[0], *SIDES[1])}
        found[fields["question"]].append(fields)
    return dict(found)


def question_sides(rows: Sequence[Mapping[str, str]], *, answers: bool = True) -> list[Sides]:
    """ConflictQA by question: what supports one answer, against what supports the other.

    Rows of one question come from several generators, which may have begun with opposite answers:
    where one's answer is the other's counter-answer its sides change places, and where it is
    neither, nobody knows which side it is on and the row is left out.

    Args:
        rows: with ``question`` and the fields of :data:`SIDES`.
        answers: whether the short answers join their sides, or the passages alone are taken.
    """
    by_question: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        by_question[row["question"]].append(row)
    found = []
    for same in by_question.values():
        first = [same[0][names[0]].strip() for names in SIDES]
        texts: tuple[dict[str, None], dict[str, None]] = ({}, {})
        for row in same:
            answer = row[SIDES[0][0]].strip()
            if answer not in first:
                continue
            for names, side in zip(
                SIDES, texts if answer == first[0] else texts[::-1], strict=True
            ):
                side.update((row[n].strip(), None) for n in (names if answers else names[1:]))
        left, right = ({t: None for t in side if t} for side in texts)
        both = left.keys() & right.keys()
        sides = [tuple(t for t in side if t not in both) for side in (left, right)]
        if all(sides):
            found.append(Sides(sides[0], sides[1], "questions"))
    return unique_sides(found)
