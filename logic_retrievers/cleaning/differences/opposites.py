"""Words that reverse a statement: negation and antonyms."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words
from logic_retrievers.cleaning.differences.tokens import Token, stem

_NEGATIONS = listed_words("negations")
_NOT_NEGATING = {key: frozenset(v.split()) for key, v in LEXICON["maps"]["not_negating"].items()}


def _read_antonyms(table: str) -> Mapping[str, frozenset[str]]:
    antonyms: dict[str, set[str]] = {}
    for pair in table.split():
        left_words, right_words = (side.split(",") for side in pair.split("/"))
        for left in left_words:
            for right in right_words:
                for word, opposite in ((left, right), (stem(left), stem(right))):
                    antonyms.setdefault(word, set()).add(opposite)
                    antonyms.setdefault(opposite, set()).add(word)
    return {word: frozenset(opposites) for word, opposites in antonyms.items()}


ANTONYMS = _read_antonyms(LEXICON["antonyms"])
"""Word, or its stem -> its antonyms and their stems."""


def antonyms_of(word: str) -> frozenset[str]:
    """The antonyms of a word, as words and as stems."""
    return ANTONYMS.get(word, frozenset()) | ANTONYMS.get(stem(word), frozenset())


def is_negation(token: Token, following: Token | None) -> bool:
    """Whether a word negates, given the one behind it: not in "not only", "no later than"."""
    if token.key not in _NEGATIONS:
        return False
    return following is None or following.key not in _NOT_NEGATING.get(token.key, ())
