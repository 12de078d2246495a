"""Near-copies: detects the edited one of two texts with the help of a trusted third."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

RUN = 5
"""Length of runs of words that only copies have in common."""

LEAST = 0.2
"""Least share of common runs."""

LONGEST = 12
"""Maximum words of an edit."""


def edit_score(text: str, trusted: str, others: Sequence[str]) -> float:
    """Score of a text for being an edited copy.

    For a copy of the trusted text: 1 plus the share of common runs. For a copy of another text:
    that share, weighted by how often the trusted text has the words of the other where the two
    differ.

    Args:
        text: of which the score is.
        trusted: assumed to be correct.
        others: other texts of the context; may include the text itself.
    """
    score, known = 0.0, set(_words(trusted))
    for other in (trusted, *(text_ for text_ in others if text_ != text)):
        share = copied_share(text, other)
        own, other_words = _differing_words(text, other)
        if share < LEAST or not own or not other_words:
            continue
        if other == trusted:
            return 1 + share
        support = len(other_words & known) / len(other_words) - len(own & known) / len(own)
        score = max(score, share * min(1.0, 2 * support))
    return score


def copied_share(text: str, other: str) -> float:
    """Share of common runs of words of two texts; 0 for identical texts."""
    left, right = _runs(text), _runs(other)
    return 0.0 if left == right else len(left & right) / max(1, min(len(left), len(right)))


def _differing_words(text: str, other: str) -> tuple[set[str], set[str]]:
    """Words of short edits that only one of two texts has."""
    left, right = _words(text), _words(other)
    own, other_words = set[str](), set[str]()
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "replace" and max(b - a, d - c) < LONGEST:
            own.update(left[a:b])
            other_words.update(right[c:d])
    return own - set(right), other_words - set(left)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)}
