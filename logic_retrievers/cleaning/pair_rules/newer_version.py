"""Rules for a newer version: later dates and versions, announced changes."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import phrase_pattern
from logic_retrievers.cleaning.differences.versions import Version
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    are_parallel,
    later_side,
    scope_reason,
    shortened,
    values_of,
)
from logic_retrievers.cleaning.result import Side

NewerSide = tuple[Side, str]
"""Which of the two is the newer version, and the reason."""

_NOTICE = phrase_pattern("NOTICE")
_NEWS = phrase_pattern("NEWS")

_MIN_KNOWN_SHARE = 0.6
_NOTICE_SENTENCES = 2

_NEWS_SENTENCES = 3
_MAX_HEADLINE_STEMS = 2

_BEFORE_VALIDITY = phrase_pattern("BEFORE_VALIDITY")
_BEFORE_DOCUMENT_DATE = phrase_pattern("BEFORE_DOCUMENT_DATE")
_DOCUMENT_AFTER = phrase_pattern("DOCUMENT_AFTER")

_CHARACTERS_BEFORE = 45
_MAX_NEWS_TOPIC = 12
"""Content words of a text that is all news; prose says "abolished" and "today" of anything."""


def find_newer_by_text(pair: PassagePair) -> NewerSide | None:
    """By versions, dates of validity and announced changes in the texts.

    "API v1 returns dates as strings." / "API v2 returns dates as numbers."
    """
    return _compare_versions(pair) or _compare_dates(pair) or _find_announcement(pair)


def _find_announcement(pair: PassagePair) -> NewerSide | None:
    """One text says that what the other states is no longer so.

    "Bicycles can be borrowed." / "Bicycles can no longer be borrowed."
    """
    left, right = pair.texts
    phrases = _find_notice(left, right), _find_notice(right, left)
    if not any(phrases) and are_parallel(pair, max_topic=_MAX_NEWS_TOPIC):
        phrases = _find_news(left, right), _find_news(right, left)
    if all(phrases) or not any(phrases):
        return None
    reason = f'one announces a change of what both are about: "{shortened("".join(phrases))}"'
    return "one" if phrases[0] else "other", reason


def _find_notice(text: AnnotatedText, other: AnnotatedText) -> str:
    """The words by which a text says that what the other states is over; empty: none.

    They stand in one of its first sentences. The words before them, which say what is over, stand
    in the first sentences of the other text: that something else is over says nothing.
    """
    other_topic: set[str] = set()
    for start, end in other.sentences[:_NOTICE_SENTENCES]:
        other_topic |= other.stems_in(start, end)
    for start, end in text.sentences[:_NOTICE_SENTENCES]:
        for match in _NOTICE.finditer(text.text, *text.char_span(start, end)):
            subject = _subject_of_notice(text, start, end, match)
            if len(subject & other_topic) >= _MIN_KNOWN_SHARE * len(subject) > 0:
                return match[0]
    return ""


def _find_news(text: AnnotatedText, other: AnnotatedText) -> str:
    """The words by which a text tells a change of what the other states; empty: none.

    They stand in one of its first sentences. That sentence, unless it is a headline, shares a stem
    with the other text.
    """
    other_text = other.text.casefold()
    for start, end in text.sentences[:_NEWS_SENTENCES]:
        stems = text.stems_in(start, end)
        if not stems & other.topic and len(stems) > _MAX_HEADLINE_STEMS:
            continue
        for match in _NEWS.finditer(text.text, *text.char_span(start, end)):
            if match[0].casefold() not in other_text:
                return match[0]
    return ""


def _subject_of_notice(text: AnnotatedText, start: int, end: int, match: re.Match[str]) -> set[str]:
    """The stems before a phrase; those behind it if it opens the sentence."""
    before = sum(token.end_char <= match.start() for token in text.tokens[start:end])
    behind = sum(token.start_char >= match.end() for token in text.tokens[start:end])
    return text.stems_in(start, start + before) or text.stems_in(end - behind, end)


def _compare_versions(pair: PassagePair) -> NewerSide | None:
    """``v1`` and ``v2`` of one product."""
    for change in pair.value_changes:
        versions = values_of(change, Version)
        if versions and (newer := later_side(*versions, Version.is_later)):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _compare_dates(pair: PassagePair) -> NewerSide | None:
    """``Since January 2020`` and ``Since January 2022``."""
    has_other_difference = len(pair.value_changes) > 1 or any(
        change.type == "wording" and change.in_both for change in pair.comparison.changes
    )
    cue = _BEFORE_VALIDITY if has_other_difference else _BEFORE_DOCUMENT_DATE
    for change in pair.value_changes:
        dates = values_of(change, PartialDate)
        if not dates or not all(_is_validity_date(*side, cue) for side in pair.sides_of(change)):
            continue
        if newer := later_side(*dates, PartialDate.is_later):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _is_validity_date(text: AnnotatedText, span: TokenSpan, cue: re.Pattern[str]) -> bool:
    """Whether a date is one of validity: a cue stands before it, or a document behind it."""
    start, end = span
    if _DOCUMENT_AFTER.match(text.text, text.tokens[end - 1].end_char):
        return True
    before = text.before(start, _CHARACTERS_BEFORE, in_sentence=False)
    return cue.search(before) is not None
