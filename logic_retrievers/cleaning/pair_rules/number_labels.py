"""Rules for numbers that name one thing of a kind: size 38, week 12."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.tokens import stem
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, scope_reason

_NUMBERED_NOUNS = listed_words("head_nouns") | listed_words("numbered_nouns")
_LABEL = re.compile(r"\d{1,4}[a-z]{0,2}|[a-z]{1,3}[-/]?\d{1,4}|[A-Z]|[IVX]{1,4}")
_MIN_OVERLAP = 0.1
_MIN_SIMILARITY = 0.72

Label = tuple[str, TokenSpan]
"""A number or code, and the tokens of it and its noun."""


def find_other_label(pair: PassagePair) -> str:
    """Different numbers of one kind of thing, and another difference.

    "Size 36 takes 1.90 m of cloth." / "For size 44 buy 2.40 m of cloth."
    """
    if pair.overlap < _MIN_OVERLAP * (1 + pair.relative_length):
        return ""
    if pair.overlap + pair.cosine < _MIN_SIMILARITY:
        return ""
    left, right = pair.texts
    left_labels, right_labels = _labels_by_noun(left), _labels_by_noun(right)
    for noun in sorted(left_labels.keys() & right_labels.keys()):
        (left_label, left_span), (right_label, right_span) = left_labels[noun], right_labels[noun]
        if left_label != right_label and _has_difference_elsewhere(pair, left_span, right_span):
            return scope_reason(left.excerpt(*left_span), right.excerpt(*right_span))
    return ""


def _labels_by_noun(text: AnnotatedText) -> dict[str, Label]:
    """Stem of a noun -> the first label beside it; none if it has two: "lines 2 and 3"."""
    labels: dict[str, Label] = {}
    ambiguous: set[str] = set()
    for noun, label, span in _labels_behind_nouns(text):
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


def _has_difference_elsewhere(pair: PassagePair, left: TokenSpan, right: TokenSpan) -> bool:
    """Whether anything differs apart from two labels."""
    return any(
        not change.equal
        and (change.in_both or change.type == "polarity")
        and _are_apart(change.left, left)
        and _are_apart(change.right, right)
        for change in pair.comparison.changes
    )


def _are_apart(left: TokenSpan, right: TokenSpan) -> bool:
    return left[1] <= right[0] or right[1] <= left[0]
