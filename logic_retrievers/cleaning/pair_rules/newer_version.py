"""Rules for a newer version: later dates and versions, announced changes."""

from __future__ import annotations

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import phrase_pattern
from logic_retrievers.cleaning.differences.versions import Version
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
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

_BEFORE_VALIDITY = phrase_pattern("BEFORE_VALIDITY")
_CHARACTERS_BEFORE = 45


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
    if not any(phrases) and pair.are_brief:  # prose says "abolished" and "today" of anything
        phrases = _find_news(left), _find_news(right)
    if all(phrases) or not any(phrases):
        return None
    reason = f'one announces a change of what both are about: "{shortened("".join(phrases))}"'
    return "one" if phrases[0] else "other", reason


def _find_notice(text: AnnotatedText, other: AnnotatedText) -> str:
    """The words by which a text says that what the other states is over; empty: none.

    They stand in its first sentence. The words before them, or behind them where none are
    before, say what is over, and stand in the first sentence of the other text.
    """
    start, end = text.sentence_at(0)
    known = other.stems_in(*other.sentence_at(0))
    words = text.tokens[start:end]
    for match in _NOTICE.finditer(text.text, *text.char_span(start, end)):
        before = start + sum(token.end_char <= match.start() for token in words)
        behind = start + sum(token.start_char < match.end() for token in words)
        subject = text.stems_in(start, before) or text.stems_in(behind, end)
        if len(subject & known) >= _MIN_KNOWN_SHARE * len(subject) > 0:
            return match[0]
    return ""


def _find_news(text: AnnotatedText) -> str:
    """The words by which a text tells a change; empty: none."""
    match = _NEWS.search(text.text)
    return match[0] if match else ""


def _compare_versions(pair: PassagePair) -> NewerSide | None:
    """``v1`` and ``v2`` of one product."""
    for change in pair.value_changes:
        versions = values_of(change, Version)
        if versions and (newer := later_side(*versions, Version.is_later)):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _compare_dates(pair: PassagePair) -> NewerSide | None:
    """``Since January 2020`` and ``Since January 2022``, and another difference beside them."""
    if len(pair.comparison.changes) == 1:
        return None
    for change in pair.value_changes:
        dates = values_of(change, PartialDate)
        if not dates or not all(_is_validity_date(*side) for side in pair.sides_of(change)):
            continue
        if newer := later_side(*dates, PartialDate.is_later):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _is_validity_date(text: AnnotatedText, span: TokenSpan) -> bool:
    """Whether a date is one of validity: a cue stands before it."""
    return _BEFORE_VALIDITY.search(text.before(span[0], _CHARACTERS_BEFORE)) is not None
