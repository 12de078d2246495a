"""Words that name the scope of a text: "adults", "per gallon", "without VAT"."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences.annotation import AnnotatedText
from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words
from logic_retrievers.cleaning.differences.units import UNITS
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair


def _read_axes() -> Mapping[str, frozenset[str]]:
    axes: dict[str, set[str]] = {}
    for axis, words in LEXICON["axes"].items():
        for word in words.split():
            axes.setdefault(word, set()).add(axis)
    return {word: frozenset(names) for word, names in axes.items()}


AXES = _read_axes()
"""Word -> the axes that it is on: words of one axis exclude each other."""

HEAD_NOUNS = listed_words("head_nouns")
_MIN_UNIT_LENGTH = 4
_INCLUDING = listed_words("including")
_EXCLUDING = listed_words("excluding")
_PRICE_PARTS = listed_words("price_parts")


def axes_of(key: str) -> frozenset[str]:
    """The axes that a word is on, in the singular or the plural; most words are on none."""
    for form in (key, key.removesuffix("s"), key.removesuffix("es"), f"{key[:-3]}y"):
        if form in AXES:
            return AXES[form]
    return frozenset()


def differing_unit_words(pair: PassagePair) -> tuple[str, str] | None:
    """Units without a number: the price of a litre, the price of a gallon."""
    left, right = pair.texts
    right_units = _own_unit_words(right, left)
    for kind, unit in _own_unit_words(left, right).items():
        if kind in right_units:
            return unit, right_units[kind]
    return None


def differing_price_basis(pair: PassagePair) -> tuple[str, str] | None:
    """What one price includes and the other excludes: tax, heating, delivery."""
    left, right = map(_price_basis, pair.texts)
    for part in sorted(left.keys() & right.keys()):
        if left[part] != right[part]:
            return f"{left[part]} {part}", f"{right[part]} {part}"
    return None


def _own_unit_words(text: AnnotatedText, other: AnnotatedText) -> dict[str, str]:
    """Kind -> a unit that belongs to no number and is not in the other text."""
    mentioned = text.mentioned_tokens(with_names=True)
    return {
        UNITS[token.key].kind: token.text
        for index, token in enumerate(text.tokens)
        if token.key in UNITS
        and len(token.key) >= _MIN_UNIT_LENGTH
        and index not in mentioned
        and UNITS[token.key].kind != "time"
        and text.stems.get(index) not in other.topic
    }


def _price_basis(text: AnnotatedText) -> dict[str, str]:
    """Part of a price -> "with" or "without"."""
    basis: dict[str, str] = {}
    for index, token in enumerate(text.tokens):
        if token.key not in _PRICE_PARTS:
            continue
        nearby = (*text.tokens[max(0, index - 2) : index], *text.tokens[index + 1 : index + 4])
        if any(near.key in _EXCLUDING for near in nearby):
            basis[token.key] = "without"
        elif any(near.key in _INCLUDING for near in nearby):
            basis[token.key] = "with"
    return basis
