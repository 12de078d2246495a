"""Numbers in files whose values have no types: CSV and front matter."""

from __future__ import annotations

import re

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
"""``007``, ``+47`` and numbers that a float cannot hold are texts: their digits are what counts."""


def read_number(text: str) -> int | float | str:
    """The number that a text is, or the text."""
    if NUMBER.fullmatch(text) is None:
        return text
    return float(text) if "." in text else int(text)
