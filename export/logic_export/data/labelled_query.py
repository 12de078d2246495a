"""A query that says what it means and which passages answer it, and its row in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from logic_retrievers.queries.expressions import Expression


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """What all queries of ``queries.jsonl`` that have an expression say.

    Args:
        id: unique in the data set.
        text: as a person says it.
        expression: what it means.
        group: what queries that are alike have in common.
        satisfying: ids of the answers.
        violating: ids of what is ruled out.
        neutral: ids of what is neither.
    """

    id: str
    text: str
    expression: Expression
    group: str
    satisfying: tuple[str, ...]
    violating: tuple[str, ...]
    neutral: tuple[str, ...]

    def labels(self) -> dict[str, Any]:
        """The part of a row that ``load_dataset`` reads of every query."""
        return {
            "_id": self.id,
            "text": self.text,
            "satisfying": list(self.satisfying),
            "violating": list(self.violating),
            "neutral": list(self.neutral),
            "expression": self.expression.to_dict(),
        }
