"""The part of a long passage that a judge reads: its sentences nearest to the query."""

from __future__ import annotations

import re

from logic_retrievers.text import words_of

MAX_WORDS = 80
"""What a judge reads of a passage: about 110 tokens. Longer passages are cut, in training too."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_STEM = 5
"""Characters of a word that count: "insures" and "insurance" are near."""
_LEAST = 3
"""Shorter words say nothing of what a sentence is about."""
_COMMON = frozenset(
    {"the", "and", "not", "but", "for", "are", "was", "has", "had", "can", "you", "our", "its"}
)


def nearest_sentences(passage: str, query: str, max_words: int) -> str:
    """The whole passage if it is short, else its sentences that share most with the query.

    The first sentence names the subject as a rule, so it wins among equals. Sentences stay in
    their order and whole; at least one is returned.
    """
    if len(passage.split()) <= max_words:
        return passage
    sentences = [text for text in _SENTENCE_END.split(passage) if text.strip()]
    wanted = _stems(query)
    shared = [len(wanted & _stems(sentence)) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda number: (-shared[number], number))
    chosen, words = order[:1], len(sentences[order[0]].split())
    for number in order[1:]:
        words += len(sentences[number].split())
        if words > max_words:
            break
        chosen.append(number)
    return " ".join(sentences[number].strip() for number in sorted(chosen))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in words_of(text) if len(word) >= _LEAST} - _COMMON
