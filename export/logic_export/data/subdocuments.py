"""Documents cut into sub-documents of a few sentences, and sentences made into claims."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from logic_export.data.negation.clauses import clause_start, words_of
from logic_retrievers.evaluation.sentences import sentences

SENTENCES = 3
"""Sentences of a sub-document; the last one may have four."""

MOST = 4
"""Sub-documents that are taken of one document."""

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


def cut(text: str) -> list[list[str]]:
    """The first :data:`MOST` sub-documents of a text, each a list of :data:`SENTENCES` sentences.

    A sentence that is left over alone joins the sub-document before it.
    """
    every = sentences(text)
    groups = [every[i : i + SENTENCES] for i in range(0, len(every), SENTENCES)]
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups[:MOST]


def lower_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that the texts have in lower case: no names, so that a claim may begin with them so."""
    return frozenset(word for text in texts for word in re.findall(r"(?<![\w-])[a-z]+\b", text))


def claim(sentence: str, lower: Collection[str] = ()) -> str | None:
    """What a sentence says, to go after "evidence that"; None where it cannot stand alone.

    A heading, a connective ("However, ") and a report ("We found that ") are left out. A sentence
    that points back ("This ...", "They ...") says nothing by itself, and one of fewer than 5 or
    more than 30 words makes no query.

    Args:
        sentence: one sentence.
        lower: words that lose their capital at the beginning, see :func:`lower_words`.
    """
    text = sentence.strip().rstrip(".!")
    if heading := _HEADING.match(text):
        text = text[heading.end() :]
    if connective := _CONNECTIVE.match(text):
        text = text[connective.end() :]
    words = words_of(text)
    start = clause_start(words)
    if start and words[start - 1].text == "that" and start < len(words):
        text = text[words[start].start :]
    if _POINTS_BACK.match(text) or len(text.split()) not in _CLAIM_WORDS or "?" in text:
        return None
    first = _FIRST.match(text)
    return text[:1].lower() + text[1:] if first and first[0].lower() in lower else text
