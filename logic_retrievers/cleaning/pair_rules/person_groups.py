"""A rule for groups of people: leaseholders, poster presenters, those with a permit."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words, phrase_pattern
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, are_parallel
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened, subject_end

_PERSON_NOUN = phrase_pattern("PERSON_NOUN", re.NOFLAG)
_PERSON_PLURAL = phrase_pattern("PERSON_PLURAL", re.NOFLAG)
_NOT_PEOPLE = listed_words("not_people")
_NOT_NOUNS = listed_words("not_person_nouns")
_GROUP_WORDS = listed_words("people")
_PEOPLE = frozenset(LEXICON["axes"]["group"].split()) - _NOT_NOUNS
"""Nouns for people, and animals."""

_ARTICLES = listed_words("determiners")
_BEFORE_GROUP = listed_words("before_group")
_REACH = 3

PersonGroup = tuple[int, TokenSpan]
"""Token of a noun for people, and the phrase that it is part of."""


def find_other_group(pair: PassagePair) -> str:
    """Each text is about people that the other does not mention.

    "Judges get their travel and lunch." / "Stewards get lunch, and pay for the travel."
    """
    if not are_parallel(pair):
        return ""
    left, right = pair.texts
    left_words = _own_group(left, _person_groups(left), right)
    right_words = _own_group(right, _person_groups(right), left)
    if not left_words or not right_words:
        return ""
    return f'one is for "{shortened(left_words)}", the other for "{shortened(right_words)}"'


def _person_groups(text: AnnotatedText) -> list[PersonGroup]:
    """Nouns for people before the verb of a sentence, or behind words such as "for"."""
    groups = []
    for start, end in text.sentences:
        verb = subject_end(text.tokens, start, end)
        for index in range(start, end):
            preceding = [token.key for token in text.tokens[max(start, index - _REACH) : index]]
            is_scope = index < verb or not _BEFORE_GROUP.isdisjoint(preceding)
            if is_scope and _is_person_noun(text, index):
                phrase = (start, verb) if index < verb else (index - 1, index + 1)
                groups.append((index, phrase))
    return groups


def _own_group(text: AnnotatedText, groups: list[PersonGroup], other: AnnotatedText) -> str:
    """The first group that the other text does not mention, or whose phrase has other words."""
    values = text.mentioned_tokens(with_names=False)
    for index, _ in groups:
        if index in text.stems and text.stems[index] not in other.topic:
            return text.tokens[index].text
    for _, (start, end) in groups:
        if any(
            index in text.stems and index not in values and text.stems[index] not in other.topic
            for index in range(start, end)
        ):
            return text.excerpt(start, end)
    return ""


def _is_person_noun(text: AnnotatedText, index: int) -> bool:
    token = text.tokens[index]
    if (token.text[0].isupper() and not token.opens_sentence) or token.key in _NOT_PEOPLE:
        return False
    if token.key in _GROUP_WORDS or token.key.removesuffix("s") in _GROUP_WORDS:
        return True
    is_plural = token.key[-1] == "s" and token.key[:-1] in _PEOPLE
    if is_plural or _PERSON_PLURAL.fullmatch(token.key):
        return True
    is_singular = token.key in _PEOPLE or _PERSON_NOUN.fullmatch(token.key) is not None
    return is_singular and _has_article(text, index)


def _has_article(text: AnnotatedText, index: int) -> bool:
    """Whether an article stands before a noun, an adjective or two aside."""
    for noun_or_adjective in range(index, max(0, index - _REACH), -1):
        preceding = text.tokens[noun_or_adjective - 1]
        if text.tokens[noun_or_adjective].opens_sentence:
            return False
        if preceding.key in _ARTICLES:
            return True
        if not preceding.is_content:
            return False
    return False
