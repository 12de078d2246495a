"""What is left of a query without its exclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTEXT = 160
_CONJUNCTION = re.compile(r"^(?:but|and)\s+", re.IGNORECASE)
_SEAM_LEFT = re.compile(
    r"(?:[\s,;:(\[-]+|(?<![\w-])(?:and|but(?:\sone)?|while|though|yet|only|just|with|please|"
    r"(?<=\S\s)that|(?<=\S\s)which|(?:you\s)?(?:can|may)|ideally|preferably|definitely|"
    r"specifically|kindly|quite|having|it's|it\sshould(?:\shave)?|i\s(?:have|need|want)\sto|"
    r"if\s(?:we|you|i)|we|i))$",
    re.IGNORECASE,
)
_SEAM_RIGHT = re.compile(
    r"[\s,;:)\].!-]*(?:(?:please|pls|thanks|thank\syou|thx|either|though)\b[\s,;:)\].!]*)*",
    re.IGNORECASE,
)

_STOP = re.compile(r"\s*([.!])\s+(?=[A-Z])")
"""The end of a sentence behind which another one follows."""


def rest(text: str, exclusions: Sequence[tuple[int, int]]) -> str:
    """The text without its exclusions, the seams closed.

    Args:
        text: the query.
        exclusions: spans, at least one, from left to right.
    """
    left, at = text[: exclusions[0][0]], exclusions[0][1]
    for start, end in (*exclusions[1:], (len(text), len(text))):
        left = _joined(left, text[at:start])
        at = end
    return left.strip()


def _without_seam(left: str) -> str:
    """The text without the commas and small words at its end that led to an exclusion."""
    while (cut := _SEAM_LEFT.search(left, max(0, len(left) - _CONTEXT))) is not None:
        left = left[: cut.start()]
    return left


def _joined(left: str, right: str) -> str:
    """Both sides of an exclusion, without the commas and conjunctions that led to it."""
    left = _without_seam(left)
    bare = right[_SEAM_RIGHT.match(right).end() :]  # type: ignore[union-attr]
    if not left:
        bare = _CONJUNCTION.sub("", bare)
    if bare.strip(" ?"):
        stop = _STOP.match(right)
        left += stop[1] if stop and left[-1:].isalnum() else ""
        return f"{left} {bare}" if left else bare
    sign = right.strip()[-1:]  # nothing follows but the end of the sentence
    return left + sign if sign in (".", "!", "?") and left[-1:] not in (".", "!", "?") else left
