"""One set query and its row in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from logic_export.data.labelled_query import LabelledQuery


@dataclass(frozen=True, slots=True)
class SetQuery(LabelledQuery):
    """A query whose answer is a set.

    All ids are sorted. A query and its variants have the group in common. What satisfies the wanted
    atoms and the one ruled out violates it; neutral are the doubtful items, and all others do not
    satisfy.

    Args:
        template: the form of the expression.
        wording: the name of the :class:`~logic_export.data.sets.wordings.Wording`.
        shared_heads: whether atoms share a head, so that not all their texts stand in ``text``.
        variant: made of another query: its atoms, or the same atoms in another form.
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
