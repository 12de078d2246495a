"""Words that name the scope of a text: "adults", "the small hall", "per gallon", "without VAT"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from logic_retrievers.cleaning.differences.annotation import AnnotatedText
from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words, word_set
from logic_retrievers.cleaning.differences.units import UNITS
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair
from logic_retrievers.cleaning.pair_rules.sentence_parts import is_in_subject


def _read_axes() -> Mapping[str, frozenset[str]]:
    axes: dict[str, set[str]] = {}
    for axis, words in LEXICON["axes"].items():
        for word in words.split():
            axes.setdefault(word, set()).add(axis)
    return {word: frozenset(names) for word, names in axes.items()}


AXES = _read_axes()
"""Word -> the axes that it is on: words of one axis exclude each other."""

HEAD_NOUNS = listed_words("head_nouns")
"""Nouns whose name or number says which one is meant: the Basic plan, room 12."""

_PREPOSITIONS = word_set("in at for on from with within under across inside outside by during of")
_VAGUE_MODIFIERS = word_set(
    "different same similar various many several other such certain possible own whole only real "
    "true actual general common known following starting next previous further"
)
"""Words beside a noun that do not distinguish two things."""

_PREPOSITION_REACH = 4
_MIN_UNIT_LENGTH = 4
_INCLUDING = word_set("including included include includes incl inclusive after with gross all-in")
_EXCLUDING = word_set(
    "excluding excluded exclude excludes excl exclusive before without net plus extra not minus"
)
_PRICE_PARTS = word_set(
    "vat tax taxes taxed duty duties gst heating bills utilities service tips breakfast delivery "
    "shipping postage fees charges commission insurance discount gross net board meals fuel "
    "deposit"
)


def axes_of(key: str) -> frozenset[str]:
    """The axes that a word is on, in the singular or the plural; most words are on none."""
    for form in (key, key.removesuffix("s"), key.removesuffix("es"), f"{key[:-3]}y"):
        if form in AXES:
            return AXES[form]
    return frozenset()


def differing_modifiers(pair: PassagePair) -> Iterator[tuple[int, int]]:
    """Tokens of two different words, each of them beside the same noun in one text alone.

    "The small hall" and "the main hall". The noun stands before the verb of its sentence or behind
    a preposition; elsewhere the word may be the answer: "it has a wooden roof".
    """
    left, right = pair.texts
    right_modifiers = _own_modifiers(right, left)
    for noun, index in _own_modifiers(left, right).items():
        match = right_modifiers.get(noun)
        if match is not None and left.tokens[index].key != right.tokens[match].key:
            yield index, match


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


def _own_modifiers(text: AnnotatedText, other: AnnotatedText) -> dict[str, int]:
    """Stem of a noun that both texts have -> token of the word beside it that only one has."""
    values = text.mentioned_tokens(with_names=False)
    modifiers: dict[str, int] = {}
    for index, token in enumerate(text.tokens[:-1]):
        following = text.tokens[index + 1]
        if following.opens_sentence or following.start_char - token.end_char > 1:
            continue
        is_letter = len(following.text) == 1 and following.text.isupper()
        has_letter = token.key in HEAD_NOUNS and is_letter  # "Model A"
        modifier, noun = (index + 1, index) if has_letter else (index, index + 1)
        if modifier in values or noun in values:
            continue
        if not (has_letter or _is_own_modifier(text, modifier, other)):
            continue
        stem = text.stems.get(noun)
        if stem is not None and stem in other.topic and _is_scope_position(text, index):
            modifiers.setdefault(stem, modifier)
    return modifiers


def _is_own_modifier(text: AnnotatedText, index: int, other: AnnotatedText) -> bool:
    key = text.tokens[index].key
    if key in _VAGUE_MODIFIERS or key.endswith("est"):
        return False
    return index in text.stems and text.stems[index] not in other.topic


def _is_scope_position(text: AnnotatedText, index: int) -> bool:
    """Whether two tokens stand before the verb or behind a preposition."""
    preceding = text.tokens[max(0, index - _PREPOSITION_REACH) : index]
    return is_in_subject(text, (index, index + 2)) or any(
        token.key in _PREPOSITIONS for token in preceding
    )


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
