"""Pairs of sub-documents on one topic, each with a term that the other does not mention."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

# The last word of a noun phrase: after a preposition or an article, before what cannot follow an
# adjective.
_NOUN = re.compile(
    r"(?<![\w-])(?i:of|in|with|by|for|the|an?|from|on|between|against)\s+([a-z]{4,})"
    r"(?=[.;)]|\s+(?:is|are|was|were|has|have|had|can|in|of|for|to|by|with|from|on|at)\b)"
)
_NOT_A_NOUN = re.compile(
    r".*(?:ly|ed|ing)|(?:that|this|these|those|which|each|both|most|more|many|some|such|other|same|"
    r"addition|contrast|order|terms|case|which|whom|them|their|part|total|view|fact|use|role)"
)
# "HMGB1", "IL-6", "mRNA"; neither a heading ("RESULTS") nor an adjective ("IL-6-induced")
_NAME = re.compile(
    r"(?<![\w-])(?=[\w-]*[A-Z][\w-]*[A-Z0-9])(?![A-Z]{5,}(?![\w-]))(?!non-)(?![\w-]*-[a-z]{3})"
    r"[A-Za-z][\w-]*\w"
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The shared topic of two sub-documents, and a term that only one of them mentions.

    Args:
        pieces: positions of the two.
        topic: a term in both.
        only: a term of the first alone, and one of the second alone; no other sub-document has
            them.
    """

    pieces: tuple[int, int]
    topic: str
    only: tuple[str, str]


def rare_terms(texts: Collection[str]) -> dict[str, int]:
    """Document frequency of terms that occur in at most 2 % of the texts (or in five).

    Every occurrence of the word counts, also where its context does not make it a term.
    """
    counts = Counter(word for text in texts for word in set(re.findall(r"[\w-]+", text)))
    most = max(5, len(texts) // 50)
    candidates = sorted({term for text in texts for term in extract_terms(text)})
    return {term: counts[term] for term in candidates if 0 < counts[term] <= most}


def extract_terms(text: str) -> list[str]:
    """Nouns and names of a text by spelling and context, in order, with repeats."""
    nouns = [m[1] for m in _NOUN.finditer(text) if not _NOT_A_NOUN.fullmatch(m[1])]
    return nouns + _NAME.findall(text)


def find_contrasts(pieces: Sequence[str], frequency: Mapping[str, int]) -> list[Contrast]:
    """At most one contrast per pair of sub-documents.

    The topic is the rarest term in both by ``frequency``; terms missing there are too common for a
    query. A sub-document's own term is the rarest one that it has more than once, else the rarest.
    A term counts as absent only where its letters occur nowhere, not even inside another word or
    without its plural "s", so that labels are certain.
    """
    exclusive_terms = [_exclusive_terms(i, pieces, frequency) for i in range(len(pieces))]
    contrasts = []
    for first, second in combinations(range(len(pieces)), 2):
        shared = sorted(
            (frequency[term], term)
            for term in {*extract_terms(pieces[first])}
            if term in frequency and _has_word(pieces[second], term)
        )
        if exclusive_terms[first] and exclusive_terms[second]:
            only = (exclusive_terms[first][0], exclusive_terms[second][0])
            topics = [
                term for _, term in shared if not any(_overlap(term, other) for other in only)
            ]
            if topics:
                contrasts.append(Contrast((first, second), topics[0], only))
    return contrasts


def _exclusive_terms(i: int, pieces: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """Terms that no other sub-document mentions, best first."""
    others = [piece for j, piece in enumerate(pieces) if j != i]
    counts = Counter(extract_terms(pieces[i]))
    exclusive = [
        term
        for term in counts
        if term in frequency and not any(_mentions(other, term) for other in others)
    ]
    return sorted(exclusive, key=lambda term: (-min(counts[term], 2), frequency[term], term))


def _has_word(text: str, term: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text) is not None


def _mentions(text: str, term: str) -> bool:
    return _stem(term) in text.lower()


def _overlap(first: str, second: str) -> bool:
    return _stem(first) in second.lower() or _stem(second) in first.lower()


def _stem(term: str) -> str:
    return term.lower().removesuffix("s")
