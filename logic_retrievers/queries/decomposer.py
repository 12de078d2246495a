"""A query parser that asks a language model for the Boolean expression of a query."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from logic_retrievers.checks import check_type
from logic_retrievers.errors import (
    ConfigurationError,
    DecompositionWarning,
    ExpressionError,
    InputError,
    MalformedAnswerError,
    describe_failure,
    shown,
    warn,
)
from logic_retrievers.queries.expressions import (
    Atom,
    Expression,
    check_searchable,
    split_exclusions,
    to_phrase,
    wanted_part,
)
from logic_retrievers.queries.parsed_query import ParsedQuery, QueryParser
from logic_retrievers.queries.parser import MAX_CHARACTERS, ConstraintParser

# A longer atom is an explanation, not a search phrase.
MAX_ATOM_CHARACTERS = 300

# Number of parsed queries in the cache; the least recently used one is dropped first.
MAX_CACHED = 1024

# the prompt before the query
INSTRUCTIONS = (
    files("logic_retrievers.queries").joinpath("decomposer_instructions.txt").read_text("utf-8")
)

_OPENINGS = ('"', "“", "„", "«", "(", "NOT ")
_FENCED = re.compile(r"```[^\n]*\n(.*)```", re.DOTALL)


class Decomposer:
    """A :class:`QueryParser` over any language model.

    If the model fails or gives no searchable expression, the fallback parses the query, with a
    :class:`~logic_retrievers.errors.DecompositionWarning`. The fallback's result is not cached, so
    the model is asked again the next time.

    Args:
        ask: takes a prompt and returns the answer: an expression as JSON, or in the text syntax
            with quoted atoms. Runs in the parsing thread; several threads that parse the same query
            at once may each call it.
        fallback: parses queries for which the model fails, and texts over 2,000 characters.

    Raises:
        ConfigurationError: ``ask`` cannot be called or is ``async``.

    Examples:
        >>> parser = Decomposer(lambda prompt: '"orchids of Laos" OR "orchids of Burma"')
        >>> str(parser.parse("orchids of Laos or Burma").expression)
        '"orchids of Laos" OR "orchids of Burma"'
    """

    def __init__(self, ask: Callable[[str], str], fallback: QueryParser | None = None) -> None:
        if not callable(ask) or inspect.iscoroutinefunction(ask):
            raise ConfigurationError("ask is a function from a prompt to an answer, and not async")
        check_type("fallback", fallback, QueryParser, type(None))
        self._ask = ask
        self._fallback = ConstraintParser() if fallback is None else fallback
        self._cached = lru_cache(MAX_CACHED)(self._decompose)

    def parse(self, text: str) -> ParsedQuery:
        if not isinstance(text, str):
            raise InputError(f"a query is a text, not {shown(text)}")
        if not text.strip() or len(text) > MAX_CHARACTERS:
            return self._fallback.parse(text)
        try:
            return self._cached(text)
        except Exception as error:
            reason = describe_failure(error, "the model")
            warn(DecompositionWarning, f"the rules read this query: {reason}")
            return self._fallback.parse(text)

    def _decompose(self, text: str) -> ParsedQuery:
        expression = _read_answer(self._ask(INSTRUCTIONS + json.dumps(text)))
        if isinstance(expression, Atom):
            return ParsedQuery(text, rule="decomposer")
        _, excluded = split_exclusions(expression)
        return ParsedQuery(
            text,
            "expression",
            to_phrase(wanted_part(expression)),
            tuple(to_phrase(part) for part in excluded),
            rule="decomposer",
            expression=expression,
        )


def _read_answer(answer: Any) -> Expression:
    """Read the expression in an answer, with or without a Markdown fence."""
    if inspect.iscoroutine(answer):
        answer.close()  # or Python warns that it was never awaited
    if not isinstance(answer, str):
        raise MalformedAnswerError(f"the model gave a {type(answer).__name__} and no text")
    bare = answer.strip()
    if fenced := _FENCED.fullmatch(bare):
        bare = fenced[1].strip()
    try:
        if bare.startswith("{"):
            expression = Expression.from_dict(json.loads(bare))
        elif bare.startswith(_OPENINGS):
            expression = Expression.parse(bare)
        else:
            raise MalformedAnswerError("the model's answer is no expression")
        check_searchable(expression)
    except (ExpressionError, ValueError, RecursionError):
        raise MalformedAnswerError("the model's answer is no expression to search for") from None
    if any(len(atom) > MAX_ATOM_CHARACTERS for atom in expression.atoms):
        raise MalformedAnswerError(f"an atom has more than {MAX_ATOM_CHARACTERS} characters")
    return expression.simplified()
