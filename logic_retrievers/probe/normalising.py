"""Texts brought into the form in which answers are compared."""

from __future__ import annotations

import re
import unicodedata
from typing import TypeAlias

Tokens: TypeAlias = tuple[str, ...]

_ARTICLES = frozenset({"a", "an", "the"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INSIDE = re.compile(r"['\u2019\u02bc`]|\.(?!\d)")  # of "O'Neil" and "U.S."; 3.5 keeps its point
_TOKEN = re.compile(r"(?:[^\W_]|(?<=\d)\.(?=\d))+")


def tokens(text: str) -> Tokens:
    """Words and numbers, compared without regard to case, accents, punctuation and articles.

    As SQuAD's script (Rajpurkar et al. 2016) normalises, but that a mark between two words parts
    them, ``1,000`` is ``1000``, and letters lose their accents. A text of articles alone keeps
    them, and so does one of signs alone: what says something is not empty.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    plain = unicodedata.normalize("NFC", plain)
    found = _TOKEN.findall(_INSIDE.sub("", _THOUSANDS.sub("", plain)))
    bare = "".join(plain.split()) or "".join(folded.split())  # an accent alone is a sign too
    return tuple(word for word in found if word not in _ARTICLES) or tuple(
        found or filter(None, [bare])
    )


def places(part: Tokens, whole: Tokens) -> list[range]:
    """Where one row of tokens stands inside another."""
    length = len(part)
    if not length:
        return []
    starts = range(len(whole) - length + 1)
    return [range(at, at + length) for at in starts if whole[at : at + length] == part]
