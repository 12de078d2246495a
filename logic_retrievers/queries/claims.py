"""Claims: statements to be checked, for which evidence on both sides is wanted."""

from __future__ import annotations

import re

_SECOND_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
_SPEAKER = re.compile(r"\b(?:i|me|my|mine|we|us|our|you|your)\b", re.IGNORECASE)
"""Somebody who asks; a claim has neither speaker nor listener."""


def is_claim(text: str) -> bool:
    """Whether a text is one written statement about the world, and no wish, question or complaint.

    It begins with a capital or a number, ends with a full stop, and nobody speaks of himself in it.
    A passage that refutes it is as good an answer as one that supports it.
    """
    stripped = text.strip()
    return (
        stripped.endswith(".")
        and (stripped[:1].isupper() or stripped[:1].isdigit())
        and not _SECOND_SENTENCE.search(stripped)
        and not _SPEAKER.search(stripped)
    )
