"""Builds expressions from nouns: every atom with its head, every operator with its confidence."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.queries.coordination.confidence import (
    Decision,
    rate_heads,
    rate_implied_and,
    rate_modifiers,
    rate_names,
    rate_premodifiers,
)
from logic_retrievers.queries.coordination.nouns import Modifier, Noun, Words, shared_beginning
from logic_retrievers.queries.coordination.segments import (
    NoCoordinationError,
    Operator,
    common_operator,
)
from logic_retrievers.queries.coordination.vocabulary import EVALUATIONS, defines_set
from logic_retrievers.queries.expressions import And, Atom, Expression, Or


def build_expression(
    nouns: Sequence[Noun], decisions: list[Decision], *, also: bool = False
) -> Expression:
    """The expression of heads that *and* or *or* join.

    The decisions that are taken here are added to ``decisions``.

    Raises:
        NoCoordinationError: mixed operators on one level.
    """
    if len(nouns) == 1:
        return _noun_expression(nouns[0], decisions)
    operator = common_operator([noun.segment for noun in nouns[1:]])
    _share_modifiers(nouns)
    parts = [_noun_expression(noun, decisions) for noun in nouns]
    decisions.append(rate_heads(nouns, operator, also=also))
    return combine(parts, operator)


def combine(parts: Sequence[Expression], operator: Operator) -> Expression:
    """The parts under one operator, equal ones once."""
    unique = list(dict.fromkeys(parts))
    if len(unique) == 1:
        return unique[0]
    return Or(tuple(unique)) if operator == "or" else And(tuple(unique))


def _noun_expression(noun: Noun, decisions: list[Decision]) -> Expression:
    several = len(noun.premodifiers) > 1
    premodifiers = noun.premodifiers if several or noun.premodifiers[0] else []
    sets = any(_modifier_defines_set(modifier) for modifier in noun.modifiers)
    apart = (
        bool(premodifiers)
        and bool(noun.modifiers)
        and _define_set(premodifiers)
        and (sets or several)
    )
    if several:
        decisions.append(rate_premodifiers(noun))
    if not noun.modifiers:
        return _alternatives(noun, premodifiers)
    single_name = len(noun.modifiers) == 1 and not noun.modifiers[0].names
    if apart and not several and single_name:
        decisions.append(rate_implied_and(noun.modifiers[0]))
    if several and not sets and single_name:
        behind = noun.modifiers[0].words
        return combine([_atom((*words, noun.head, *behind)) for words in premodifiers], "or")
    if several and not apart:
        raise NoCoordinationError
    lead = () if apart else premodifiers[0] if premodifiers else ()
    parts = [_modified_head(noun, lead, modifier, decisions) for modifier in noun.modifiers]
    modified = parts[0]
    if len(parts) > 1:
        operators = {modifier.operator for modifier in noun.modifiers[1:]}
        if len(operators) > 1:
            raise NoCoordinationError
        decisions.append(rate_modifiers(noun))
        modified = combine(parts, "or" if operators == {"or"} else "and")
    return combine([_alternatives(noun, premodifiers), modified], "and") if apart else modified


def _alternatives(noun: Noun, premodifiers: Sequence[Words]) -> Expression:
    """*French and Italian comedies* are of either kind."""
    return combine([_atom((*words, noun.head)) for words in premodifiers or [()]], "or")


def _modified_head(
    noun: Noun, lead: Words, modifier: Modifier, decisions: list[Decision]
) -> Expression:
    if not modifier.names:
        return _atom((*lead, noun.head, *modifier.words))
    shared = shared_beginning(modifier.words)
    if not shared:
        raise NoCoordinationError
    operator = common_operator(modifier.name_segments)
    names = [modifier.words[shared:], *modifier.names]
    decisions.append(rate_names(noun, modifier, names, shared, operator))
    beginning = (*lead, noun.head, *modifier.words[:shared])
    return combine([_atom((*beginning, *name, *modifier.tail)) for name in names], operator)


def _share_modifiers(nouns: Sequence[Noun]) -> None:
    """*hotels or hostels in Rome*: the modifiers of the last noun hold for those without any."""
    last = nouns[-1]
    same = len({noun.head.masked.lower() for noun in nouns}) == 1
    if same or any(noun.modifiers for noun in nouns[:-1]):
        return
    for noun in nouns[:-1]:
        noun.modifiers = list(last.modifiers)


def _define_set(premodifiers: Sequence[Words]) -> bool:
    """Whether the words before the head define a set of their own: *war*, not *best*."""
    return not any(
        word.masked.lower() in EVALUATIONS or (word.masked.isdigit() and len(word.masked) < 4)
        for words in premodifiers
        for word in words
    )


def _modifier_defines_set(modifier: Modifier) -> bool:
    shared = shared_beginning(modifier.words)
    return defines_set([word.masked for word in modifier.words[:shared]])


def _atom(words: Words) -> Atom:
    return Atom(" ".join(word.text for word in words))
