"""The words of a text."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")


def terms(text: str) -> list[str]:
    """The case-folded words of a text; no stemming and no stop words."""
    return _WORD.findall(text.casefold())
