"""What is left of a query without its exclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.queries.patterns import pattern

_CONTEXT = 160
_CONJUNCTION = pattern("conjunction")
_LEADING_WORDS = pattern("leading_words")
_TRAILING_WORDS = pattern("trailing_words")

_STOP = re.compile(r"\s*([.!])\s+(?=[A-Z])")
"""The end of a sentence behind which another one follows."""


def remainder(text: str, exclusions: Sequence[tuple[int, int]]) -> str:
    """The text without its exclusions (spans in order) and the commas and small words around."""
    left, at = text[: exclusions[0][0]], exclusions[0][1]
    for start, end in (*exclusions[1:], (len(text), len(text))):
        left = _join(left, text[at:start])
        at = end
    return left.strip()


def _join(left: str, right: str) -> str:
    """Both sides of an exclusion, without the commas and conjunctions around it."""
    while (match := _LEADING_WORDS.search(left, max(0, len(left) - _CONTEXT))) is not None:
        left = left[: match.start()]
    following = right[_TRAILING_WORDS.match(right).end() :]  # type: ignore[union-attr]
    if not left:
        following = _CONJUNCTION.sub("", following)
    if following.strip(" ?"):
        stop = _STOP.match(right)
        left += stop[1] if stop and left[-1:].isalnum() else ""
        return f"{left} {following}" if left else following
    stop_mark = right.strip()[-1:]  # nothing follows but the end of the sentence
    needs_mark = stop_mark in (".", "!", "?") and left[-1:] not in (".", "!", "?")
    return left + stop_mark if needs_mark else left
