"""Passages that share a question's words: candidates where a set labels too few."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from logic_export.data.tiers.questions import Candidate, LabelledQuestion
from logic_retrievers.index.lexical import SATURATION, terms

LENGTH = 0.75
"""How much a long passage is discounted (BM25's b)."""
SHORT = 4
"""An answer of fewer letters says nothing of the passage that holds it."""

Near: TypeAlias = Callable[[str], Sequence[Candidate]]
"""Question -> passages, best first; any retriever can stand here."""


class WordIndex:
    """BM25 over a few thousand passages.

    Args:
        candidates: the passages; equal scores keep their order.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = tuple(dict.fromkeys(candidates))
        counts = [Counter(terms(one.passage)) for one in self._candidates]
        mean = sum(count.total() for count in counts) / max(1, len(counts)) or 1.0
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, count in enumerate(counts):
            damping = SATURATION * (1 - LENGTH + LENGTH * count.total() / mean)
            for word, times in count.items():
                found[word].append((place, times * (SATURATION + 1) / (times + damping)))
        self._weights = {
            word: [(place, weight * _rarity(len(row), len(counts))) for place, weight in row]
            for word, row in found.items()
        }

    def __call__(self, question: str) -> list[Candidate]:
        """All passages that share a word with the question, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(terms(question))):
            for place, weight in self._weights.get(word, ()):
                scores[place] += weight
        order = sorted(scores, key=lambda place: (-scores[place], place))
        return [self._candidates[place] for place in order]


def _rarity(holders: int, passages: int) -> float:
    return math.log1p((passages - holders + 0.5) / (holders + 0.5))


def near_wrong(question: LabelledQuestion, near: Near, count: int) -> list[Candidate]:
    """Passages of other questions that are near to this one and no answer to it, best first.

    Nobody labelled them, so what may be an answer is left out: passages ranked above the best of
    the right ones, those with a right one's title, and those that hold an answer word for word. If
    no right passage is found, nothing can be told of the others: none is taken.

    Args:
        question: with its labels.
        near: ranks passages, the right ones of this question among them.
        count: how many, at most.
    """
    ranked = list(near(question.text))
    right = {one.passage for one in question.right}
    best = next((n for n, one in enumerate(ranked) if one.passage in right), len(ranked))
    known = {one.passage for one in question.candidates}
    titles = {one.title.casefold() for one in question.right if one.title}
    said = [answer.casefold() for answer in question.answers if len(answer) >= SHORT]
    found: list[Candidate] = []
    for one in ranked[best:]:
        if len(found) == count:
            break
        text = one.passage.casefold()
        if one.passage in known or one.title.casefold() in titles:
            continue
        if not any(answer in text for answer in said):
            found.append(one)
    return found
