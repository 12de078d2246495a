"""How sure each decision of the coordination parser is: figures set on queries of several kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from logic_retrievers.queries.coordination.nouns import Modifier, Noun, Words
from logic_retrievers.queries.coordination.segments import Operator, Word, common_operator
from logic_retrievers.queries.coordination.vocabulary import (
    defines_set,
    is_name,
    is_plural,
    is_time_or_nationality,
    relation_at,
)
from logic_retrievers.queries.expressions import Expression

CERTAIN = 0.95
"""*that are also*, *either ... or*, or the head repeated under OR."""
PARALLEL = 0.9
"""*starring A and directed by B*; names under OR; times or nationalities."""
SHARED = 0.8
"""*with a pool and a gym*: one relation of which several can be true."""
LIKELY = 0.75
"""*war films directed by A*; *red or white wines*; *hotels or hostels*."""
OPEN = 0.6
"""*A and B* where a union may be meant: *hotels in Rome and Paris*, *horror films and comedies*."""
_UNLIKE_PARTS_PENALTY = 0.25

_MAX_PART_WORDS = 5
"""Of what shares a head; and by how many the parts may differ."""
_MAX_PREMODIFIER_WORDS = 4
"""Before a head, times and nationalities aside."""
_MAX_MODIFIER_WORDS = 9
"""Behind a head."""


@dataclass(frozen=True, slots=True)
class Decision:
    """How sure one decision of the parser is.

    Args:
        confidence: in [0, 1].
        joins_common_nouns: in a question such an *or* means "and the like": *awards or prizes*.
    """

    confidence: float
    joins_common_nouns: bool = False


@dataclass(frozen=True, slots=True)
class Coordination:
    """The expression of a phrase.

    Args:
        expression: of the phrase.
        head: what the phrase names: *films*.
        confidence: of its least certain decision, in [0, 1].
        span: first and one-past-last character of the first connective; None where there is none.
        joins_common_nouns: as of one of its decisions.
    """

    expression: Expression
    head: Word
    confidence: float
    span: tuple[int, int] | None = None
    joins_common_nouns: bool = False


def rate_names(
    noun: Noun, modifier: Modifier, names: Sequence[Words], shared: int, operator: Operator
) -> Decision:
    """How sure it is that names share the first ``shared`` words of a modifier."""
    relation = modifier.words[:shared]
    is_property = _ends_in_property(relation)
    common = not any(is_name(word.masked) for name in names for word in name)
    if modifier.strong or any(segment.strong for segment in modifier.name_segments):
        decision = Decision(CERTAIN)
    elif operator == "or":
        decision = Decision(PARALLEL if is_property else SHARED, common)
    else:  # "and" may join the parts of one name
        sure = is_property and not _is_single_name(relation, names)
        decision = Decision(SHARED if sure else OPEN)
    same_form = len({is_name(name[0].masked) for name in names}) == 1
    short = all(len(name) == 1 for name in names)
    unlike = _is_lopsided(names) or not (same_form or short) or (common and _shares_end(names))
    if unlike or len(modifier.words) > _MAX_MODIFIER_WORDS or _has_long_premodifier(noun):
        return _lowered(decision)
    if not modifier.tail:
        return decision
    if operator == "or" and not common:
        return Decision(min(decision.confidence, LIKELY))
    return _lowered(decision)


def rate_premodifiers(noun: Noun) -> Decision:
    """How sure it is that the premodifiers of a head are alternatives."""
    operator = common_operator(noun.premodifier_segments)
    times_or_nationalities = all(
        any(is_time_or_nationality(word.masked) for word in premodifier)
        for premodifier in noun.premodifiers
    )
    if times_or_nationalities:
        decision = Decision(PARALLEL if operator == "or" else SHARED)
    else:  # properties under "and" may be of one thing
        decision = Decision(LIKELY if operator == "or" else OPEN)
    unlike = _is_lopsided(noun.premodifiers) or not all(noun.premodifiers)
    return _lowered(decision) if unlike else decision


def rate_heads(nouns: Sequence[Noun], operator: Operator, *, also: bool) -> Decision:
    """How sure it is that several heads are several sets."""
    strong = also or any(noun.segment.strong for noun in nouns)
    same = len({noun.head.masked.lower() for noun in nouns}) == 1
    if operator == "or":
        if same or strong:
            return Decision(CERTAIN)
        words = [word.masked for noun in nouns for word in noun.premodifiers[-1]]
        unlike = (
            nouns[-1].head.masked[0].isupper()  # a title: "Bullets or Ballots"
            or any(_may_be_verb(word) for word in words)
            or _is_lopsided([noun.premodifiers[-1] for noun in nouns], max_difference=1)
        )
        decision = Decision(LIKELY, joins_common_nouns=True)
        return _lowered(decision) if unlike else decision
    if strong:
        return Decision(CERTAIN)
    apart = same and all(_differ(first, second) for first, second in pairwise(nouns))
    return Decision(LIKELY if apart else OPEN)  # a union may be meant


def rate_implied_and(modifier: Modifier) -> Decision:
    """How sure it is that a head with a modifier is two sets: *war films directed by A*."""
    return Decision(LIKELY if is_name(modifier.words[-1].masked) else OPEN)


def rate_modifiers(noun: Noun) -> Decision:
    """How sure it is that the modifiers of a head are parallel."""
    long = any(len(modifier.words) > _MAX_MODIFIER_WORDS for modifier in noun.modifiers)
    decision = Decision(PARALLEL)
    return _lowered(decision) if long or _has_long_premodifier(noun) else decision


def _lowered(decision: Decision) -> Decision:
    """The same decision for parts that are unlike each other: never sure."""
    confidence = min(round(decision.confidence - _UNLIKE_PARTS_PENALTY, 2), OPEN)
    return Decision(confidence, decision.joins_common_nouns)


def _shares_end(names: Sequence[Words]) -> bool:
    """*oak or vanilla notes*, and *moves with the fork and affects replication*."""
    first, last = names[0], names[-1]
    longer = len(last) > len(first) and is_plural(last[-1].masked)
    return (longer and not is_plural(first[-1].masked)) or any(
        len(name) > 1 and _may_be_verb(name[0].masked) for name in names[1:]
    )


def _may_be_verb(word: str) -> bool:
    return word.endswith("s") and is_plural(word)


def _is_single_name(relation: Words, names: Sequence[Words]) -> bool:
    """*by Simon and Schuster*, *by Joel and Ethan Coen*."""
    words = " ".join(word.text for word in relation).lower().split()
    named = defines_set(words) or any(is_name(name[0].masked) for name in names)
    return words[-1] == "by" and named and any(len(name) == 1 for name in names)


def _ends_in_property(words: Words) -> bool:
    """Whether the relation that stands next to the names is a property."""
    forms = [word.masked for word in words]
    at, is_property = 0, False
    while at < len(forms):
        length, kind = relation_at(forms, at)
        at, is_property = (at + length, kind) if length else (at + 1, is_property)
    return is_property


def _differ(first: Noun, second: Noun) -> bool:
    """Whether their modifiers begin differently, so that one thing can be both."""
    beginnings = [
        " ".join(word.masked for word in noun.modifiers[0].words[:2]) if noun.modifiers else ""
        for noun in (first, second)
    ]
    return beginnings[0] != beginnings[1]


def _has_long_premodifier(noun: Noun) -> bool:
    """More words before a head than describe it: a clause whose verb passed for a plural."""
    return any(
        sum(not is_time_or_nationality(word.masked) for word in premodifier)
        > _MAX_PREMODIFIER_WORDS
        for premodifier in noun.premodifiers
    )


def _is_lopsided(parts: Sequence[Words], max_difference: int = _MAX_PART_WORDS) -> bool:
    lengths = [len(part) for part in parts]
    return max(lengths) - min(lengths) > max_difference or max(lengths) > 2 * _MAX_PART_WORDS
