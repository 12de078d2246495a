"""What a parser finds in a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import InputError
from logic_retrievers.queries.expressions import (
    MAX_ATOMS,
    Atom,
    Expression,
    check_searchable,
    to_phrase,
    wanted_part,
)

Kind: TypeAlias = Literal["none", "exclusion", "negated_fact", "expression"]
"""``exclusion``: something is excluded from the results. ``negated_fact``: the wanted fact itself
is negative ("metals that do not rust"). ``expression``: things joined by AND or OR. ``none``: none
of these."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query in its parts: what it wants and what it excludes. Searched for in place of a string.

    Args:
        text: the whole query.
        kind: see :data:`Kind`.
        wanted: the query without its exclusions; all of it where there are none.
        excluded: what it excludes, in the words of the query.
        cue: the words that mark the exclusion, as they stand in the text; empty where a caller
            gave the parts.
        rule: the name of the rule that matched.
        span: first and one-past-last character of the cue in ``text``.
        expression: the query as a Boolean expression, where there is one; by default made of
            ``wanted`` and ``excluded``.
        confidence: how sure the parser is of the expression, in [0, 1]; 1 where a caller gave it,
            and where no words had to be coordinated.
    """

    text: str
    kind: Kind = "none"
    wanted: str = ""
    excluded: tuple[str, ...] = ()
    cue: str = ""
    rule: str = ""
    span: tuple[int, int] | None = None
    expression: Expression | None = None
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if not self.wanted:
            object.__setattr__(self, "wanted", self.text)
        if self.expression is None and 0 < len(self.excluded) < MAX_ATOMS:
            expression = reduce(and_, (~Atom(text) for text in self.excluded), Atom(self.wanted))
            object.__setattr__(self, "expression", expression)

    @classmethod
    def excluding(cls, wanted: str, excluded: Sequence[str]) -> ParsedQuery:
        """A query whose wanted and excluded parts the caller knows.

        Raises:
            InputError: a text is empty or no string, or nothing is excluded.
        """
        if isinstance(excluded, str) or not excluded:
            raise InputError(f"excluded is a list of at least one text, not {excluded!r}")
        if any(not isinstance(text, str) or not text.strip() for text in (wanted, *excluded)):
            raise InputError("wanted and excluded are texts that are not empty")
        text = f"{wanted}, except {', '.join(excluded)}"
        return cls(text, "exclusion", wanted, tuple(excluded), rule="caller")

    @classmethod
    def stating(cls, expression: Expression) -> ParsedQuery:
        """A query that the caller gives as an expression.

        Raises:
            ExpressionError: it says only what is not wanted.
        """
        check_searchable(expression)
        simple = expression.simplified()
        wanted = to_phrase(wanted_part(simple))
        return cls(to_phrase(simple), "expression", wanted, rule="caller", expression=expression)

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {
            "text": self.text,
            "kind": self.kind,
            "wanted": self.wanted,
            "excluded": list(self.excluded),
            "cue": self.cue,
            "rule": self.rule,
            "span": list(self.span) if self.span else None,
            "expression": None if self.expression is None else self.expression.to_dict(),
            "confidence": self.confidence,
        }


@runtime_checkable
class QueryParser(Protocol):
    """Splits a query into its parts. Must be safe to call from several threads."""

    def parse(self, text: str) -> ParsedQuery:
        """The query in its parts; never an error for any string."""
