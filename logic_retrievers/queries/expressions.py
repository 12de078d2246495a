"""The tree of a Boolean query: atoms that a search can answer, under AND, OR and NOT."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from logic_retrievers.errors import ExpressionError, shown

# each atom is a separate search
MAX_ATOMS = 32
MAX_DEPTH = 16
MAX_TEXT = 10_000  # characters of all atoms together


class Expression(ABC):
    """A Boolean query, immutable and hashable; ``&``, ``|`` and ``~`` combine expressions.

    All constructors raise ExpressionError for empty atoms, for AND or OR of fewer than two parts,
    and for too many atoms, characters or levels.

    Examples:
        >>> (Atom("orchids of Malaysia") & ~Atom("orchids of Thailand")).atoms
        ('orchids of Malaysia', 'orchids of Thailand')
    """

    __slots__ = ()
    op: ClassVar[str]

    @property
    @abstractmethod
    def args(self) -> tuple[Expression, ...]:
        """Return the operands; empty for an atom."""

    @property
    def atoms(self) -> tuple[str, ...]:
        """Return the texts of the atoms, each once, from left to right."""
        return tuple(dict.fromkeys(node.text for node in self.walk() if isinstance(node, Atom)))

    @property
    def depth(self) -> int:
        """Number of levels: 1 for an atom."""
        return 1 + max((arg.depth for arg in self.args), default=0)

    def walk(self) -> Iterator[Expression]:
        """Yield this node and all nodes below, from left to right."""
        yield self
        for arg in self.args:
            yield from arg.walk()

    def simplified(self) -> Expression:
        """Return the same expression in a form that a search can answer.

        Nested ANDs and ORs are merged. If :func:`check_searchable` accepts the expression, NOT then
        stands only in an AND with a wanted part, and only over a searchable part:
        ``a AND (NOT b OR c)`` becomes ``a AND NOT (b AND NOT c)``.
        """
        parts = [arg.simplified() for arg in self.args]
        if isinstance(self, Not):
            return _negated(parts[0])
        if isinstance(self, Or) and not all(map(_has_anchor, parts)):
            return Not(_merged(And, map(_negated, parts)))
        return _merged(type(self), parts) if isinstance(self, And | Or) else self

    def to_dict(self) -> dict[str, Any]:
        """Return nested dictionaries, ready for JSON: ``{"op": "not", "args": [...]}``."""
        return {"op": self.op, "args": [arg.to_dict() for arg in self.args]}

    @staticmethod
    def from_dict(value: Mapping[str, Any]) -> Expression:
        """Make an expression from the result of :meth:`to_dict`; ignore unknown keys.

        Raises:
            ExpressionError: the dictionary is malformed or too large.
        """
        from logic_retrievers.queries.expression_syntax import from_dict

        return from_dict(value)

    @staticmethod
    def parse(text: str) -> Expression:
        """Read ``"orchids of Malaysia" AND NOT ("orchids of Laos" OR "orchids of Burma")``.

        Operators are upper-case. NOT binds before AND, and AND before OR. An atom needs quotation
        marks only if it contains parentheses, quotation marks or words that look like operators.
        Inside the marks, write a backslash before a quotation mark or a backslash.

        Raises:
            ExpressionError: the text is not an expression; the error has the mistake's position.
        """
        from logic_retrievers.queries.expression_syntax import parse

        return parse(text)

    def __and__(self, other: Expression) -> And:
        if not isinstance(other, Expression):
            return NotImplemented
        return And((*_operands(self, And), *_operands(other, And)))

    def __or__(self, other: Expression) -> Or:
        if not isinstance(other, Expression):
            return NotImplemented
        return Or((*_operands(self, Or), *_operands(other, Or)))

    def __invert__(self) -> Expression:
        return Not(self)

    def __bool__(self) -> bool:
        raise ExpressionError(
            "an expression is neither true nor false; compose with &, | and ~ in place of "
            "'and', 'or' and 'not'"
        )

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads."""
        parts = [f"({p})" if isinstance(p, _NaryOperator) else str(p) for p in self.args]
        return f"NOT {parts[0]}" if isinstance(self, Not) else f" {self.op.upper()} ".join(parts)


@dataclass(frozen=True, slots=True)
class Atom(Expression):
    """The text of one search, without surrounding white space."""

    text: str
    op: ClassVar[str] = "atom"
    args: ClassVar[tuple[Expression, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise ExpressionError(f"an atom is a text that is not empty, not {shown(self.text)}")
        if len(self.text) > MAX_TEXT:
            raise ExpressionError(f"an atom may have at most {MAX_TEXT:,} characters")
        object.__setattr__(self, "text", self.text.strip())

    def to_dict(self) -> dict[str, Any]:
        return {"op": self.op, "text": self.text}

    def __str__(self) -> str:
        text = self.text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'


@dataclass(frozen=True, slots=True)
class _NaryOperator(Expression):
    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, Iterable):
            raise ExpressionError(f"the parts are expressions, not {shown(self.parts)}")
        object.__setattr__(self, "parts", tuple(self.parts))
        if len(self.parts) < 2:
            raise ExpressionError(f"{self.op.upper()} needs at least two parts")
        _check_size(self)

    @property
    def args(self) -> tuple[Expression, ...]:
        return self.parts


@dataclass(frozen=True, slots=True)
class And(_NaryOperator):
    """Satisfied by passages that satisfy all parts."""

    op: ClassVar[str] = "and"


@dataclass(frozen=True, slots=True)
class Or(_NaryOperator):
    """Satisfied by passages that satisfy at least one part."""

    op: ClassVar[str] = "or"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """Satisfied by passages that do not satisfy the part."""

    part: Expression
    op: ClassVar[str] = "not"

    def __post_init__(self) -> None:
        _check_size(self)

    @property
    def args(self) -> tuple[Expression, ...]:
        return (self.part,)

    def __invert__(self) -> Expression:
        return self.part


def check_searchable(expression: Expression) -> None:
    """Refuse an expression that has no wanted part, or an OR with a side that has none."""
    if not _has_anchor(expression):
        raise ExpressionError(
            f"{expression} rules passages out and does not say which are wanted; every side of an "
            "OR, and the whole, needs something to look for: wanted AND NOT unwanted"
        )


def to_phrase(expression: Expression) -> str:
    """Phrase an expression for an encoder: ``orchids of Laos, but not orchids of Thailand``.

    Wanted parts come first, then excluded ones. A comma precedes the outer of two operators.
    """
    if isinstance(expression, Atom):
        return expression.text
    if isinstance(expression, Not):
        return f"not {to_phrase(expression.part)}"
    if isinstance(expression, Or):
        return _join(expression.parts, "or")
    wanted, excluded = split_exclusions(expression)
    if not wanted:
        return _join(expression.args, "and")
    phrase = _join(wanted, "and")
    return f"{phrase}, but not {_join(excluded, 'or')}" if excluded else phrase


def split_exclusions(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """Return the wanted parts of an AND, and the excluded parts without their NOT."""
    parts = expression.parts if isinstance(expression, And) else (expression,)
    wanted = [part for part in parts if not isinstance(part, Not)]
    return wanted, [part.part for part in parts if isinstance(part, Not)]


def wanted_part(expression: Expression) -> Expression:
    """Return an AND without its excluded parts; leave any other expression unchanged."""
    wanted, excluded = split_exclusions(expression)
    if not wanted or not excluded:
        return expression
    return wanted[0] if len(wanted) == 1 else And(tuple(wanted))


def _has_anchor(expression: Expression, *, negated: bool = False) -> bool:
    """Return whether every satisfying (``negated``: violating) passage is near some atom."""
    if isinstance(expression, Atom):
        return not negated
    if isinstance(expression, Not):
        return _has_anchor(expression.part, negated=not negated)
    anchors = [_has_anchor(part, negated=negated) for part in expression.args]
    return any(anchors) if isinstance(expression, And) != negated else all(anchors)


def _negated(simplified: Expression) -> Expression:
    """Negate a simplified expression; apply De Morgan if the expression has no wanted part."""
    if isinstance(simplified, And) and not _has_anchor(simplified):
        return _merged(Or, map(_negated, simplified.parts))
    return ~simplified


def _merged(kind: type[And | Or], parts: Iterable[Expression]) -> And | Or:
    return kind(tuple(operand for part in parts for operand in _operands(part, kind)))


def _operands(expression: Expression, kind: type[_NaryOperator]) -> tuple[Expression, ...]:
    return expression.args if isinstance(expression, kind) else (expression,)


def _check_size(expression: Expression) -> None:
    if not all(isinstance(arg, Expression) for arg in expression.args):
        raise ExpressionError(
            f"{expression.op.upper()} stands over expressions, not {shown(expression.args)}; "
            'write Atom("...") for a text'
        )
    lengths = [len(node.text) for node in expression.walk() if isinstance(node, Atom)]
    if len(lengths) > MAX_ATOMS or sum(lengths) > MAX_TEXT:
        raise ExpressionError(
            f"{len(lengths)} atoms of {sum(lengths):,} characters are too many for one query (at "
            f"most {MAX_ATOMS} of {MAX_TEXT:,} together): each is a search"
        )
    if expression.depth > MAX_DEPTH:
        raise ExpressionError(f"more than {MAX_DEPTH} levels of AND, OR and NOT")


def _join(parts: Sequence[Expression], word: str) -> str:
    comma = "," if any(part.args for part in parts) else ""
    return f"{comma} {word} ".join(to_phrase(part) for part in parts)
