"""Normalization of answers before they are compared."""

from __future__ import annotations

import re
from typing import TypeAlias

from logic_retrievers.text import comparable

Tokens: TypeAlias = tuple[str, ...]

_ARTICLES = frozenset({"a", "an", "the"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INSIDE = re.compile(r"['\u2019\u02bc`]|\.(?!\d)")  # of "O'Neil" and "U.S."; 3.5 keeps its point
_TOKEN = re.compile(r"(?:[^\W_]|(?<=\d)\.(?=\d))+")


def answer_tokens(text: str) -> Tokens:
    """Words and numbers without case, accents, punctuation and articles.

    Normalized as in SQuAD's script (Rajpurkar et al. 2016), except that a mark between two words
    separates them, ``1,000`` is ``1000``, and letters lose their accents. A text of articles alone
    keeps them, and a text of signs alone keeps those: no text with content becomes empty.
    """
    plain = comparable(text)
    words = _TOKEN.findall(_INSIDE.sub("", _THOUSANDS.sub("", plain)))
    signs = "".join(plain.split()) or "".join(text.split())  # an accent alone is a sign too
    return tuple(word for word in words if word not in _ARTICLES) or tuple(
        words or filter(None, [signs])
    )


def find_spans(part: Tokens, whole: Tokens) -> list[range]:
    """The positions of a sequence of tokens inside another one."""
    length = len(part)
    if not length:
        return []
    starts = range(len(whole) - length + 1)
    return [range(at, at + length) for at in starts if whole[at : at + length] == part]
