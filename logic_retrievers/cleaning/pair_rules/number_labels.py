"""Rules for numbers that name one thing of a kind: size 38, the tenth fair, ages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import listed_words, phrase_pattern
from logic_retrievers.cleaning.differences.numerals import CARDINALS, ORDINALS
from logic_retrievers.cleaning.differences.tokens import stem
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, scope_reason
from logic_retrievers.cleaning.pair_rules.scope_words import HEAD_NOUNS

_NUMBERED_NOUNS = HEAD_NOUNS | listed_words("numbered_nouns")
_COUNTED_NOUNS = listed_words("counted_nouns")
_LABEL = re.compile(r"\d{1,4}[a-z]{0,2}|[a-z]{1,3}[-/]?\d{1,4}|[A-Z]|[IVX]{1,4}")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_MIN_NAME_LENGTH = 3
_AGE_RANGE = phrase_pattern("AGE_RANGE")
_AGE_FROM = phrase_pattern("AGE_FROM")
_AGE_BELOW = phrase_pattern("AGE_BELOW")
_MAX_AGE = 200
_MIN_OVERLAP = 0.1
_MIN_SIMILARITY = 0.72

AgeBand = tuple[int, int, str]
"""First and last age, and the words that state them."""

Label = tuple[str, TokenSpan]
"""A number or code, and the tokens of it and its noun."""


def find_other_label(pair: PassagePair) -> str:
    """Different numbers of one kind of thing, or disjoint age bands, and another difference.

    "Size 36 takes 1.90 m of cloth." / "For size 44 buy 2.40 m of cloth."
    """
    if pair.overlap < _MIN_OVERLAP * (1 + pair.relative_length):
        return ""
    if pair.overlap + pair.cosine < _MIN_SIMILARITY:
        return ""
    left, right = pair.texts
    if bands := _disjoint_age_bands(_age_bands(left.text), _age_bands(right.text)):
        return f'one is for the ages "{bands[0]}", the other for "{bands[1]}"'
    left_labels, right_labels = _labels_by_noun(left, right), _labels_by_noun(right, left)
    for noun in sorted(left_labels.keys() & right_labels.keys()):
        (left_label, left_span), (right_label, right_span) = left_labels[noun], right_labels[noun]
        if left_label != right_label and _has_difference_elsewhere(pair, left_span, right_span):
            return scope_reason(left.excerpt(*left_span), right.excerpt(*right_span))
    return ""


def _labels_by_noun(text: AnnotatedText, other: AnnotatedText) -> dict[str, Label]:
    """Stem of a noun -> the first label beside it; none if it has two: "lines 2 and 3"."""
    labels: dict[str, Label] = {}
    ambiguous: set[str] = set()
    for noun, label, span in (
        *_labels_behind_nouns(text),
        *_labels_behind_names(text, other),
        *_ordinal_labels(text),
    ):
        if noun in labels and labels[noun][0] != label:
            ambiguous.add(noun)
        labels.setdefault(noun, (label, span))
    return {noun: label for noun, label in labels.items() if noun not in ambiguous}


def _labels_behind_nouns(text: AnnotatedText) -> Iterator[tuple[str, str, TokenSpan]]:
    """``size 38``, ``week 12``, ``block C``."""
    for index, token in enumerate(text.tokens[1:], 1):
        noun = text.tokens[index - 1]
        if noun.key.removesuffix("s") not in _NUMBERED_NOUNS and noun.key not in _NUMBERED_NOUNS:
            continue
        adjacent = token.start_char - noun.end_char == 1 and not token.opens_sentence
        if adjacent and _LABEL.fullmatch(token.text):
            yield stem(noun.key), token.key, (index - 1, index + 1)


def _labels_behind_names(
    text: AnnotatedText, other: AnnotatedText
) -> Iterator[tuple[str, str, TokenSpan]]:
    """``the Gneiss 9.2 mm``, ``Fjell 4``: figures behind a name that both texts have."""
    names = {token.key for token in other.tokens if token.text[0].isupper()}
    for index, token in enumerate(text.tokens[:-1]):
        is_name = token.text[0].isupper() and token.key in names
        if not is_name or len(token.key) < _MIN_NAME_LENGTH:
            continue
        following = text.tokens[index + 1]
        if following.opens_sentence or following.start_char - token.end_char != 1:
            continue
        is_date = any(
            mention.type == "date" and mention.start <= index + 1 < mention.end
            for mention in text.mentions
        )
        if not is_date and _DIGITS.fullmatch(following.key):
            yield token.key, following.key, (index, index + 2)


def _ordinal_labels(text: AnnotatedText) -> Iterator[tuple[str, str, TokenSpan]]:
    """``the ninth edition``, ``the 10th FormaPlast``: all under one noun."""
    for index, token in enumerate(text.tokens[:-1]):
        end = index + 1
        if token.key.isdecimal() and text.tokens[end].key in _ORDINAL_ENDINGS:
            value, end = token.key, end + 1
        elif token.key in ORDINALS:
            value = str(int(ORDINALS[token.key]))
        else:
            continue
        noun = text.tokens[end] if end < len(text.tokens) else None
        if noun is None or noun.opens_sentence:
            continue
        if noun.key in _COUNTED_NOUNS or noun.text[0].isupper():
            yield "ordinal", value, (index, end + 1)


def _has_difference_elsewhere(pair: PassagePair, left: TokenSpan, right: TokenSpan) -> bool:
    """Whether anything differs apart from two labels."""
    for change in pair.comparison.changes:
        if change.equal or not (change.in_both or change.type == "polarity"):
            continue
        if _are_apart(change.left, left) and _are_apart(change.right, right):
            return True
    right_numbers = [m for m in pair.texts[1].mentions if m.type == "number"]
    return any(
        mention.type == "number"
        and not (left[0] <= mention.start < left[1])
        and not any(map(mention.equals, right_numbers))
        for mention in pair.texts[0].mentions
    )


def _are_apart(left: TokenSpan, right: TokenSpan) -> bool:
    return left[1] <= right[0] or right[1] <= left[0]


def _age_bands(text: str) -> list[AgeBand]:
    """The age bands that a text names."""
    bands = []
    for match in _AGE_RANGE.finditer(text):
        first, last = _matched_ages(match)
        bands.append((first, last, match[0]))
    for match in _AGE_FROM.finditer(text):
        bands.append((_matched_ages(match)[0], _MAX_AGE, match[0]))
    for match in _AGE_BELOW.finditer(text):
        bands.append((0, _matched_ages(match)[0] - 1, match[0]))
    return bands


def _matched_ages(match: re.Match[str]) -> list[int]:
    return [_parse_age(group) for group in match.groups() if group is not None]


def _parse_age(words: str) -> int:
    return sum(
        int(part) if part.isdecimal() else int(CARDINALS.get(part, 0))
        for part in words.casefold().split("-")
    )


def _disjoint_age_bands(left: list[AgeBand], right: list[AgeBand]) -> tuple[str, str] | None:
    """The words of a band of each text, if no band of the left overlaps one of the right."""
    if not left or not right:
        return None
    for first, last, _ in left:
        if any(first <= other_last and other_first <= last for other_first, other_last, _ in right):
            return None
    return left[0][2], right[0][2]
