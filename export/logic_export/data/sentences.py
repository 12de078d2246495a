"""Texts split into sentences and sub-documents, and sentences turned into claims."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from logic_export.data.negation.clauses import clause_start, tokenize

_STOP = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"(\[])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|al|[Ff]igs?|Drs?|Mrs?|Ms|Prof|approx|ca|No|Eq|St|resp|spp?|[A-Z]))\.$"
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, white space normalised."""
    sentences: list[str] = []
    for piece in _STOP.split(" ".join(text.split())):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] += f" {piece}"
        elif piece:
            sentences.append(piece)
    return sentences


def sentence_window(text: str, numbers: Collection[int], beside: int = 1) -> str:
    """The numbered sentences (from 0) with ``beside`` neighbours on each side, in order."""
    sentences = split_sentences(text)
    window = sorted({number + step for number in numbers for step in range(-beside, beside + 1)})
    return " ".join(sentences[number] for number in window if 0 <= number < len(sentences))


SENTENCES_PER_SUBDOCUMENT = 3
"""Sentences of a sub-document; the last one may have one more."""

MAX_SUBDOCUMENTS = 4
"""Sub-documents taken from one document."""

_HEADING = re.compile(r"(?:(?:AIMS?|[A-Z]{5,})(?: (?:(?:AND|OF) )?[A-Z]{4,})*:? )(?=[A-Z0-9])")
_CONNECTIVE = re.compile(
    r"(?:however|moreover|furthermore|in addition|additionally|in contrast|in conclusion|thus|"
    r"therefore|finally|taken together|together|consequently|interestingly|importantly|notably|"
    r"surprisingly|here|nevertheless|overall|indeed|conversely|similarly|in summary|recently|"
    r"currently|previously), ",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"(?:it|its|this|these|those|that|they|their|he|his|she|her|such|we|our|i|my|here|both|and|"
    r"but|also|the (?:latter|former)|one|another)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[A-Z][a-z]*(?=[ -])")
_CLAIM_WORDS = range(5, 31)


def split_subdocuments(text: str) -> list[list[str]]:
    """The first :data:`MAX_SUBDOCUMENTS` sub-documents of a text, each a list of
    :data:`SENTENCES_PER_SUBDOCUMENT` sentences.

    A single left-over sentence joins the previous sub-document.
    """
    sentences_of_text = split_sentences(text)
    groups = [
        sentences_of_text[i : i + SENTENCES_PER_SUBDOCUMENT]
        for i in range(0, len(sentences_of_text), SENTENCES_PER_SUBDOCUMENT)
    ]
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups[:MAX_SUBDOCUMENTS]


def lowercase_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that occur in lower case: they are no names, so a claim may begin with them in lower
    case.
    """
    return frozenset(word for text in texts for word in re.findall(r"(?<![\w-])[a-z]+\b", text))


def to_claim(sentence: str, lower: Collection[str] = ()) -> str | None:
    """The sentence as a claim, to follow "evidence that"; None where it cannot stand alone.

    A heading, a connective ("However, ") and a report ("We found that ") are removed. Sentences
    that refer back ("This ...", "They ...") and those of fewer than 5 or more than 30 words give
    none.

    Args:
        sentence: one sentence.
        lower: words written in lower case at the beginning, see :func:`lowercase_words`.
    """
    text = sentence.strip().rstrip(".!")
    if heading := _HEADING.match(text):
        text = text[heading.end() :]
    if connective := _CONNECTIVE.match(text):
        text = text[connective.end() :]
    words = tokenize(text)
    start = clause_start(words)
    if start and words[start - 1].text == "that" and start < len(words):
        text = text[words[start].start :]
    if _POINTS_BACK.match(text) or len(text.split()) not in _CLAIM_WORDS or "?" in text:
        return None
    first = _FIRST.match(text)
    return text[:1].lower() + text[1:] if first and first[0].lower() in lower else text
