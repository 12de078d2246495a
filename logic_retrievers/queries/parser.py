"""The default parser: a model reads a query's exclusions, and rules read its AND and OR."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Real

from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    ExpressionError,
    InputError,
    shown,
)
from logic_retrievers.language import ENGLISH, detect_language
from logic_retrievers.queries.coordination import coordinate, may_join
from logic_retrievers.queries.pack_parser import PACKS, pack_parser
from logic_retrievers.queries.parsed_query import ParsedQuery
from logic_retrievers.text import visible_text

# A longer text counts as a document to search with and is not parsed.
MAX_CHARACTERS = 2_000

# With this threshold, no query of SciFact, MS MARCO or Cranfield becomes an expression.
THRESHOLD = 0.7

# A query whose constraint is less probable counts as an ordinary query.
LEAST_CONSTRAINT = 0.1

_PUNCTUATION = " \t\n,.;:!?()[]\"'-\u2018\u2019\u201c\u201d"
_BRACKETS = str.maketrans("", "", "()[]")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[,.;:?!])")


@dataclass(frozen=True)
class ConstraintParser:
    """A :class:`QueryParser`: a model reads English, and rules read six more languages.

    The model (:class:`~logic_retrievers.judging.OnnxConstraint`) comes with the package. It tells
    whether a query excludes something or asks for a negative fact, and which words are excluded.
    German, French, Spanish, Portuguese, Italian and Dutch have a small pack of rules each, for
    exclusions only. Other languages, and texts of more than 2,000 characters, pass untouched.

    Args:
        threshold: least confidence at which a query with AND, OR or BUT NOT becomes an expression;
            above 1 no query does.
        languages: languages besides English whose exclusions are read: any of ``de``, ``es``,
            ``fr``, ``it``, ``nl`` and ``pt``.

    Raises:
        ConfigurationError: the threshold is not a number >= 0, or a language has no rules.
    """

    _: KW_ONLY
    threshold: float = THRESHOLD
    languages: Collection[str] = tuple(PACKS)

    def __post_init__(self) -> None:
        is_number = isinstance(self.threshold, Real) and not isinstance(self.threshold, bool)
        if not (is_number and self.threshold >= 0):
            raise ConfigurationError(
                f"threshold is a number of at least 0, not {shown(self.threshold)}"
            )
        is_list = isinstance(self.languages, Collection) and not isinstance(self.languages, str)
        if not is_list or not all(language in tuple(PACKS) for language in self.languages):
            raise ConfigurationError(
                f"languages is a list of {', '.join(PACKS)}, not {shown(self.languages)}"
            )
        object.__setattr__(self, "languages", tuple(sorted(self.languages)))

    def parse(self, text: str) -> ParsedQuery:
        """Return the query in its parts, with ``kind="none"`` if nothing is excluded or negated."""
        if not isinstance(text, str):
            raise InputError(f"a query is a text, not {shown(text)}")
        if len(text) > MAX_CHARACTERS:
            return ParsedQuery(text)
        language = detect_language(text)
        if language in self.languages:
            return pack_parser(language).parse(text)
        if language not in ENGLISH:
            return ParsedQuery(text)
        return self._with_expression(_read(text))

    def _with_expression(self, parsed: ParsedQuery) -> ParsedQuery:
        """Make the query an expression if its wanted part clearly joins things."""
        if self.threshold > 1 or not (parsed.excluded or may_join(parsed.text)):
            return parsed
        with suppress(ExpressionError):  # more parts or characters than an expression may have
            result = coordinate(parsed.wanted, parsed.excluded)
            if result is not None and result.confidence >= self.threshold:
                return replace(
                    parsed,
                    kind="expression",
                    cue=result.cue,
                    rule="coordination",
                    expression=result.expression,
                    confidence=result.confidence,
                )
        return parsed


def _read(text: str) -> ParsedQuery:
    """Read a query with the model; without a model, find no constraint."""
    from logic_retrievers.judging.onnx import default_constraint

    reader = default_constraint()
    if reader is None:
        return ParsedQuery(text)
    try:
        reading = reader(text)
    except EmptyTextError:  # an encoder with a different tokenizer may read it
        return ParsedQuery(text)
    constraint = 1 - reading.none
    if constraint < LEAST_CONSTRAINT:
        return ParsedQuery(text)
    words = (text[start:end].strip(_PUNCTUATION) for start, end in reading.excluded)
    excluded = tuple(word for word in dict.fromkeys(words) if word)
    if constraint < 0.5:
        return ParsedQuery(text, constraint=constraint)
    if not excluded:
        return ParsedQuery(text, "negated_fact", rule="model", constraint=constraint)
    wanted = _without(text, reading.leaving) or text
    return ParsedQuery(text, "exclusion", wanted, excluded, rule="model", constraint=constraint)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text without the words at ``spans`` and without punctuation left at the ends."""
    bounds = [0, *(place for span in spans for place in span), len(text)]
    kept = " ".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    if any(kept.count(a) != kept.count(b) for a, b in ("()", "[]")):  # a bracket lost its partner
        kept = kept.translate(_BRACKETS)
    words = " ".join(_EMPTY_BRACKETS.sub(" ", visible_text(kept)).split())
    return _SPACE_BEFORE_STOP.sub("", words).strip(_PUNCTUATION)
