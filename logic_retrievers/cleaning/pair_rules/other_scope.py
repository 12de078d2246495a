"""Rules for texts about different things: another year, region, product, person or unit."""

from __future__ import annotations

from logic_retrievers.cleaning.differences import Change
from logic_retrievers.cleaning.differences.annotation import AnnotatedText, Mention, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import listed_words, phrase_pattern
from logic_retrievers.cleaning.differences.quantities import Quantity
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    are_parallel,
    scope_reason,
    values_of,
)
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened, text_before

_PREPOSITIONS = listed_words("place_prepositions")
_SINGLE_EVENT = phrase_pattern("SINGLE_EVENT")
_CHARACTERS_BEFORE_YEAR = 60
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
    for change in pair.comparison.changes:
        quantities = values_of(change, Quantity)
        if quantities is not None and quantities[0].has_other_unit(quantities[1]):
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
        if len(pair.value_changes) > 1 and _is_scope(pair, change):
            return scope_reason(*pair.words_of(change))
    return ""


def find_other_year(pair: PassagePair) -> str:
    """Each text says what was so in a year, and they have no year in common.

    "In 2011 there were 40 looms in the mill." / "By 2019 six looms were left in the mill."
    """
    if not are_parallel(pair):
        return ""
    left, right = pair.texts
    left_years, right_years = _years(left), _years(right)
    if not left_years or not right_years:
        return ""
    if {year for _, year in left_years} & {year for _, year in right_years}:
        return ""
    if _has_single_event(left, left_years) or _has_single_event(right, right_years):
        return ""
    left_date, right_date = left_years[0][0], right_years[0][0]
    return scope_reason(
        left.excerpt(left_date.start, left_date.end),
        right.excerpt(right_date.start, right_date.end),
    )


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
        return all(_follows_preposition(text, span) for text, span in sides)
    return values_of(change, Quantity) is not None and pair.is_in_subjects(change)


def _are_same_quantities(change: Change) -> bool:
    """Whether a change is of two quantities of one kind, or that count the same."""
    quantities = values_of(change, Quantity)
    if quantities is None:
        return False
    return bool(quantities[0].kind or quantities[0].counted) and _is_one_kind(change)


def _is_one_kind(change: Change) -> bool:
    """Whether both values of a change certainly answer one question."""
    quantities = values_of(change, Quantity)
    if quantities is None:
        return change.in_both
    left, right = quantities
    return left.kind == right.kind and left.counted == right.counted


def _follows_preposition(text: AnnotatedText, span: TokenSpan) -> bool:
    """In Paris, for Germany, at the Munich office."""
    return any(token.key in _PREPOSITIONS for token in text.tokens[max(0, span[0] - 2) : span[0]])


def _years(text: AnnotatedText) -> list[tuple[Mention, int]]:
    """The dates that have a year, with the year."""
    return [
        (mention, mention.value.year)
        for mention in text.mentions
        if isinstance(mention.value, PartialDate) and mention.value.year
    ]


def _has_single_event(text: AnnotatedText, years: list[tuple[Mention, int]]) -> bool:
    """Whether a year dates an event or a thing: "built in 1931", "a 1931 drama"."""
    for date, _ in years:
        if date.start and text.tokens[date.start - 1].key in ("a", "an", "lost"):
            return True
        if _SINGLE_EVENT.search(text_before(text, date.start, _CHARACTERS_BEFORE_YEAR)):
            return True
    return False
