"""Annotated texts: tokens, sentences, and the values that the text mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from logic_retrievers.cleaning.differences.dates import (
    PartialDate,
    Version,
    find_dates,
    find_versions,
)
from logic_retrievers.cleaning.differences.quantities import Quantity, find_quantities
from logic_retrievers.cleaning.differences.tokens import (
    MAX_CHARACTERS,
    STOPWORDS,
    Token,
    listed_words,
    tokenize,
)
from logic_retrievers.cleaning.result import Type
from logic_retrievers.text import stem

# annotated texts kept in memory, because each text is compared with many others
_CACHED_TEXTS = 2048

_NEGATIONS = listed_words("negations")
_VERBS = listed_words("verbs")
_CLAUSE_OPENERS = listed_words("clause_openers")
_RELATIVE_PRONOUNS = listed_words("relative_pronouns")
_SUBJECT_SHARE = 2.5
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
_GAP = re.compile(r"[ \u00a0-]{0,2}")
_NOT_NAMES = listed_words("not_names")

Value: TypeAlias = Quantity | PartialDate | Version | str
# first token and index after the last; equal if there is none
TokenSpan: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mention:
    """A value and the tokens that state it.

    Args:
        type: type of a difference in this value.
        span: its tokens.
        value: compared with values of the same type.
    """

    type: Type
    span: TokenSpan
    value: Value

    def equals(self, other: Mention) -> bool:
        """Whether both state the same: ``twelve`` and ``12``, ``Paul Guérin`` and ``Guérin``."""
        left, right = self.value, other.value
        if isinstance(left, Quantity) and isinstance(right, Quantity):
            return left.equals(right)
        if isinstance(left, PartialDate) and isinstance(right, PartialDate):
            return left.agrees(right)
        if isinstance(left, str) and isinstance(right, str) and self.type == "entity":
            left_words, right_words = set(left.split()), set(right.split())
            return left_words <= right_words or right_words <= left_words
        return left == right

    def is_comparable(self, other: Mention) -> bool:
        """Whether two different values may be answers to one question."""
        left, right = self.value, other.value
        if isinstance(left, Quantity) and isinstance(right, Quantity):
            return left.is_comparable(right)
        return type(left) is type(right) and self.type == other.type


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedText:
    """A text with its tokens, sentences and values.

    Args:
        text: the part that was read.
        tokens: its tokens.
        stems: index of a content word -> its stem.
        topic: the stems as a set.
        mentions: values in the order of the text; no token is part of two.
        sentences: the token span of each sentence.
    """

    text: str
    tokens: tuple[Token, ...]
    stems: dict[int, str]
    topic: frozenset[str]
    mentions: tuple[Mention, ...]
    sentences: tuple[TokenSpan, ...]

    def char_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of a token span; for an empty span, the place where it stands."""
        if start < end:
            return self.tokens[start].start_char, self.tokens[end - 1].end_char
        if start < len(self.tokens):
            return self.tokens[start].start_char, self.tokens[start].start_char
        end_char = self.tokens[-1].end_char if self.tokens else 0
        return end_char, end_char

    def excerpt(self, start: int, end: int) -> str:
        start_char, end_char = self.char_span(start, end)
        return self.text[start_char:end_char]

    def sentence_at(self, index: int) -> TokenSpan:
        for start, end in self.sentences:
            if index < end:
                return start, end
        return len(self.tokens), len(self.tokens)

    def stems_in(self, start: int, end: int) -> set[str]:
        return {self.stems[index] for index in range(start, end) if index in self.stems}

    def subject_end(self, start: int, end: int) -> int:
        """Return the index after the subject of a sentence: the index of its main verb.

        The main verb is the first known verb outside a clause: "if you are a student, you pay",
        "students who live at home pay". Without a verb the subject is two fifths of the sentence.
        """
        tokens = self.tokens
        in_clause_opener = start < end and tokens[start].key in _CLAUSE_OPENERS
        clauses, verb, comma = int(in_clause_opener), 0, 0
        for index in range(start + 1, end):
            after_punctuation = tokens[index].start_char - tokens[index - 1].end_char > 1
            if (clauses or verb) and after_punctuation and not comma:
                comma, clauses = index, 0  # the clause ends with its comma
            if tokens[index].text not in _VERBS:  # capitalized words of a title are no verbs
                opens_clause = tokens[index].key in _RELATIVE_PRONOUNS
                clauses += opens_clause and tokens[index - 1].key not in _VERBS
            elif not clauses:
                return index
            elif not verb or index > verb + 1:
                verb = index
                clauses -= not in_clause_opener
        return comma or verb or start + int((end - start) / _SUBJECT_SHARE)

    def is_in_subject(self, span: TokenSpan) -> bool:
        """Whether tokens stand before the verb of their sentence."""
        return span[1] <= self.subject_end(*self.sentence_at(span[0]))

    def before(self, index: int, characters: int) -> str:
        """Return at most the last ``characters`` of a sentence before a token."""
        end = self.tokens[index].start_char
        start = self.tokens[self.sentence_at(index)[0]].start_char
        return self.text[max(start, end - characters) : end]


def annotate(text: str) -> AnnotatedText:
    """Annotate the first :data:`MAX_CHARACTERS` of a text; the result is cached."""
    return _annotate(text[:MAX_CHARACTERS])


@lru_cache(maxsize=_CACHED_TEXTS)
def _annotate(text: str) -> AnnotatedText:
    tokens = tokenize(text)
    mentions: list[Mention] = []
    free = [True] * len(tokens)
    negations = ((n, n + 1, "not") for n, token in enumerate(tokens) if token.key in _NEGATIONS)
    found: tuple[tuple[Type, Iterable[tuple[int, int, Value]]], ...] = (
        ("date", find_dates(text, tokens)),
        ("number", find_versions(tokens)),
        ("number", find_quantities(tokens)),
        ("entity", _find_entities(text, tokens)),
        ("polarity", negations),
    )
    for type_, values in found:
        for start, end, value in values:
            if all(free[start:end]):  # else it is a part of a value found before
                mentions.append(Mention(type_, (start, end), value))
                free[start:end] = [False] * (end - start)
    mentions.sort(key=lambda mention: mention.span)
    stems = {index: stem(token.key) for index, token in enumerate(tokens) if token.is_content}
    starts = [index for index, token in enumerate(tokens) if token.opens_sentence]
    sentences = tuple(zip(starts, [*starts[1:], len(tokens)], strict=False))
    topic = frozenset(stems.values())
    return AnnotatedText(text, tokens, stems, topic, tuple(mentions), sentences)


def _find_entities(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Find names, in order: first token, index after the last, and the name.

    Every sentence begins with a capital, so its first word is a name only if it is a code or part
    of a longer name.
    """
    index = 0
    while index < len(tokens):
        token, end = tokens[index], _name_end(text, tokens, index)
        if end > index + 1 or _is_code(token) or (end > index and not token.opens_sentence):
            yield index, end, " ".join(part.key.removesuffix("'s") for part in tokens[index:end])
        index = max(end, index + 1)


def _name_end(text: str, tokens: Sequence[Token], index: int) -> int:
    """Return the index after the name that begins at a token; the token's own if none does."""
    if not _is_capitalized(tokens[index]):
        return index + _is_code(tokens[index])
    end = index + 1
    while (
        end < len(tokens)
        and not tokens[end].opens_sentence
        and _is_capitalized(tokens[end])
        and _GAP.fullmatch(text, tokens[end - 1].end_char, tokens[end].start_char)
    ):
        end += 1
    return end


def _is_capitalized(token: Token) -> bool:
    return token.text[0].isupper() and token.key not in _NOT_NAMES | STOPWORDS


def _is_code(token: Token) -> bool:
    return _CODE.fullmatch(token.text) is not None and token.text[0].isalpha()
