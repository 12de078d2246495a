"""Near-copies: which of two texts was edited, told by a trusted third."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

RUN = 5
"""Words in a row that two texts have in common by copying alone."""

LEAST = 0.2
"""Share of common runs from which on a text is a near-copy."""

LONGEST = 12
"""Words of an edit."""


def edited(text: str, trusted: str, others: Sequence[str]) -> float:
    """How much speaks for the text being an edited copy.

    Of a trusted text: 1 and the share of common runs. Of another one: that share, as far as the
    trusted text has the words of the other where the two differ, and not the text's own.

    Args:
        text: judged.
        trusted: taken as true.
        others: what is in the context besides; the text itself may be among them.
    """
    found, known = 0.0, set(_words(trusted))
    for other in (trusted, *(one for one in others if one != text)):
        share = copied(text, other)
        own, theirs = _differing(text, other)
        if share < LEAST or not own or not theirs:
            continue
        if other == trusted:
            return 1 + share
        support = len(theirs & known) / len(theirs) - len(own & known) / len(own)
        found = max(found, share * min(1.0, 2 * support))
    return found


def copied(one: str, other: str) -> float:
    """Share of runs of words that two texts have in common; 0 for copies, which agree."""
    left, right = _runs(one), _runs(other)
    return 0.0 if left == right else len(left & right) / max(1, min(len(left), len(right)))


def _differing(one: str, other: str) -> tuple[set[str], set[str]]:
    """The words of short edits that one of two texts has alone."""
    left, right = _words(one), _words(other)
    own, theirs = set[str](), set[str]()
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "replace" and max(b - a, d - c) < LONGEST:
            own.update(left[a:b])
            theirs.update(right[c:d])
    return own - set(right), theirs - set(left)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)}
