"""Texts cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Collection

_STOP = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"(\[])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|al|[Ff]igs?|Drs?|Mrs?|Ms|Prof|approx|ca|No|Eq|St|resp|spp?|[A-Z]))\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, white space evened out."""
    found: list[str] = []
    for piece in _STOP.split(" ".join(text.split())):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {piece}"
        elif piece:
            found.append(piece)
    return found


def around(text: str, numbers: Collection[int], beside: int = 1) -> str:
    """The sentences of those numbers, from 0, with so many before and after each, in order."""
    said = sentences(text)
    kept = sorted({n + step for n in numbers for step in range(-beside, beside + 1)})
    return " ".join(said[n] for n in kept if 0 <= n < len(said))
