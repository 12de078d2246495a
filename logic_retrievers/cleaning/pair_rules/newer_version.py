"""Rules for a newer version: later dates and versions, announced changes."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, Mention
from logic_retrievers.cleaning.differences.dates import PartialDate
from logic_retrievers.cleaning.differences.lexicon import phrase_pattern
from logic_retrievers.cleaning.differences.versions import Version
from logic_retrievers.cleaning.pair_rules.change_notices import find_news, find_notice
from logic_retrievers.cleaning.pair_rules.metadata_rules import newer_by_metadata
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    are_parallel,
    scope_reason,
)
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened, text_before
from logic_retrievers.cleaning.pair_rules.short_text_scope import have_different_names
from logic_retrievers.cleaning.result import Side

NewerSide = tuple[Side, str]
"""Which of the two is the newer version, and the reason."""

_FROM = phrase_pattern("FROM")
_UNTIL = phrase_pattern("UNTIL")
_BEFORE_VALIDITY = phrase_pattern("BEFORE_VALIDITY")
_BEFORE_DOCUMENT_DATE = phrase_pattern("BEFORE_DOCUMENT_DATE")
_DOCUMENT_AFTER = phrase_pattern("DOCUMENT_AFTER")


_SUCCESSION = phrase_pattern("SUCCESSION")
_NOUN_REACH = 3
_CHARACTERS_BEFORE = 45
_MAX_CANDIDATES = 20
_MIN_SIMILARITY = 0.72
_MIN_SIMILARITY_NOTICE = 0.55
"""Sum of overlap and cosine."""

_PAGE_PENALTY = 0.3

_MIN_OVERLAP_DOCUMENT = 0.1
_MIN_OVERLAP_ONE_DATE = 0.3
_MIN_COSINE_HINT = 0.6
_MAX_NEWS_TOPIC = 12
"""Content words of a text that is all news; prose says "abolished" and "today" of anything."""


def find_newer_by_text(pair: PassagePair) -> NewerSide | None:
    """By versions, dates of validity and announced changes in the texts.

    "API v1 returns dates as strings." / "API v2 returns dates as numbers."
    """
    similarity = pair.overlap + pair.cosine - _PAGE_PENALTY * pair.relative_length
    if similarity < _MIN_SIMILARITY:
        return find_newer_by_notice(pair) if similarity >= _MIN_SIMILARITY_NOTICE else None
    return (
        _compare_versions(pair)
        or _compare_validity_bounds(pair)
        or _compare_dates(pair)
        or find_newer_by_notice(pair)
        or _find_succession(pair)
        or _find_one_validity_date(pair)
    )


def find_newer_by_metadata(pair: PassagePair) -> NewerSide | None:
    """By date or version in the metadata of two passages of one document.

    ``{"title": "Leave", "version": 3}`` and ``{"title": "Leave", "version": 5}``.
    """
    if pair.overlap < _MIN_OVERLAP_DOCUMENT * (1 + pair.relative_length):
        return None
    if pair.overlap + pair.cosine < _MIN_SIMILARITY_NOTICE or not pair.has_differences:
        return None
    newer = newer_by_metadata(pair)
    if newer is None:
        return None
    side, (key, left, right) = newer
    return side, f"two versions of one document: the {key} of one is {left}, of the other {right}"


def find_newer_by_notice(pair: PassagePair) -> NewerSide | None:
    """One text says that what the other states is no longer so.

    "Bicycles can be borrowed." / "Bicycles can no longer be borrowed."
    """
    left, right = pair.texts
    phrases = find_notice(left, right, pair.overlap), find_notice(right, left, pair.overlap)
    if not any(phrases) and are_parallel(pair, max_topic=_MAX_NEWS_TOPIC):
        phrases = find_news(left, right), find_news(right, left)
    return _side_with_phrase(*phrases)


def find_newer_by_hint(pair: PassagePair) -> NewerSide | None:
    """One of two short texts has weak words of news, and the other has none."""
    if not are_parallel(pair, min_cosine=_MIN_COSINE_HINT, max_topic=_MAX_NEWS_TOPIC):
        return None
    if have_different_names(pair):
        return None
    left, right = pair.texts
    return _side_with_phrase(find_news(left, right, weak=True), find_news(right, left, weak=True))


def _side_with_phrase(left: str, right: str) -> NewerSide | None:
    """The newer side, if only one text has a phrase about what both are about."""
    if bool(left) is bool(right):
        return None
    return "one" if left else "other", (
        f'one announces a change of what both are about: "{shortened(left or right)}"'
    )


def _compare_versions(pair: PassagePair) -> NewerSide | None:
    """``v1`` and ``v2`` of one product."""
    for change in pair.value_changes:
        if change.left_mention is None or change.right_mention is None:
            continue
        left, right = change.left_mention.value, change.right_mention.value
        if not isinstance(left, Version) or not isinstance(right, Version):
            continue
        if left.product and right.product and left.product != right.product:
            continue
        side: Side = "one" if left.is_later(right) else "other"
        return side, scope_reason(*pair.words_of(change))
    return None


def _compare_validity_bounds(pair: PassagePair) -> NewerSide | None:
    """``prior to v3`` and ``since v3``: what was so before a date or version, and since."""
    left, right = pair.texts
    right_bounds = _validity_bounds(right)
    for left_bound, left_direction in _validity_bounds(left):
        for right_bound, right_direction in right_bounds:
            if left_direction == right_direction:
                continue
            left_is_newer = left_direction == "from"
            begin, end = (left_bound, right_bound) if left_is_newer else (right_bound, left_bound)
            if _is_turning_point(begin, end):
                words = left.excerpt(left_bound.start, left_bound.end)
                return "one" if left_is_newer else "other", (
                    f'one describes the state before "{words}", the other the state since then'
                )
    return None


def _is_turning_point(begin: Mention, end: Mention) -> bool:
    """Whether what is so up to one date or version ends where the other begins, or before."""
    if type(begin.value) is not type(end.value):
        return False
    if begin.equals(end):
        return True
    return (
        isinstance(begin.value, PartialDate)
        and isinstance(end.value, PartialDate)
        and not end.value.is_later(begin.value)
        and (begin.value.year or 0) - (end.value.year or 0) in (0, 1)
    )


def _compare_dates(pair: PassagePair) -> NewerSide | None:
    """``Since January 2020`` and ``Since January 2022``."""
    has_other_difference = len(pair.value_changes) > 1 or any(
        change.type == "wording" and change.in_both for change in pair.comparison.changes
    )
    cue = _BEFORE_VALIDITY if has_other_difference else _BEFORE_DOCUMENT_DATE
    for change in pair.value_changes:
        if change.left_mention is None or change.right_mention is None:
            continue
        left, right = change.left_mention.value, change.right_mention.value
        if not isinstance(left, PartialDate) or not isinstance(right, PartialDate):
            continue
        mentions = zip(pair.texts, (change.left_mention, change.right_mention), strict=True)
        if not all(_is_validity_date(text, mention, cue) for text, mention in mentions):
            continue
        if left.is_later(right):
            return "one", scope_reason(*pair.words_of(change))
        if right.is_later(left):
            return "other", scope_reason(*pair.words_of(change))
    return None


def _find_one_validity_date(pair: PassagePair) -> NewerSide | None:
    """``Since May 2023 the fee is 15 dollars`` and another fee without a date."""
    if pair.overlap < _MIN_OVERLAP_ONE_DATE:
        return None
    for change in pair.comparison.changes:
        is_left = change.left_mention is not None
        mention = change.left_mention or change.right_mention
        if change.in_both or mention is None or not isinstance(mention.value, PartialDate):
            continue
        if not mention.value.year:
            continue
        text = pair.texts[0 if is_left else 1]
        start, end = text.sentence_at(mention.start)
        has_value_beside = any(
            value.in_both and start <= (value.left if is_left else value.right)[0] < end
            for value in pair.value_changes
        )
        if not has_value_beside:
            continue
        direction = _bound_direction(text, mention)
        if direction and _is_validity_date(text, mention, _BEFORE_VALIDITY):
            words = text.excerpt(mention.start, mention.end)
            is_left_newer = is_left is (direction == "from")
            return "one" if is_left_newer else "other", (
                f'only one has a date of validity: {direction} "{words}"'
            )
    return None


def _find_succession(pair: PassagePair) -> NewerSide | None:
    """``Terra Oak, which followed Elm``, and a text about Terra Elm."""
    left, right = pair.texts
    left_words, right_words = _succession_words(left, right), _succession_words(right, left)
    if bool(left_words) is bool(right_words):
        return None
    return "one" if left_words else "other", (
        f'one came after what the other is about: "{shortened(left_words or right_words)}"'
    )


def _succession_words(text: AnnotatedText, other: AnnotatedText) -> str:
    """The words that say so, with the name of the predecessor; empty: none."""
    known = {
        other.tokens[index].key
        for mention in other.mentions
        if mention.type in ("entity", "number")
        for index in range(mention.start, mention.end)
    }
    known |= {token.key for token in other.tokens if token.text[0].isupper()}
    for match in _SUCCESSION.finditer(text.text):
        behind = [token for token in text.tokens if token.start_char >= match.end()][:_NOUN_REACH]
        for token in behind:
            if token.opens_sentence:
                break
            if token.key in known and (token.text[0].isupper() or token.text[0].isdigit()):
                return text.text[match.start() : token.end_char]
    return ""


def _validity_bounds(text: AnnotatedText) -> list[tuple[Mention, str]]:
    """Dates and versions from which, or up to which, something is so, with the direction."""
    bounds = [
        (mention, _bound_direction(text, mention))
        for mention in text.mentions
        if isinstance(mention.value, Version | PartialDate)
    ]
    return [(mention, direction) for mention, direction in bounds if direction][:_MAX_CANDIDATES]


def _bound_direction(text: AnnotatedText, mention: Mention) -> str:
    """``from``, ``until``, or empty."""
    before = text_before(text, mention.start, _CHARACTERS_BEFORE, in_sentence=False)
    if _UNTIL.search(before):
        return "until"
    return "from" if _FROM.search(before) else ""


def _is_validity_date(text: AnnotatedText, mention: Mention, cue: re.Pattern[str]) -> bool:
    """Whether a date is one of validity: a cue before it, and no "from 2014 to 2020"."""
    following = text.tokens[mention.end].key if mention.end < len(text.tokens) else ""
    is_range = following in ("to", "until", "till", "through", "and") and any(
        isinstance(other.value, PartialDate) and other.start in (mention.end, mention.end + 1)
        for other in text.mentions
    )
    if is_range:
        return False
    if _DOCUMENT_AFTER.match(text.text, text.tokens[mention.end - 1].end_char):
        return True
    before = text_before(text, mention.start, _CHARACTERS_BEFORE, in_sentence=False)
    return cue.search(before) is not None
