"""The result of parsing a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import and_
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from logic_retrievers.checks import check_number, check_type
from logic_retrievers.errors import EmptyTextError, InputError, shown
from logic_retrievers.queries.expressions import (
    MAX_ATOMS,
    Atom,
    Expression,
    Or,
    check_searchable,
    split_exclusions,
    to_phrase,
    wanted_part,
)
from logic_retrievers.text import comparable

# ``exclusion``: results must leave something out. ``negated_fact``: the wanted fact itself is
# negative ("metals that do not rust"). ``expression``: AND or OR joins the parts.
Kind: TypeAlias = Literal["none", "exclusion", "negated_fact", "expression"]

# Maximum characters of an excluded text.
MAX_EXCLUDED_TEXT = 1000
# Maximum excluded texts per query. With the wanted text they form an expression's atoms.
MAX_EXCLUDED = MAX_ATOMS - 1


def check_excluded(texts: Sequence[str]) -> tuple[str, ...]:
    """Check a caller's excluded texts; strip them and drop repeats, ignoring case."""
    if hasattr(texts, "tolist"):  # an array, or a column of a data frame
        texts = texts.tolist()
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise InputError(
            f"excluded texts are a list, not {shown(texts)}: exclude=['nuts', 'shellfish']"
        )
    excluded: dict[str, str] = {}
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"an excluded text is a string, not {shown(text)}")
        if not comparable(text).strip():
            raise EmptyTextError("an excluded text is empty; leave it out of the list")
        if len(text) > MAX_EXCLUDED_TEXT:
            raise InputError(f"an excluded text may have {MAX_EXCLUDED_TEXT:,} characters at most")
        excluded.setdefault(comparable(text).strip(), text.strip())
    if len(excluded) > MAX_EXCLUDED:
        raise InputError(f"at most {MAX_EXCLUDED} texts can be excluded, not {len(excluded)}")
    return tuple(excluded.values())


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query in its parts: what it wants and what it excludes. Pass it to a search like a string.

    Args:
        text: the whole query.
        kind: see :data:`Kind`; by default ``exclusion`` if something is excluded, else ``none``.
        wanted: the query without its exclusions; the whole text if there are none.
        excluded: the excluded texts, in the query's words.
        cue: the words that mark the exclusion or join the parts; empty if a caller gave the parts
            or a model read them.
        rule: the name of the rule that matched; ``caller``, ``model``, ``coordination`` or
            ``decomposer`` if no rule matched.
        expression: the query as a Boolean expression, if the query joins parts.
        confidence: the parser's confidence in the expression, in [0, 1]; 1 if a caller gave the
            expression or no words had to be coordinated.
        constraint: probability that the query excludes something or asks for a negative fact. By
            default 1 if ``excluded`` or ``kind`` says so, else 0.
    """

    text: str
    kind: Kind = "none"
    wanted: str = ""
    excluded: tuple[str, ...] = ()
    cue: str = ""
    rule: str = ""
    expression: Expression | None = None
    confidence: float = 1.0
    constraint: float = None  # type: ignore[assignment]  # __post_init__ replaces None

    def __post_init__(self) -> None:
        texts = [self.text, self.wanted, self.cue, self.rule]
        texts += self.excluded if isinstance(self.excluded, list | tuple) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise InputError("the parts of a query are texts, and excluded is a tuple of texts")
        if not all(text.strip() for text in self.excluded):
            raise EmptyTextError("an excluded text is empty; leave it out")
        check_number("confidence", self.confidence, 0, 1)
        if not isinstance(self.kind, str) or self.kind not in get_args(Kind):
            raise InputError(f"kind is one of {', '.join(get_args(Kind))}, not {shown(self.kind)}")
        check_type("expression", self.expression, Expression, type(None))
        if self.kind == "expression" and self.expression is None:
            raise InputError("a query of the kind 'expression' needs its expression")
        if not self.wanted:
            object.__setattr__(self, "wanted", self.text)
        if self.excluded and self.kind == "none":
            object.__setattr__(self, "kind", "exclusion")
        if self.constraint is None:
            constrains = self.excluded or self.kind in ("exclusion", "negated_fact")
            object.__setattr__(self, "constraint", float(bool(constrains)))
        check_number("constraint", self.constraint, 0, 1)

    @classmethod
    def excluding(cls, wanted: str, excluded: Sequence[str]) -> ParsedQuery:
        """Make a query whose wanted and excluded parts the caller knows.

        Raises:
            InputError: :func:`check_excluded` fails, ``wanted`` is not a text, or ``excluded`` is
                empty.
        """
        texts = check_excluded(excluded)
        if not texts:
            raise InputError("nothing is excluded; pass at least one text")
        if not isinstance(wanted, str) or not wanted.strip():
            raise InputError(f"wanted is a text that is not empty, not {shown(wanted)}")
        text = f"{wanted}, except {', '.join(texts)}"
        return cls(text, "exclusion", wanted, texts, rule="caller")

    @classmethod
    def stating(cls, expression: Expression) -> ParsedQuery:
        """Make a query from a caller's expression.

        Raises:
            ConfigurationError: the argument is not an :class:`Expression`.
            ExpressionError: the expression has no wanted part.
        """
        check_type("expression", expression, Expression)
        check_searchable(expression)
        simple = expression.simplified()
        wanted = to_phrase(wanted_part(simple))
        return cls(to_phrase(simple), "expression", wanted, rule="caller", expression=expression)

    def also_excluding(self, texts: Sequence[str]) -> ParsedQuery:
        """Return the query with further excluded texts, in addition to its own.

        An expression gets an AND NOT for each text. Any other query becomes an exclusion. Texts
        that the query already excludes, ignoring case, are not repeated. ``text`` does not change.

        Raises:
            InputError: :func:`check_excluded` fails, or the texts and the query's own are too many.
        """
        named = check_excluded(texts)
        known = {comparable(text) for text in self.excluded_outright}
        new = tuple(text for text in named if comparable(text) not in known)
        if not new:
            return replace(self, constraint=1.0) if named else self
        excluded = (*self.excluded, *new)
        if len(excluded) > MAX_EXCLUDED:
            raise InputError(
                f"with its own, the query excludes {len(excluded)} texts, and at most"
                f" {MAX_EXCLUDED} can be excluded"
            )
        expression = self.expression
        if expression is not None:
            expression = reduce(and_, (~Atom(text) for text in new), expression)
        own = self.kind in ("exclusion", "expression")
        changes: dict[str, Any] = {} if own else {"kind": "exclusion", "cue": "", "rule": "caller"}
        return replace(self, excluded=excluded, expression=expression, constraint=1.0, **changes)

    def with_expression(self) -> ParsedQuery:
        """Return the query with an expression: its own, or else ``wanted AND NOT excluded``.

        A query that has no expression and excludes nothing stays as it is.

        Raises:
            ExpressionError: the texts are too many or too long for an expression.
        """
        if self.expression is not None or not self.excluded:
            return self
        expression = reduce(and_, (~Atom(text) for text in self.excluded), Atom(self.wanted))
        return replace(self, expression=expression)

    @property
    def excluded_outright(self) -> tuple[str, ...]:
        """Every text that alone rules a passage out: ``excluded``, and AND NOT of the expression.

        In ``AND NOT (a OR b)`` a and b each rule a passage out; in ``AND NOT (a AND b)`` neither
        does alone.
        """
        texts = list(self.excluded)
        if self.expression is not None:
            _, parts = split_exclusions(self.expression.simplified())
            for part in parts:
                alternatives = part.parts if isinstance(part, Or) else (part,)
                texts += [one.text for one in alternatives if isinstance(one, Atom)]
        return tuple(dict.fromkeys(texts))

    def to_dict(self) -> dict[str, Any]:
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "excluded": list(self.excluded),
            "expression": None if self.expression is None else self.expression.to_dict(),
        }


def restate(text: str, excluded: Sequence[str]) -> str:
    """Repeat a query's excluded texts in the form that models read best.

    "nut-free cake" becomes "nut-free cake, without nut".
    """
    if not excluded:
        return text
    *others, last = excluded
    return f"{text}, without {', '.join(others)} or {last}" if others else f"{text}, without {last}"


@runtime_checkable
class QueryParser(Protocol):
    """Splits a query into its parts. Must be safe to call from several threads."""

    def parse(self, text: str) -> ParsedQuery:
        """Return the query in its parts. Must accept every string without an error."""
