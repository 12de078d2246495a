"""Read expressions from text (quoted or bare atoms, AND, OR, NOT, parentheses) and from JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from logic_retrievers.errors import ExpressionError, shown
from logic_retrievers.queries.expressions import MAX_DEPTH, MAX_TEXT, And, Atom, Expression, Not, Or

# Leaves room for quotation marks, backslashes, operators and parentheses around every atom.
MAX_CHARACTERS = 4 * MAX_TEXT
# Nested parentheses; most add no level to the tree.
MAX_PARENTHESES = 4 * MAX_DEPTH

_QUOTATION_MARKS = {'"': '"', "“": "”", "„": "“", "«": "»"}
_OPERATORS = ("AND", "OR", "NOT")
_SMALL_OPERATOR = re.compile(r"(?<!\S)(?:and|or|not)(?!\S)", re.IGNORECASE)
# words in a bare atom that was meant as two atoms or as an exclusion
_EXCLUDING_WORDS = re.compile(
    r"^not(?!\S)|^[!~-] ?(?=[^\W\d])|(?<!\S)(?:(?i:and|but) (?i:not)(?!\S)|&&|\|\|)"
)
_QUOTATION = "|".join(
    rf"{first}(?:\\[\\{last}]|[^{last}])*+{last}" for first, last in _QUOTATION_MARKS.items()
)
# ``mark`` is an unpaired quotation mark
_TOKEN = re.compile(rf'(?P<word>[^\s()"“”„«»]+)|[()]|(?P<quoted>{_QUOTATION})|(?P<mark>\S)')
_JSON_FORM = (
    'write {"op": "atom", "text": "..."}, {"op": "not", "args": [one]}, or "and" or "or" with at '
    "least two"
)


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of kind ``AND``, ``OR``, ``NOT``, ``(``, ``)``, ``quoted``, ``bare`` or ``end``."""

    kind: str
    position: int
    text: str = ""


def parse(text: str) -> Expression:
    """Read an expression; see :meth:`Expression.parse`."""
    if not isinstance(text, str):
        raise ExpressionError(f"an expression is a text, not {shown(text)}")
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"an expression may have at most {MAX_CHARACTERS:,} characters")
    return _TextReader(text).read()


class _TextReader:
    """Parses by recursive descent, with one method for each level of precedence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokenise(text)
        self._at = 0
        self._open = 0

    def read(self) -> Expression:
        if self._next.kind == "end":
            self._fail("the expression is empty")
        for token in self._tokens:
            self._check_operators(token, _EXCLUDING_WORDS)
        if not any(token.kind in _OPERATORS for token in self._tokens):
            for token in self._tokens:
                self._check_operators(token, _SMALL_OPERATOR)
        expression = self._or_level()
        if self._next.kind == ")":
            self._fail("this parenthesis closes nothing")
        if self._next.kind != "end":
            self._fail_unjoined()
        return expression

    def _or_level(self) -> Expression:
        return self._joined(Or, lambda: self._joined(And, self._not_level))

    def _joined(self, kind: type[And | Or], read: Callable[[], Expression]) -> Expression:
        parts = [read()]
        while self._take(kind.op.upper()):
            parts.append(read())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _not_level(self) -> Expression:
        token = self._next
        if self._take("quoted") or self._take("bare"):
            return Atom(token.text)
        self._open += 1
        if self._open > MAX_PARENTHESES:
            self._fail("too many levels")
        if self._take("NOT"):
            expression: Expression = Not(self._not_level())
        elif self._take("("):
            expression = self._or_level()
            if not self._take(")"):
                if self._next.kind == "end":
                    self._fail("this parenthesis is never closed", token)
                self._fail_unjoined()
        else:
            problem = "the expression ends" if token.kind == "end" else f"there is {token.kind!r}"
            self._fail(f"something to look for is missing: {problem}")
        self._open -= 1
        return expression

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, kind: str) -> bool:
        matches = self._next.kind == kind
        self._at += matches
        return matches

    def _check_operators(self, token: _Token, pattern: re.Pattern[str]) -> None:
        """Refuse operator-like bare words, since searching for them finds the opposite."""
        match = pattern.search(token.text) if token.kind == "bare" else None
        if match:
            raise ExpressionError(
                f"{match[0].strip()!r} is no operator: write AND, OR and NOT in capitals, or put"
                " the words in quotation marks",
                text=self._text,
                position=token.position + match.start(),
            )

    def _fail_unjoined(self) -> NoReturn:
        operator = "AND NOT" if self._next.kind == "NOT" else "AND or OR"
        self._fail(f"{operator} is missing before this")

    def _fail(self, problem: str, token: _Token | None = None) -> NoReturn:
        position = (token or self._next).position
        raise ExpressionError(problem, text=self._text, position=position)


def _tokenise(text: str) -> list[_Token]:
    """Split into tokens. Words of a bare atom form one token; an end token comes last."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind, piece, at = match.lastgroup, match.group(), match.start()
        if kind == "mark":
            problem = (
                "this quotation is never closed"
                if piece in _QUOTATION_MARKS
                else "a quotation ends that never began"
            )
            raise ExpressionError(problem, text=text, position=at)
        if kind == "quoted":
            content = re.sub(rf"\\([\\{piece[-1]}])", r"\1", piece[1:-1])
            if not content.strip():
                raise ExpressionError("nothing is quoted here", text=text, position=at)
            tokens.append(_Token("quoted", at, content))
        elif kind == "word" and piece not in _OPERATORS:
            if tokens and tokens[-1].kind == "bare":
                before = tokens.pop()
                at, piece = before.position, f"{before.text} {piece}"
            tokens.append(_Token("bare", at, piece))
        else:
            tokens.append(_Token(piece, at))
    return [*tokens, _Token("end", len(text))]


def from_dict(value: Any, place: str = "expression", levels: int = MAX_DEPTH) -> Expression:
    """Read an expression from nested dictionaries; see :meth:`Expression.from_dict`.

    ``place`` says where the value stands, for messages. ``levels`` is the maximum depth.
    """
    if not levels:
        raise ExpressionError(f"more than {MAX_DEPTH} levels of AND, OR and NOT")
    if not isinstance(value, Mapping):
        raise ExpressionError(f"{place} must be an object, not {shown(value)}: {_JSON_FORM}")
    op = value.get("op")
    if op == "atom":
        return Atom(value.get("text", ""))
    args = value.get("args")
    if op not in ("and", "or", "not"):
        raise ExpressionError(f"{place} has the op {shown(op)}: {_JSON_FORM}")
    if not isinstance(args, list | tuple):
        raise ExpressionError(f"{place}.args must be a list, not {shown(args)}: {_JSON_FORM}")
    if op == "not" and len(args) != 1:
        raise ExpressionError(f"{place} negates {len(args)} parts, and NOT takes one: {_JSON_FORM}")
    parts = tuple(from_dict(arg, f"{place}.args[{n}]", levels - 1) for n, arg in enumerate(args))
    if op == "not":
        return Not(parts[0])
    return And(parts) if op == "and" else Or(parts)
