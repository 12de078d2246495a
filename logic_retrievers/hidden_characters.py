"""Hidden characters, on terminals and in reports: shown to people, escaped in JSON."""

from __future__ import annotations

import json
import re

# Characters that cannot be seen or that reverse a line. The two joiners are not among them: many
# scripts, and emoji, are written with them.
HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, except tab and line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions of writing
    "\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, or no glyph
    "\ud800-\udfff\ufffe\uffff"  # no characters: half a pair cannot even be stored as UTF-8
    "\U000e0000-\U000e007f"  # tags: can hold a message for a model that no reader sees
    "]"
)


def show_hidden(text: str) -> str:
    """The text with hidden characters as ⟦U+202E⟧, and all line ends as a line feed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def escape_hidden(line: str) -> str:
    """A line of JSON with hidden characters escaped: the same values, and safe on a terminal."""
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], line)
