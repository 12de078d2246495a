"""Rules for texts about different things: another year, region, product, person or unit."""

from __future__ import annotations

from logic_retrievers.cleaning.differences import Change
from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import listed_words, phrase_pattern
from logic_retrievers.cleaning.differences.quantities import Quantity
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    scope_reason,
    shortened,
    values_of,
)

_PREPOSITIONS = listed_words("place_prepositions")
_SINGLE_EVENT = phrase_pattern("SINGLE_EVENT")
_CHARACTERS_BEFORE_YEAR = 60
_MIN_SIMILARITY_NAMES = 0.97
"""Sum of overlap and cosine of two texts that begin with different names, since there are many
things of one kind."""

_MIN_SIMILARITY_QUANTITIES = 0.6
"""The same if both have quantities of one kind, which few texts share by chance."""

_MIN_SIMILARITY_PAGE = 0.14
"""What is added to both for pages."""

_MIN_OVERLAP = 0.12
_MIN_OVERLAP_PAGE = 0.18

_OPENING_WORDS = 6


def find_other_unit(pair: PassagePair) -> str:
    """The same quantities in other units, or by other periods.

    "The belt runs at 100 km/h." / "The belt runs at 62 mph."
    """
    for change in pair.opposed_values if pair.is_related else ():
        quantities = values_of(change, Quantity)
        if quantities is not None and quantities[0].has_other_unit(quantities[1]):
            left, right = pair.words_of(change)
            return f'they use different units: "{shortened(left)}" and "{shortened(right)}"'
    return ""


def find_other_scope(pair: PassagePair) -> str:
    """A value or word that says what the text is about, and another difference with it.

    "Residents of Denver pay a tax of 8 percent." / "Residents of Boulder pay a tax of 9 percent."
    """
    if pair.is_related and len(pair.value_changes) > 1:
        for change in pair.value_changes:
            if _is_scope(pair, change):
                return scope_reason(*pair.words_of(change))
    return ""


def find_other_year(pair: PassagePair) -> str:
    """Each of two brief texts says what was so in a year, and they have no year in common.

    "In 2011 there were 40 looms in the mill." / "By 2019 six looms were left in the mill."
    """
    left, right = pair.texts
    left_years, right_years = _years(left), _years(right)
    if not pair.are_brief or not left_years or not right_years:
        return ""
    if left_years.keys() & right_years.keys():
        return ""
    left_span, right_span = next(iter(left_years.values())), next(iter(right_years.values()))
    return scope_reason(left.excerpt(*left_span), right.excerpt(*right_span))


def find_other_subject(pair: PassagePair) -> str:
    """Sentences with different subjects, and a value that differs."""
    if not all(pair.own_subjects) or not pair.opposed_values:
        return ""
    if pair.overlap < _MIN_OVERLAP + _MIN_OVERLAP_PAGE * pair.relative_length:
        return ""
    measured = any(map(_are_same_quantities, pair.value_changes))
    least = _MIN_SIMILARITY_QUANTITIES if measured else _MIN_SIMILARITY_NAMES
    if pair.overlap + pair.cosine < least + _MIN_SIMILARITY_PAGE * pair.relative_length:
        return ""
    openings = (text.excerpt(0, min(text.sentence_at(0)[1], _OPENING_WORDS)) for text in pair.texts)
    return scope_reason(*openings)


def _is_scope(pair: PassagePair, change: Change) -> bool:
    """Whether a change says what the text is about, and is not the answer itself."""
    if change.type != "entity":
        return change.in_both and pair.is_in_subjects(change)
    return all(_follows_preposition(text, span) for text, span in pair.sides_of(change))


def _are_same_quantities(change: Change) -> bool:
    """Whether a change is of two quantities of one kind, or that count the same."""
    if not (quantities := values_of(change, Quantity)):
        return False
    left, right = ((quantity.kind, quantity.counted) for quantity in quantities)
    return left == right != ("", "")


def _follows_preposition(text: AnnotatedText, span: TokenSpan) -> bool:
    """In Paris, for Germany, at the Munich office."""
    return any(token.key in _PREPOSITIONS for token in text.tokens[max(0, span[0] - 2) : span[0]])


def _years(text: AnnotatedText) -> dict[int, TokenSpan]:
    """Year -> the first date that names it, in the order of the text.

    None where one of them dates an event or a thing: "built in 1931", "a 1931 drama".
    """
    years: dict[int, TokenSpan] = {}
    for mention in text.mentions:
        if isinstance(mention.value, PartialDate) and mention.value.year:
            if _SINGLE_EVENT.search(text.before(mention.span[0], _CHARACTERS_BEFORE_YEAR)):
                return {}
            years.setdefault(mention.value.year, mention.span)
    return years
