"""Rules for two short texts about different things, which need not share values or word order."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, Mention, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import listed_words, phrase_pattern
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    are_parallel,
    scope_reason,
)
from logic_retrievers.cleaning.pair_rules.sentence_parts import text_before

_FRAME_OPENERS = listed_words("frame_openers")

_MIN_COSINE = 0.6

_NATIONALITY = re.compile(r"(?:ean|ian|ican|ish|ese|ench|erman|utch)$")

_SINGLE_EVENT = phrase_pattern("SINGLE_EVENT")
_CHARACTERS_BEFORE = 60


def find_other_subject(pair: PassagePair) -> str:
    """Different subjects, and no name in both, or both open with a phrase: "Below the weir"."""
    if not all(pair.own_subjects) or not are_parallel(pair, min_cosine=_MIN_COSINE):
        return ""
    has_frames = all(text.tokens and text.tokens[0].key in _FRAME_OPENERS for text in pair.texts)
    if not has_frames and not have_different_names(pair):
        return ""
    return scope_reason(*(" ".join(sorted(stems)) for stems in pair.own_subjects))


def have_different_names(pair: PassagePair) -> bool:
    """Whether both texts have names, and no name of one is in the other."""
    left, right = pair.texts
    left_names, right_names = _names(left), _names(right)
    if not left_names or not right_names:
        return False
    return not (_mentions_any(right, left, left_names) or _mentions_any(left, right, right_names))


def find_other_year(pair: PassagePair) -> str:
    """Each text says what was so in a year, and they have no year in common.

    "In 2011 there were 40 looms in the mill." / "By 2019 six looms were left in the mill."
    """
    if not are_parallel(pair) or have_different_names(pair):
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


def _names(text: AnnotatedText) -> list[TokenSpan]:
    """The names of a text, without adjectives of nationality."""
    return [
        (mention.start, mention.end)
        for mention in text.mentions
        if mention.type == "entity"
        and not (
            mention.end - mention.start == 1 and _NATIONALITY.search(text.tokens[mention.start].key)
        )
    ]


def _mentions_any(text: AnnotatedText, named: AnnotatedText, names: list[TokenSpan]) -> bool:
    """Whether a text has all words of a name of another text."""
    words = {token.key.removesuffix("'s") for token in text.tokens}
    return any(
        words.issuperset(token.key.removesuffix("'s") for token in named.tokens[start:end])
        for start, end in names
    )


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
        if _SINGLE_EVENT.search(text_before(text, date.start, _CHARACTERS_BEFORE)):
            return True
    return False
