"""Mask names, quotations, idioms and fixed pairs, which are one thing whatever their words.

A cue in "Doctors Without Borders" excludes nothing, and "salt and pepper" joins nothing.
"""

from __future__ import annotations

import re

from logic_retrievers.queries.patterns import pattern, word_set

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
_IDIOMS = pattern("idioms")
_FIXED_PAIRS = pattern("fixed_pairs")
_COMPANY_NAME = pattern("company_name", flags=0)

_TRANSPOSED = {
    word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word
    for word in sorted(word_set("transposed_cues"))
    for i in range(len(word) - 1)
    if word[i] != word[i + 1]
}
_TRANSPOSED_CUE = re.compile(rf"\b(?:{'|'.join(_TRANSPOSED)})\b", re.IGNORECASE)
_DOUBLE_NEGATION = pattern("double_negation")


def mask(text: str) -> str:
    """Fill names, quotations, idioms and double negations with ``_``; offsets stay.

    Punctuation is made plain, and a cue with two swapped letters is corrected.
    """
    masked = text.translate(PLAIN)
    masked = _QUOTED.sub(fill, masked)
    if not _is_title_case(masked):
        masked = _NAME_WITH_CUE.sub(fill, masked)
        masked = _OPENING_NAME.sub(fill, masked)
        masked = _TITLE.sub(fill, masked)
    masked = _TRANSPOSED_CUE.sub(lambda match: _TRANSPOSED[match[0].lower()], masked)
    return _DOUBLE_NEGATION.sub(fill, _IDIOMS.sub(fill, masked))


def mask_fixed_pairs(masked: str) -> str:
    """Fill pairs that are one thing ("salt and pepper") with ``_``; offsets stay."""
    return _COMPANY_NAME.sub(fill, _FIXED_PAIRS.sub(fill, masked))


def fill(match: re.Match[str]) -> str:
    """Return as many fill characters as the match has characters."""
    return FILL * len(match.group())


def _is_title_case(text: str) -> bool:
    """Whether most words are capitalised, so that a capital means nothing."""
    words = _WORD.findall(text)
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.85 * len(words)
