"""ConflictQA (Xie et al. 2024): questions whose passages support two contradicting answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from logic_export.data.contradictions.groups import ContradictionGroup, unique_groups
from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.datasets import data_file, existing_folder
from logic_retrievers.evaluation.rows import json_rows

FOLDER = "conflictqa_strategyqa"
# For each of two sides, the fields of a statement and of two texts that support it.
SIDE_FIELDS = (
    ("memory_answer", "parametric_memory", "parametric_memory_aligned_evidence"),
    ("counter_answer", "counter_memory", "counter_memory_aligned_evidence"),
)


def load_conflictqa(part: str) -> dict[str, list[ContradictionGroup]]:
    """Map each question of ``train``, ``dev`` or ``test`` to its contradiction groups.

    The groups hold passages, without the short answers; a question may have no group. A missing
    folder or part, or a malformed row, is a :class:`ReadError`.
    """
    folder = existing_folder(Path(FOLDER))
    path = data_file(folder, f"{part}.jsonl")
    if path is None:
        raise ReadError(f"no {part}.jsonl[.gz] in this folder", file=str(folder))
    rows = question_rows(path)
    return {text: question_groups(same, answers=False) for text, same in rows.items()}


def groups_of_questions(
    questions: Mapping[str, Sequence[ContradictionGroup]],
) -> list[ContradictionGroup]:
    """Join the groups of all questions, without duplicates."""
    return unique_groups(group for groups in questions.values() for group in groups)


def question_rows(path: Path) -> dict[str, list[dict[str, str]]]:
    """Read rows by question, with the fields of :data:`SIDE_FIELDS`; errors of ``json_rows``."""
    by_question: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in json_rows(path):
        fields = {name: row.text(name) for name in ("question", *SIDE_FIELDS[0], *SIDE_FIELDS[1])}
        by_question[fields["question"]].append(fields)
    return dict(by_question)


def question_groups(
    rows: Sequence[Mapping[str, str]], *, answers: bool = True
) -> list[ContradictionGroup]:
    """Group the texts that support a question's answer against texts for its counter-answer.

    ``rows`` belong to one question and come from several generators, which may begin with opposite
    answers. If a row's answer is the first row's counter-answer, the row's sides are exchanged. If
    it is neither answer, the row is left out. There is no group if a side has no text of its own.
    """
    first_answers = [rows[0][names[0]].strip() for names in SIDE_FIELDS]
    texts: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for row in rows:
        answer = row[SIDE_FIELDS[0][0]].strip()
        if answer not in first_answers:
            continue
        for names, side in zip(
            SIDE_FIELDS, texts if answer == first_answers[0] else texts[::-1], strict=True
        ):
            side.update((row[n].strip(), None) for n in (names if answers else names[1:]))
    left, right = (
        tuple(t for t in side if t and t not in other)
        for side, other in zip(texts, texts[::-1], strict=True)
    )
    return [ContradictionGroup(left, right, "questions")] if left and right else []
