"""Splits texts into sentences and turns sentences into claims."""

from __future__ import annotations

import re
from collections.abc import Collection

from logic_export.data.negation.rules import clause_start, tokenize

_STOP = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"(\[])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|al|[Ff]igs?|Drs?|Mrs?|Ms|Prof|approx|ca|No|Eq|St|resp|spp?|[A-Z]))\.$"
)


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, white space normalised."""
    sentences: list[str] = []
    for piece in _STOP.split(" ".join(text.split())):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] += f" {piece}"
        elif piece:
            sentences.append(piece)
    return sentences


def sentence_window(text: str, numbers: Collection[int]) -> str:
    """Return the numbered sentences (from 0) with a neighbour on each side, in order."""
    sentences = split_sentences(text)
    window = sorted({number + step for number in numbers for step in (-1, 0, 1)})
    return " ".join(sentences[number] for number in window if 0 <= number < len(sentences))


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
_CLAIM_WORDS = range(5, 31)


def to_claim(sentence: str) -> str | None:
    """Turn a sentence into a claim to follow "evidence that"; None if it cannot stand alone.

    A heading, a connective ("However, ") and a report ("We found that ") are removed. Sentences
    that refer back ("This ...") or have fewer than 5 or more than 30 words give None.
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
    return text
