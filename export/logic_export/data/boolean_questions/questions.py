"""One Boolean question and its row in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from logic_export.data.boolean_questions.groups import Group
from logic_export.data.labelled_query import LabelledQuery
from logic_retrievers.evaluation.boolquestions import QuestionType
from logic_retrievers.queries.expressions import Atom, Expression

TYPES: tuple[QuestionType, ...] = get_args(QuestionType)


@dataclass(frozen=True, slots=True)
class BooleanQuestion(LabelledQuery):
    """A question over a group of passages.

    The atoms of its expression are the questions that it was made of. What violates it is the
    passage that NOT rules out; neutral are the others in the group, on the topic and no answer.

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


def right_of(kind: QuestionType, group: Group) -> range:
    """Which passages of a group answer, by position."""
    return {
        "and": range(1),
        "or": range(2),
        "not": range(1, len(group.names)),
    }[kind]


def meaning(kind: QuestionType, shared: str, simple: tuple[str, ...]) -> Expression:
    """The expression: OR of two simple questions; the shared one AND, or AND NOT, the first.

    The paper's AND adds some constraint (?); ours is the simple question of the passage that is
    left, so that it can be an atom.
    """
    if kind == "or":
        return Atom(simple[0]) | Atom(simple[1])
    narrow = Atom(simple[0])
    return Atom(shared) & (narrow if kind == "and" else ~narrow)


def labelled(
    kind: QuestionType, text: str, group: Group, shared: str, simple: tuple[str, ...]
) -> BooleanQuestion:
    """A question with its labels."""
    right = right_of(kind, group)
    rest = tuple(name for place, name in enumerate(group.names) if place not in right)
    return BooleanQuestion(
        id=f"{group.id}-{kind}",
        text=text,
        type=kind,
        expression=meaning(kind, shared, simple),
        group=group.id,
        satisfying=tuple(group.names[place] for place in right),
        violating=rest if kind == "not" else (),
        neutral=() if kind == "not" else rest,
    )
