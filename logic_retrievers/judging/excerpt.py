"""Excerpt of a long passage for a judge: the sentences nearest to the query."""

from __future__ import annotations

import re

from logic_retrievers.text import words_of

# about 110 tokens; longer passages are cut, in training too
MAX_WORDS = 80

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
# first characters of a word that count: "insures" matches "insurance"
_STEM = 5
# shorter words do not say what a sentence is about
_LEAST = 3
_COMMON = frozenset(
    {"the", "and", "not", "but", "for", "are", "was", "has", "had", "can", "you", "our", "its"}
)


def nearest_sentences(passage: str, query: str, max_words: int) -> str:
    """Return a short passage whole, and of a long one the sentences nearest to the query.

    Among equals the first sentence wins: it usually names the subject. Sentences stay whole and in
    their order; at least one is returned.
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
