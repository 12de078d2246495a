"""Where the assertion of a sentence begins, and what forbids negating it there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from logic_export.data.negation.lexicon import CLAUSES, OPENERS, PARTIAL, REPORTING

_TOKEN = re.compile(r"[^\W_][\w'’]*(?:[-.,/][^\W_][\w'’]*)*|[^\w\s]")  # noqa: RUF001
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

_NUMBER = re.compile(
    r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundreds|thousands"
)
_CONTRACTED = re.compile(
    r".*['’](?:m|re|ve|ll|d)|(?:it|he|she|that|there|here|what|who|let)['’]s"  # noqa: RUF001
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or punctuation mark of a sentence: in lower case, as spelt, and its position."""

    text: str
    spelt: str
    start: int
    end: int


def tokenize(sentence: str) -> list[Word]:
    """The words and punctuation marks of a sentence; text in brackets is left out."""
    masked = sentence
    while (unmasked := _BRACKETS.sub(lambda part: " " * len(part[0]), masked)) != masked:
        masked = unmasked
    return [Word(m[0].lower().replace("’", "'"), m[0], *m.span()) for m in _TOKEN.finditer(masked)]  # noqa: RUF001


def clause_start(words: Sequence[Word]) -> int | None:
    """Index where the asserting clause begins.

    That is after a heading ("RESULTS: "), after "we found that", and after the comma that ends a
    leading clause ("When it rains, "). None where such a clause does not end among the words.
    """
    texts = [word.text for word in words]
    start = texts.index(":") + 1 if ":" in texts[1:4] else 0
    for i in range(start, len(texts) - 1):
        if texts[i] in CLAUSES and i > start:
            break
        after = i + 2 if texts[i + 1] == "here" else i + 1
        if texts[i] in REPORTING and texts[after : after + 1] == ["that"]:
            start = after + 1
            break
    if texts[start : start + 1] and texts[start] in OPENERS:
        return texts.index(",", start) + 1 if "," in texts[start:] else None
    return start


def is_assertion(words: Sequence[Word], start: int, verb: int) -> bool:
    """Whether a verb asserts the clause's statement, judged by the words before it.

    False where another clause begins in between, or where the subject is only a part of something
    ("some", "30 %", "two patients"): the sentence and its negation could both be true.
    """
    for i in range(start, verb):
        text = words[i].text
        if text in PARTIAL or _CONTRACTED.fullmatch(text):
            return False
        if text in CLAUSES and not (text == "that" and i == start):
            return False
        leads = i == start or words[i - 1].text == ","
        if leads and _NUMBER.fullmatch(text):
            return False
    return verb > start and words[verb - 1].text != "to"
