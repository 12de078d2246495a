"""Rules for texts about different things: another year, region, product, person or unit."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences import Change
from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    quantities_of,
    scope_reason,
)
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened


def _read_axes() -> Mapping[str, frozenset[str]]:
    axes: dict[str, set[str]] = {}
    for axis, words in LEXICON["axes"].items():
        for word in words.split():
            axes.setdefault(word, set()).add(axis)
    return {word: frozenset(names) for word, names in axes.items()}


_AXES = _read_axes()
"""Word -> the axes that it is on: words of one axis exclude each other."""

_PREPOSITIONS = listed_words("place_prepositions")
_MIN_OVERLAP = 0.16
_MIN_OVERLAP_PAGE = 0.14
_MIN_SIMILARITY = 0.86
"""Sum of overlap and cosine of two texts about related things."""

_MIN_SIMILARITY_NAMES = 0.97
"""The same if the texts begin with different names, since there are many things of one kind."""

_MIN_SIMILARITY_QUANTITIES = 0.6
_MIN_OVERLAP_QUANTITIES = 0.12
"""The same if both have quantities of one kind, which few texts share by chance."""

_OPENING_WORDS = 6


def find_other_unit(pair: PassagePair) -> str:
    """The same quantities in other units, or by other periods.

    "The belt runs at 100 km/h." / "The belt runs at 62 mph."
    """
    if not are_related(pair):
        return ""
    others = [
        change
        for change in pair.value_changes
        if change.type not in ("number", "polarity")
        or (change.left_mention and not quantities_of(change))
    ]
    for change in pair.comparison.changes:
        quantities = quantities_of(change) if change.type == "number" else None
        if quantities is None or others or not quantities[0].has_other_unit(quantities[1]):
            continue
        left, right = pair.words_of(change)
        return f'they use different units: "{shortened(left)}" and "{shortened(right)}"'
    return ""


def find_other_scope(pair: PassagePair) -> str:
    """A value or word that says what the text is about, and another difference with it.

    "Residents of Denver pay a tax of 8 percent." / "Residents of Boulder pay a tax of 9 percent."
    """
    if not are_related(pair):
        return ""
    for change in pair.value_changes:
        opens_sentences = change.type == "entity" and pair.is_in_subjects(change)
        has_others = any(other is not change for other in pair.value_changes)
        if _is_scope(pair, change) and (has_others or opens_sentences):
            return scope_reason(*pair.words_of(change))
    words = _differing_axis_words(pair)
    return scope_reason(*words) if words else ""


def find_other_subject(pair: PassagePair) -> str:
    """Sentences with different subjects, and a value of one kind that differs."""
    if not all(pair.own_subjects) or not any(map(_is_one_kind, pair.value_changes)):
        return ""
    measured = any(map(_are_same_quantities, pair.value_changes))
    by_quantities = measured and pair.overlap >= _MIN_OVERLAP_QUANTITIES
    least = _MIN_SIMILARITY_QUANTITIES if by_quantities else _MIN_SIMILARITY_NAMES
    if pair.overlap + pair.cosine < least + _MIN_OVERLAP_PAGE * pair.relative_length:
        return ""
    # long texts share some words by chance
    page_overlap = _MIN_OVERLAP + _MIN_OVERLAP_PAGE - _MIN_OVERLAP_QUANTITIES
    if pair.overlap < _MIN_OVERLAP_QUANTITIES + page_overlap * pair.relative_length:
        return ""
    openings = (text.excerpt(0, min(text.sentence_at(0)[1], _OPENING_WORDS)) for text in pair.texts)
    return scope_reason(*openings)


def find_other_frame(pair: PassagePair) -> str:
    """Different phrases that say where, when or for whom, and a quantity that differs."""
    if not are_related(pair) or pair.overlap + pair.cosine < _MIN_SIMILARITY_NAMES:
        return ""
    if not all(pair.own_frames) or not any(map(_are_same_quantities, pair.value_changes)):
        return ""
    left, right = (" ".join(sorted(stems)) for stems in pair.own_frames)
    return scope_reason(left, right)


def are_related(pair: PassagePair) -> bool:
    """Whether two texts share more than texts do by chance."""
    least = _MIN_OVERLAP + _MIN_OVERLAP_PAGE * pair.relative_length
    return pair.overlap >= least and pair.overlap + pair.cosine >= _MIN_SIMILARITY


def _is_scope(pair: PassagePair, change: Change) -> bool:
    """Whether a change says what the text is about, and is not the answer itself."""
    sides = pair.sides_of(change)
    if change.left_mention is None or change.right_mention is None:
        in_phrases = all(_follows_preposition(text, span) for text, span in sides)
        return change.in_both and (in_phrases or pair.is_in_subjects(change))
    if change.type == "entity":
        return (
            pair.is_in_subjects(change) and pair.overlap + pair.cosine >= _MIN_SIMILARITY_NAMES
        ) or all(_follows_preposition(text, span) for text, span in sides)
    return quantities_of(change) is not None and pair.is_in_subjects(change)


def _are_same_quantities(change: Change) -> bool:
    """Whether a change is of two quantities of one kind, or that count the same."""
    quantities = quantities_of(change)
    if quantities is None:
        return False
    return bool(quantities[0].kind or quantities[0].counted) and _is_one_kind(change)


def _is_one_kind(change: Change) -> bool:
    """Whether both values of a change certainly answer one question."""
    quantities = quantities_of(change)
    if quantities is None:
        return change.in_both
    left, right = quantities
    return left.kind == right.kind and left.counted == right.counted


def _follows_preposition(text: AnnotatedText, span: TokenSpan) -> bool:
    """In Paris, for Germany, at the Munich office."""
    return any(token.key in _PREPOSITIONS for token in text.tokens[max(0, span[0] - 2) : span[0]])


def _differing_axis_words(pair: PassagePair) -> tuple[str, str] | None:
    """Words of one axis that stand in the place of each other, and a value that differs."""
    left, right = pair.texts
    right_words = _own_axis_words(right, left)
    for i in _own_axis_words(left, right):
        for j in right_words:
            shared = _axes_of(left.tokens[i].key) & _axes_of(right.tokens[j].key)
            if not shared or (shared != {"money"} and not pair.are_counterparts(i, j)):
                continue
            if _has_change_elsewhere(pair, i, j):
                return left.tokens[i].text, right.tokens[j].text
    return None


def _own_axis_words(text: AnnotatedText, other: AnnotatedText) -> list[int]:
    """Tokens on any axis that are no part of a value and not in the other text."""
    mentioned = text.mentioned_tokens(with_names=True)
    return [
        index
        for index, token in enumerate(text.tokens)
        if index not in mentioned
        and text.stems.get(index) not in other.topic
        and _axes_of(token.key)
    ]


def _axes_of(key: str) -> frozenset[str]:
    """The axes that a word is on, in the singular or the plural; most words are on none."""
    for form in (key, key.removesuffix("s"), key.removesuffix("es"), f"{key[:-3]}y"):
        if form in _AXES:
            return _AXES[form]
    return frozenset()


def _has_change_elsewhere(pair: PassagePair, left: int, right: int) -> bool:
    """Whether a value differs that contains neither of two tokens."""
    return any(
        not (change.left[0] <= left < change.left[1])
        and not (change.right[0] <= right < change.right[1])
        for change in pair.value_changes
    )
