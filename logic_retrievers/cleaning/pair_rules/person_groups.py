"""A rule for groups of people: leaseholders, poster presenters, those with a permit."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import listed_words, phrase_pattern
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, are_parallel
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened, subject_end

_PERSON_NOUN = phrase_pattern("PERSON_NOUN", re.NOFLAG)
_NOT_PEOPLE = listed_words("not_people")
_PEOPLE = listed_words("people") | listed_words("person_nouns")

_BEFORE_GROUP = listed_words("before_group")
_REACH = 3


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


def _person_groups(text: AnnotatedText) -> list[TokenSpan]:
    """Phrases with a noun for people before the verb of a sentence, or behind words like "for"."""
    groups = []
    for start, end in text.sentences:
        verb = subject_end(text.tokens, start, end)
        for index in range(start, end):
            preceding = [token.key for token in text.tokens[max(start, index - _REACH) : index]]
            is_scope = index < verb or not _BEFORE_GROUP.isdisjoint(preceding)
            if is_scope and _is_person_noun(text, index):
                groups.append((start, verb) if index < verb else (index - 1, index + 1))
    return groups


def _own_group(text: AnnotatedText, groups: list[TokenSpan], other: AnnotatedText) -> str:
    """The first group whose phrase has a word that is not in the other text."""
    values = text.mentioned_tokens(with_names=False)
    for start, end in groups:
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
    if not _PEOPLE.isdisjoint({token.key, token.key.removesuffix("s")}):
        return True
    return _PERSON_NOUN.fullmatch(token.key) is not None
