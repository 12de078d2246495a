"""The phrase that a query asks for, cut at its connectives into segments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from logic_retrievers.queries.coordination.vocabulary import PREPOSITIONS
from logic_retrievers.queries.patterns import pattern, word_set

Operator: TypeAlias = Literal["and", "or", "also"]
"""``also`` is the AND that stands outside the others: *that are also*."""

_REQUEST = pattern("request")
_MAX_REQUESTS = 2
_QUESTION_WORD = pattern("question_beginning")
_WHICH_ARE_ALSO = pattern("which_are_also")
_PHRASE_TAIL = pattern("phrase_tail")
_CONNECTIVE = pattern("connective")
_WORD = re.compile(r"\S+")
_PHRASE_BREAK = re.compile(r"[;:!?()\"\n\[\]{}<>=|]|\s-\s|,$")
_FULL_STOP = re.compile(r"(?<=\w)[.](?=\s|$)")
_ABBREVIATION_REACH = 20
_ABBREVIATIONS = word_set("abbreviations")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a phrase: as masked, and as the query has it."""

    masked: str
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """The words between two connectives.

    Args:
        words: without *either* and *both*.
        operator: what joins it to the segment before; None for the first.
        strong: the words around it leave no doubt: *either*, *both*, *or else*.
        connective: span of the connective before it.
    """

    words: tuple[Word, ...]
    operator: Operator | None
    strong: bool = False
    connective: tuple[int, int] | None = None

    @property
    def forms(self) -> list[str]:
        """The masked words."""
        return [word.masked for word in self.words]


class NoCoordinationError(Exception):
    """The parts of a phrase do not fit together; never leaves this package."""


def find_frame(text: str, masked: str) -> tuple[int, int] | None:
    """The span of the phrase; None where the text is another question, or a statement."""
    start, has_request = 0, False
    for _ in range(_MAX_REQUESTS):
        request = _REQUEST.match(masked, start)
        if request is None:
            break
        start, has_request = request.end(), True
    if not has_request and (which := _WHICH_ARE_ALSO.match(masked)):
        start, has_request = which.end(), True
    if _QUESTION_WORD.match(masked[start:].lstrip()):
        return None
    tail = _PHRASE_TAIL.search(masked, max(start, len(masked) - 40))
    end = tail.start() if tail else len(masked)
    if masked[end : end + 1] == "." and is_abbreviation(text, end):
        end += 1
    if not has_request and masked[end:].strip().startswith((".", "?")):
        return None
    while start < end and masked[start].isspace():
        start += 1
    return (start, end) if start < end else None


def split_segments(text: str, masked: str, start: int, end: int) -> list[Segment] | None:
    """The segments of a phrase; None where nothing says what joins them.

    A comma takes the operator of the next connective that has one.
    """
    stops = [match.start() for match in _FULL_STOP.finditer(text, start, end)]
    ends_sentence = not all(is_abbreviation(text, stop) for stop in stops)
    if ends_sentence or _PHRASE_BREAK.search(masked, start, end):
        return None
    matches = list(_CONNECTIVE.finditer(masked, start, end))
    operators = _operators([match.lastgroup or "" for match in matches])
    if operators is None:
        return None
    bounds = [start, *(place for match in matches for place in match.span()), end]
    spans = list(zip(bounds[::2], bounds[1::2], strict=True))
    segments: list[Segment] = []
    for number, (first, last) in enumerate(spans):
        words = [
            Word(match.group(), text[slice(*match.span())])
            for match in _WORD.finditer(masked, first, last)
        ]
        content = [word for word in words if word.masked.lower() not in ("either", "both", "too")]
        connective = matches[number - 1] if number else None
        if not content or content[-1].masked.lower() in PREPOSITIONS:
            return None
        has_marker = len(content) < len(words)
        segments.append(
            Segment(
                tuple(content),
                operators[number - 1] if connective else None,
                has_marker or (connective is not None and connective.lastgroup == "strong"),
                connective.span() if connective else None,
            )
        )
    return segments


def _operators(names: Sequence[str]) -> list[Operator] | None:
    operators: list[Operator] = []
    following: Operator | None = None
    for name in reversed(names):
        if name == "comma":
            if following is None:
                return None
            operators.append(following)
            continue
        operator: Operator = "also" if name == "also" else "and" if name == "and" else "or"
        following = None if operator == "also" else operator
        operators.append(operator)
    return operators[::-1]


def common_operator(segments: Sequence[Segment]) -> Operator:
    """The operator that all of them have.

    Raises:
        NoCoordinationError: they have several.
    """
    operators = {segment.operator for segment in segments}
    if len(operators) != 1 or None in operators:
        raise NoCoordinationError
    return "or" if operators == {"or"} else "and"


def is_abbreviation(text: str, stop: int) -> bool:
    """Whether the full stop at ``stop`` belongs to its word: ``Jr.``, ``J.``, ``Warner Bros.``."""
    before = text[max(0, stop - _ABBREVIATION_REACH) : stop].split()
    word = before[-1] if before else ""
    return word.lower() in _ABBREVIATIONS or "." in word or (len(word) == 1 and word.isupper())
