"""Word lists and word forms: relations, plural heads, names, and words that block a reading."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.queries.patterns import pattern, word_set

PREPOSITIONS = word_set("prepositions")
_PROPERTIES = word_set("properties")
_IRREGULAR = word_set("irregular_participles")
_SET_RELATION = pattern("set_relation", flags=0)
_NO_PARTICIPLE = word_set("no_participles")
_RELATIVES = word_set("relatives")
_NOT_PLURAL = word_set("no_plurals")
_IRREGULAR_PLURALS = word_set("irregular_plurals")
_PLURAL = re.compile(r"[a-z][a-z'-]*[a-z]s")
_NO_PLURAL_ENDS = tuple(word_set("no_plural_ends"))
DETERMINERS = word_set("determiners")
EVALUATIONS = word_set("evaluations")
BLOCKING_WORDS = word_set("blocking")
_TIME_OR_NATIONALITY = pattern("time_or_nationality", flags=0)


def is_plural(word: str) -> bool:
    """Whether the word has the form of a plural noun; names have not."""
    if word in _IRREGULAR_PLURALS:
        return True
    return (
        _PLURAL.fullmatch(word) is not None
        and not word.endswith(_NO_PLURAL_ENDS)
        and word not in _NOT_PLURAL
        and word not in PREPOSITIONS
    )


def is_name(word: str) -> bool:
    """Whether it begins with a capital or a digit, or was masked as a name."""
    return word[:1].isupper() or word[:1].isdigit() or word[:1] == "_"


def is_time_or_nationality(word: str) -> bool:
    """Whether it is a year, a decade or a nationality: nothing is *French and Italian*."""
    return _TIME_OR_NATIONALITY.fullmatch(word) is not None


def is_time(word: str) -> bool:
    """Whether it is a year or a decade."""
    return word[0].isdigit() and is_time_or_nationality(word)


def relation_length(forms: Sequence[str], at: int) -> int:
    """Number of words of the relation that begins at ``at``; 0 where none does."""
    return relation_at(forms, at)[0]


def relation_at(forms: Sequence[str], at: int) -> tuple[int, bool]:
    """The length of the relation that begins at ``at``, and whether it is a property.

    A property can hold several times: *starring* A, *directed by* B, *with* a pool. Few things are
    in two places, so AND may mean OR behind another preposition, or in a clause: *that tolerate*.
    """
    if forms[at].lower() in _RELATIVES and at + 1 < len(forms):
        inner = _simple_relation(forms, at + 2)[0] if at + 2 < len(forms) else 0
        return 2 + inner, False
    return _simple_relation(forms, at)


def _simple_relation(forms: Sequence[str], at: int) -> tuple[int, bool]:
    word = forms[at].lower()
    following = forms[at + 1].lower() if at + 1 < len(forms) else ""
    if word in _PROPERTIES:
        return 1, True
    if following in PREPOSITIONS and is_participle(word):
        return 2, True
    return int(word in PREPOSITIONS), False


def is_participle(word: str) -> bool:
    """Whether it is like ``directed`` or ``written``, or an adjective that takes a preposition."""
    return word in _IRREGULAR or (
        word.endswith("ed") and len(word) > 4 and word not in _NO_PARTICIPLE
    )


def defines_set(relation: Sequence[str]) -> bool:
    """Whether the relation alone defines a set: films *directed by*, *set in*, *starring*."""
    return _SET_RELATION.fullmatch(" ".join(word.lower() for word in relation)) is not None
