"""Parse a query as a model reads it: what is excluded, and what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from logic_retrievers.errors import (
    EmptyTextError,
    InputError,
    shown,
)
from logic_retrievers.judging.constraint import ConstraintReading
from logic_retrievers.queries.language import detect_language
from logic_retrievers.queries.pack_parser import PACKS, pack_parser
from logic_retrievers.queries.parsed_query import ParsedQuery
from logic_retrievers.queries.patterns import pattern

# A longer text is a document to search with, and is not parsed.
MAX_CHARACTERS = 2_000
# a query is ordinary if the probability that it is not stays below
LEAST = 0.05

_JOINING = pattern("joining")
_WORD = re.compile(r"\w")
_PUNCTUATION = " \t\n,;:.!?()[]\"'-"

ReadConstraint = Callable[[str], ConstraintReading]


@dataclass(frozen=True)
class ReaderParser:
    """A :class:`QueryParser` that asks a model what an English query rules out.

    German, French, Spanish, Portuguese, Italian and Dutch have a small pack of rules each, for
    exclusions only; other languages pass untouched. Texts of more than 2,000 characters are left
    alone. ``confidence`` is the probability that the query is not ordinary.

    Args:
        read: reads one query; None takes the model of the bundle that comes with the package.
        threshold: least confidence at which a query with AND, OR or BUT NOT becomes an expression;
            above 1 no query does.
        languages: languages besides English whose exclusions are read, from ``de``, ``es``,
            ``fr``, ``it``, ``nl`` and ``pt``.
    """

    read: ReadConstraint | None = None
    languages: Collection[str] = tuple(PACKS)
    threshold: float = 0.7

    def parse(self, text: str) -> ParsedQuery:
        if not isinstance(text, str):
            raise InputError(f"a query is a text, not {shown(text)}")
        if len(text) > MAX_CHARACTERS:
            return ParsedQuery(text)
        language = detect_language(text)
        if language in self.languages:
            return pack_parser(language).parse(text)
        if language not in ("en", None):
            return ParsedQuery(text)
        return self._parse_english(text)

    def _parse_english(self, text: str) -> ParsedQuery:
        if (read := self.read) is None:
            from logic_retrievers.judging.onnx import default_constraint

            read = default_constraint()
        if read is None:
            return ParsedQuery(text)
        try:
            reading = read(text)
        except EmptyTextError:
            return ParsedQuery(text)
        return parsed_query(text, reading)


def parsed_query(text: str, reading: ConstraintReading) -> ParsedQuery:
    """Return the query in the parts that the reading marks."""
    confidence = 1 - reading.none
    if confidence < LEAST:
        return ParsedQuery(text)
    excluded = [text[start:end].strip(_PUNCTUATION) for start, end in reading.excluded]
    excluded = [name for name in dict.fromkeys(excluded) if _WORD.search(name)]
    wanted = text
    for start, end in reversed(reading.leaving):
        wanted = f"{wanted[:start]} {wanted[end:]}"
    wanted = " ".join(wanted.split()).strip(_PUNCTUATION)
    if not excluded:
        return ParsedQuery(text, "negated_fact", rule="reader", confidence=confidence)
    return ParsedQuery(
        text,
        "exclusion",
        wanted if _WORD.search(wanted) else text,
        tuple(excluded),
        rule="reader",
        confidence=confidence,
    )
