"""Boolean questions with their labels, and the folder of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from logic_export.data.boolean_questions.passage_groups import PassageGroup
from logic_export.data.expression_queries import ExpressionQuery
from logic_export.data.files import write_json_lines
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.queries.expressions import Atom, Expression

QuestionType: TypeAlias = Literal["and", "or", "not"]
TYPES: tuple[QuestionType, ...] = get_args(QuestionType)


@dataclass(frozen=True, slots=True)
class BooleanQuestion(ExpressionQuery):
    """A question over a group of passages.

    The atoms of its expression are the questions it was made from. The passage that NOT excludes
    violates it; the group's other passages, which are on the topic but no answer, are neutral.

    Args:
        type: ``and``, ``or`` or ``not``.
    """

    type: QuestionType

    def as_row(self) -> dict[str, Any]:
        """A row of ``queries.jsonl``; ``template`` is the type, as evaluation calls it."""
        return {
            **self.labels(),
            "type": self.type,
            "template": self.type,
            "group": self.group,
        }


def answering_passages(kind: QuestionType, group: PassageGroup) -> range:
    """Positions of the passages of a group that answer."""
    return {
        "and": range(1),
        "or": range(2),
        "not": range(1, len(group.names)),
    }[kind]


def build_expression(kind: QuestionType, shared: str, simple: tuple[str, ...]) -> Expression:
    """The expression: two simple questions joined by OR, or the shared one AND (NOT) the first.

    The paper's AND adds an unspecified constraint (?); here it is the simple question of the
    remaining passage, so that it can be an atom.
    """
    if kind == "or":
        return Atom(simple[0]) | Atom(simple[1])
    narrow = Atom(simple[0])
    return Atom(shared) & (narrow if kind == "and" else ~narrow)


def label_question(
    kind: QuestionType, text: str, group: PassageGroup, shared: str, simple: tuple[str, ...]
) -> BooleanQuestion:
    """A question with its labels."""
    answering = answering_passages(kind, group)
    rest = tuple(name for position, name in enumerate(group.names) if position not in answering)
    return BooleanQuestion(
        id=f"{group.id}-{kind}",
        text=text,
        type=kind,
        expression=build_expression(kind, shared, simple),
        group=group.id,
        satisfying=tuple(group.names[position] for position in answering),
        violating=rest if kind == "not" else (),
        neutral=() if kind == "not" else rest,
    )


_FILES = ("corpus.jsonl.gz", "queries.jsonl.gz")


def require_new_folder(folder: Path) -> None:
    """Refuses a folder that already holds a data set, before hours of requests are spent on it.

    Raises:
        ConfigurationError: one of the files exists already.
    """
    for name in (*_FILES, *(file.removesuffix(".gz") for file in _FILES)):
        if (folder / name).exists():
            raise ConfigurationError(f"{folder / name} is there already; choose a new folder")


def write_questions(folder: Path, corpus: Path, questions: Sequence[BooleanQuestion]) -> None:
    """Writes ``corpus.jsonl.gz`` and ``queries.jsonl.gz``, which ``load_dataset(folder)`` reads.

    Args:
        folder: new, or without files of these names.
        corpus: ``corpus.jsonl[.gz]`` of the passages; its rows are copied.
        questions: at least one.

    Raises:
        ConfigurationError: one of the files exists already; nothing is written.
        InputError: no question.
        ReadError: the corpus cannot be read.
        StorageError: the disk is full or not writable.
    """
    if not questions:
        raise InputError("there is no question to write")
    require_new_folder(folder)
    # queries last: a folder that has them is complete
    write_json_lines(folder / _FILES[0], (row.fields for row in json_rows(corpus)))
    write_json_lines(folder / _FILES[1], (question.as_row() for question in questions))
