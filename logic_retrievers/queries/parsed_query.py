"""What a parser finds in a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import and_
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from logic_retrievers.checks import check_choice, check_number
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

# ``exclusion``: something is excluded from the results. ``negated_fact``: the wanted fact itself
# is negative ("metals that do not rust"). ``expression``: things joined by AND or OR.
Kind: TypeAlias = Literal["none", "exclusion", "negated_fact", "expression"]

# Characters of an excluded text.
MAX_EXCLUDED_TEXT = 1000
# Texts that one query may exclude: with what is wanted they are the atoms of an expression.
MAX_EXCLUDED = MAX_ATOMS - 1


def check_excluded(texts: Sequence[str]) -> tuple[str, ...]:
    """Excluded texts as a caller gave them: without white space around, each once in any case."""
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


# ``thing``: "curtains, not polyester". ``property``: what is excluded is said of the wanted thing
# itself ("a loan without a guarantor"), so that the right passage speaks of it as well.
Reading: TypeAlias = Literal["thing", "property"]


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
        reading: of the excluded texts; see :data:`Reading`.
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
    reading: Reading = "thing"

    def __post_init__(self) -> None:
        texts = [self.text, self.wanted, self.cue, self.rule]
        texts += self.excluded if isinstance(self.excluded, list | tuple) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise InputError("the parts of a query are texts, and excluded is a tuple of texts")
        check_number("confidence", self.confidence, 0, 1)
        check_choice("reading", self.reading, get_args(Reading))
        if not isinstance(self.kind, str) or self.kind not in get_args(Kind):
            raise InputError(f"kind is one of {', '.join(get_args(Kind))}, not {shown(self.kind)}")
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
            raise InputError(f"excluded is a list of at least one text, not {shown(excluded)}")
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

    def also_excluding(self, texts: Sequence[str]) -> ParsedQuery:
        """The query with further texts that it excludes, beside those in its own words.

        An expression gets AND NOT each; any other query becomes an exclusion, of what it wants. A
        text that is excluded already, in whatever case, counts once. What is named outright is read
        as a thing, and so are the query's own excluded texts then. ``text`` stays as it is.

        Raises:
            InputError: as :func:`check_excluded`; or too many texts together with the query's own.
        """
        named = check_excluded(texts)
        known = {comparable(text) for text in self.excluded_outright}
        new = tuple(text for text in named if comparable(text) not in known)
        if not new:
            return replace(self, reading="thing") if named else self
        excluded = (*self.excluded, *new)
        if len(excluded) > MAX_EXCLUDED:
            raise InputError(
                f"with its own, the query excludes {len(excluded)} texts, and at most"
                f" {MAX_EXCLUDED} can be excluded"
            )
        expression = self.expression
        if expression is not None:
            expression = reduce(and_, (~Atom(text) for text in new), expression)
        query = replace(self, excluded=excluded, expression=expression, reading="thing")
        if self.kind in ("exclusion", "expression"):
            return query
        return replace(query, kind="exclusion", cue="", rule="caller", span=None)

    @property
    def excluded_outright(self) -> tuple[str, ...]:
        """Every text that alone rules a passage out: ``excluded``, and AND NOT of the expression.

        ``AND NOT (a OR b)`` rules out by either, ``AND NOT (a AND b)`` by neither alone.
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
            "span": list(self.span) if self.span else None,
            "expression": None if self.expression is None else self.expression.to_dict(),
        }


@runtime_checkable
class QueryParser(Protocol):
    """Splits a query into its parts. Must be safe to call from several threads."""

    def parse(self, text: str) -> ParsedQuery:
        """The query in its parts; never an error for any string."""
