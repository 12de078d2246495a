"""Characters that cannot be seen, or that turn a line around, written out by their numbers."""

from __future__ import annotations

import json
import re

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and the ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions of writing
    "\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, or no glyph
    "\ud800-\udfff\ufffe\uffff"  # no characters: half a pair cannot even be stored as UTF-8
    "\U000e0000-\U000e007f"  # tags: a whole message for a model that no reader sees
    "]"
)
"""The two joiners stay: many scripts, and emoji, are written with them."""


def visible(text: str) -> str:
    """The text for a reader's eye: hidden characters as ⟦U+202E⟧, and ends of lines alike."""
    return HIDDEN.sub(_named, text.replace("\r\n", "\n").replace("\r", "\n"))


def escaped(line: str) -> str:
    """A line of JSON with hidden characters escaped: the same values, and safe on a terminal."""
    return HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], line)


def _named(found: re.Match[str]) -> str:
    return f"⟦U+{ord(found[0]):04X}⟧"
