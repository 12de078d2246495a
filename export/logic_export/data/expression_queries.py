"""Queries with a Boolean expression and labels, and their rows in ``queries.jsonl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from logic_retrievers.queries.expressions import Expression


@dataclass(frozen=True, slots=True)
class ExpressionQuery:
    """A labelled query with its expression.

    Args:
        id: unique in the data set.
        text: natural language.
        expression: what it means.
        group: shared by related queries.
        satisfying: ids of the answers.
        violating: ids of excluded documents.
        neutral: ids of documents that neither satisfy nor violate.
    """

    id: str
    text: str
    expression: Expression
    group: str
    satisfying: tuple[str, ...]
    violating: tuple[str, ...]
    neutral: tuple[str, ...]

    def labels(self) -> dict[str, Any]:
        """The fields of a row that ``load_dataset`` reads for every query."""
        return {
            "_id": self.id,
            "text": self.text,
            "satisfying": list(self.satisfying),
            "violating": list(self.violating),
            "neutral": list(self.neutral),
            "expression": self.expression.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class SetQuery(ExpressionQuery):
    """A query whose answer is a set.

    All ids are sorted. A query and its variants share a group. Items that satisfy the wanted atoms
    and also the excluded one violate the query; uncertain items are neutral; all others do not
    satisfy.

    Args:
        template: the form of the expression.
        wording: the name of the :class:`~logic_export.data.sets.query_wordings.Wording`.
        shared_heads: whether atoms share a head noun, so that ``text`` does not contain each atom's
            text.
        variant: derived from another query: its single atoms, or the same atoms in another form.
    """

    template: str
    wording: str
    shared_heads: bool
    variant: bool

    def as_row(self) -> dict[str, Any]:
        """A row of ``queries.jsonl``."""
        return {
            **self.labels(),
            "template": self.template,
            "wording": self.wording,
            "shared_heads": self.shared_heads,
            "group": self.group,
        }
