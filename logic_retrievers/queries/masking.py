"""Mask names, quotations and fixed pairs, because each is one thing: "salt and pepper".

Words inside must not be read as operators or cues.
"""

from __future__ import annotations

import re

from logic_retrievers.queries.patterns import pattern

FILL = "_"

# Typographic punctuation -> plain punctuation.
PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2014": ";",
    }
)

_QUOTED = re.compile(r'"[^"\n]{1,200}"|(?<!\w)\'[^\'\n]{2,80}\'(?!\w)')
_NAME_WITH_CUE = pattern("name_with_cue", flags=0)
_TITLE = pattern("title", flags=0)
_OPENING_NAME = pattern("opening_name", flags=0)
_WORD = re.compile(r"\b\w{3,}")
_FIXED_PAIRS = pattern("fixed_pairs")
_COMPANY_NAME = pattern("company_name", flags=0)


def mask(text: str) -> str:
    """Fill names, quotations and fixed pairs with ``_``; make punctuation plain; keep offsets."""
    masked = _QUOTED.sub(fill, text.translate(PLAIN))
    if not _is_title_case(masked):
        masked = _NAME_WITH_CUE.sub(fill, masked)
        masked = _OPENING_NAME.sub(fill, masked)
        masked = _TITLE.sub(fill, masked)
    return _COMPANY_NAME.sub(fill, _FIXED_PAIRS.sub(fill, masked))


def fill(match: re.Match[str]) -> str:
    """Return as many fill characters as the match has characters."""
    return FILL * len(match.group())


def _is_title_case(text: str) -> bool:
    """Return whether most words are capitalised, so that capitals do not mark names."""
    words = _WORD.findall(text)
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.85 * len(words)
