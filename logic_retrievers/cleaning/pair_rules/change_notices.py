"""Phrases that announce a change: "is no longer", "was replaced by", "as of Monday"."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText
from logic_retrievers.cleaning.differences.lexicon import phrase_pattern

_STRONG_NOTICE = phrase_pattern("STRONG_NOTICE")
_WEAK_NOTICE = phrase_pattern("WEAK_NOTICE")
_STRONG_NEWS = phrase_pattern("STRONG_NEWS")
_WEAK_NEWS = phrase_pattern("WEAK_NEWS")

_MIN_KNOWN_SHARE = 0.6
_MIN_OVERLAP_WEAK = 0.3
_NOTICE_SENTENCES = 2

_NEWS_SENTENCES = 3
_MAX_HEADLINE_STEMS = 2


def find_notice(text: AnnotatedText, other: AnnotatedText, overlap: float) -> str:
    """The words by which a text says that what the other states is over; empty: none.

    They stand in one of its first sentences. The words before them, which say what is over, stand
    in the first sentences of the other text: that something else is over says nothing.

    Weak phrases count only where the ``overlap`` of the topics is large.
    """
    other_topic: set[str] = set()
    for start, end in other.sentences[:_NOTICE_SENTENCES]:
        other_topic |= other.stems_in(start, end)
    other_text = other.text.casefold()
    phrases = (_STRONG_NOTICE, _WEAK_NOTICE) if overlap >= _MIN_OVERLAP_WEAK else (_STRONG_NOTICE,)
    for start, end in text.sentences[:_NOTICE_SENTENCES]:
        for phrase in phrases:
            for match in phrase.finditer(text.text, *text.char_span(start, end)):
                stems = _subject_of_notice(text, start, end, match)
                words = {stem for stem in stems if stem.isalpha()}  # figures may be the news
                is_known = any(
                    len(subject & other_topic) >= _MIN_KNOWN_SHARE * len(subject) > 0
                    for subject in (stems, words)
                )
                if is_known and match[0].casefold() not in other_text:
                    return match[0]
    return ""


def find_news(text: AnnotatedText, other: AnnotatedText, *, weak: bool = False) -> str:
    """The words by which a text tells a change of what the other states; empty: none.

    They stand in one of its first sentences. That sentence, unless it is a headline, shares a stem
    with the other text.

    ``weak`` words are those that texts without news have too.
    """
    other_text = other.text.casefold()
    for start, end in text.sentences[:_NEWS_SENTENCES]:
        stems = text.stems_in(start, end)
        if not stems & other.topic and len(stems) > _MAX_HEADLINE_STEMS:
            continue
        phrase = _WEAK_NEWS if weak else _STRONG_NEWS
        for match in phrase.finditer(text.text, *text.char_span(start, end)):
            if match[0].casefold() not in other_text:
                return match[0]
    return ""


def _subject_of_notice(text: AnnotatedText, start: int, end: int, match: re.Match[str]) -> set[str]:
    """The stems before a phrase; those behind it if it opens the sentence."""
    before = [i for i in range(start, end) if text.tokens[i].end_char <= match.start()]
    if stems := {text.stems[i] for i in before if i in text.stems}:
        return stems
    behind = [i for i in range(start, end) if text.tokens[i].start_char >= match.end()]
    return {text.stems[i] for i in behind if i in text.stems}
