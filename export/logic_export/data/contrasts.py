"""Two sub-documents on one topic, each with something that the other does not mention."""

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
_NO_NOUN = re.compile(
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
    """What two sub-documents share and what only one of them mentions.

    Args:
        pieces: their positions.
        topic: in both.
        only: in the first alone, in the second alone; no other sub-document has either.
    """

    pieces: tuple[int, int]
    topic: str
    only: tuple[str, str]


def rare_terms(texts: Collection[str]) -> dict[str, int]:
    """How many of the texts have each term, for terms in one of fifty at most (or in five texts).

    A word counts wherever it stands, also where its neighbours do not make it a term.
    """
    counts = Counter(word for text in texts for word in set(re.findall(r"[\w-]+", text)))
    most = max(5, len(texts) // 50)
    candidates = sorted({term for text in texts for term in terms(text)})
    return {term: counts[term] for term in candidates if 0 < counts[term] <= most}


def terms(text: str) -> list[str]:
    """Nouns and names of a text by their shape and neighbours, in order, repeats included."""
    nouns = [m[1] for m in _NOUN.finditer(text) if not _NO_NOUN.fullmatch(m[1])]
    return nouns + _NAME.findall(text)


def contrasts(pieces: Sequence[str], frequency: Mapping[str, int]) -> list[Contrast]:
    """One contrast for each two sub-documents that have one.

    The topic is the rarest term in both, by ``frequency``, which also says which terms count: one
    that it lacks is too common to be what a query is about. What only one of them has is the rarest
    term that it has more than once, or of all. A term counts as absent where its letters occur
    nowhere, not even inside another word and without its plural "s", so that the labels are sure.
    """
    own = [_own_terms(i, pieces, frequency) for i in range(len(pieces))]
    found = []
    for first, second in combinations(range(len(pieces)), 2):
        shared = sorted(
            (frequency[term], term)
            for term in {*terms(pieces[first])}
            if term in frequency and _has_word(pieces[second], term)
        )
        if own[first] and own[second]:
            only = (own[first][0], own[second][0])
            apart = [term for _, term in shared if not any(_overlap(term, other) for other in only)]
            if apart:
                found.append(Contrast((first, second), apart[0], only))
    return found


def _own_terms(i: int, pieces: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """Terms that no other sub-document mentions, the best first."""
    others = [piece for j, piece in enumerate(pieces) if j != i]
    counts = Counter(terms(pieces[i]))
    own = [
        term
        for term in counts
        if term in frequency and not any(_mentions(other, term) for other in others)
    ]
    return sorted(own, key=lambda term: (-min(counts[term], 2), frequency[term], term))


def _has_word(text: str, term: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text) is not None


def _mentions(text: str, term: str) -> bool:
    return _stem(term) in text.lower()


def _overlap(one: str, other: str) -> bool:
    return _stem(one) in other.lower() or _stem(other) in one.lower()


def _stem(term: str) -> str:
    return term.lower().removesuffix("s")
