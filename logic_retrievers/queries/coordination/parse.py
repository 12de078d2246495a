"""Reads the wanted and the excluded phrases of a query as one expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from logic_retrievers.errors import ExpressionError
from logic_retrievers.queries.coordination.build import build_expression, combine
from logic_retrievers.queries.coordination.confidence import (
    CERTAIN,
    LIKELY,
    OPEN,
    Coordination,
    Decision,
)
from logic_retrievers.queries.coordination.nouns import Noun, parse_nouns
from logic_retrievers.queries.coordination.segments import (
    NoCoordinationError,
    Segment,
    Word,
    find_frame,
    split_segments,
)
from logic_retrievers.queries.coordination.vocabulary import relation_length
from logic_retrievers.queries.expressions import MAX_ATOMS, Atom, Expression
from logic_retrievers.queries.masking import mask, mask_fixed_pairs
from logic_retrievers.queries.patterns import pattern

_PRONOUN = pattern("leading_pronoun")
_JOINING = pattern("joining")
_SET_RELATION = pattern("any_set_relation")


@dataclass(frozen=True, slots=True)
class ExcludedPhrase:
    """Something that a query excludes.

    Args:
        text: as the query words it.
        cue: the words that exclude it; they may hold a relation: *not starring*.
        must_share_head: it counts only where it shares, or repeats, the head of what is wanted.
        rule_reading: what a rule read in its place, if anything. Where that is nothing, or only the
            head ("but not films starring B", cut too short), and the phrase repeats the head, the
            query is an expression even if its wanted part joins nothing: *films of A but not films
            of B*.
    """

    text: str
    cue: str = ""
    must_share_head: bool = False
    rule_reading: str | None = None

    @property
    def relation(self) -> str:
        """The words of the cue behind its *not*."""
        return self.cue.rpartition("not ")[2].strip() if "not " in self.cue else ""

    def suffices(self, head: str) -> bool:
        """Whether it may be all that makes the query an expression."""
        return self.rule_reading in ("", head) and head in self.text.lower().split()


def may_coordinate(masked: str) -> bool:
    """A cheap check: False where :func:`coordinate` finds nothing in a text without exclusions."""
    return bool(_JOINING.search(masked) or _SET_RELATION.search(masked))


def coordinate(wanted: str, excluded: Sequence[ExcludedPhrase] = ()) -> Coordination | None:
    """The expression of a query; None where it joins nothing."""
    result = _parse_phrase(wanted)
    if result is None:
        return None
    head = result.head.masked.lower()
    suffices = bool(excluded) and all(phrase.suffices(head) for phrase in excluded)
    if isinstance(result.expression, Atom) and not suffices:
        return None
    expressions = []
    for phrase in excluded:
        if phrase.text.lower() == head:
            return None  # "except films starring A", cut too short
        expression = _complete(f"{phrase.relation} {phrase.text}".strip(), result.head)
        if expression is None and phrase.must_share_head:
            return None
        expressions.append(Atom(phrase.text) if expression is None else expression)
    parts = [result.expression, *(~expression for expression in dict.fromkeys(expressions))]
    if sum(len(part.atoms) for part in parts) > MAX_ATOMS:
        return None
    return replace(result, expression=reduce(and_, parts))


def _parse_phrase(text: str) -> Coordination | None:
    """The expression of a wanted phrase, a single atom too; None where it has no head."""
    masked = mask_fixed_pairs(mask(text))
    frame = find_frame(text, masked)
    result = _read(text, masked, frame) if frame else None
    if frame and result and result.joins_common_nouns:
        is_question = masked[: frame[0]].lstrip().lower().startswith("what")  # what are some
        return replace(result, confidence=min(result.confidence, OPEN)) if is_question else result
    return result


def _complete(text: str, head: Word) -> Expression | None:
    """An excluded phrase with the head that it shares: *set in Paris or Rome* -> two atoms.

    None where it neither repeats the head nor modifies it.
    """
    masked = mask_fixed_pairs(mask(text))
    start = pronoun.end() if (pronoun := _PRONOUN.match(masked)) else 0
    words = masked[start:].split()
    if not words:
        return None
    if not relation_length(words, 0) and head.masked.lower() not in (w.lower() for w in words):
        return None
    result = _read(text, masked, (start, len(masked)), head)
    return None if result is None or result.confidence < LIKELY else result.expression


def _read(
    text: str, masked: str, span: tuple[int, int], head: Word | None = None
) -> Coordination | None:
    segments = split_segments(text, masked, *span)
    if not segments or len(segments) > MAX_ATOMS:
        return None
    decisions: list[Decision] = []
    parts: list[Expression] = []
    try:
        for group in _split_at_also(segments):
            nouns = parse_nouns(group, head)
            if not nouns:
                return None
            parts.append(build_expression(nouns, decisions, also=bool(parts)))
            if head is not None and _must_repeat(text, group[0]) and not _repeats(nouns, head):
                return None
            head = head or _full_head(nouns[0])
        if head is None:
            return None
        if len(parts) > 1:
            decisions.append(Decision(CERTAIN))
            parts = _without_bare_head(parts, head)
        expression = combine(parts, "and").simplified()
    except (NoCoordinationError, ExpressionError):
        return None
    confidence = min((decision.confidence for decision in decisions), default=CERTAIN)
    connective = next((segment.connective for segment in segments if segment.connective), None)
    common = any(decision.joins_common_nouns for decision in decisions)
    return Coordination(expression, head, confidence, connective, common)


def _must_repeat(text: str, segment: Segment) -> bool:
    """Whether the connective asks for the head again: *among*."""
    return "among" in text[slice(*segment.connective or (0, 0))].lower().split()


def _repeats(nouns: Sequence[Noun], head: Word) -> bool:
    word = head.masked.lower()
    return all(word in (form.lower() for form in noun.segment.forms) for noun in nouns)


def _full_head(noun: Noun) -> Word:
    """The head with the words before it, where there are no alternatives: *fairy tales*."""
    full = " ".join(word.text for word in (*noun.premodifiers[0], noun.head))
    return Word(noun.head.masked, full) if len(noun.premodifiers) == 1 else noun.head


def _without_bare_head(parts: list[Expression], head: Word) -> list[Expression]:
    """The parts without *hotels* alone, in *hotels that are both cheap and central*."""
    rest = [part for part in parts if part != Atom(head.text)]
    words = {word for part in rest for text in part.atoms for word in text.split()}
    return rest if head.text in words else parts


def _split_at_also(segments: Sequence[Segment]) -> list[list[Segment]]:
    """The segments between the ANDs that stand outside all others."""
    groups: list[list[Segment]] = [[]]
    for segment in segments:
        if segment.operator == "also":
            groups.append([])
        groups[-1].append(segment)
    return groups
