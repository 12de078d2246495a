"""Whether a text can be judged: the shipped contradiction vector reads the Latin script only."""

from __future__ import annotations

import unicodedata
from collections import Counter

from logic_retrievers.text import is_blank


def unjudgeable_reason(text: str) -> str:
    """Why a text cannot be judged; empty where it can."""
    if is_blank(text):
        return "has no text to judge it by"
    if is_outside_latin(text):
        return "is mostly in another script than the Latin one, so that it cannot be judged"
    return ""


def is_outside_latin(text: str) -> bool:
    """Whether most letters of a text are of another script than the Latin one.

    The bundle that comes with the package was trained on English. A text in Chinese, Russian or
    Arabic falls apart into tokens that the model has hardly seen, so any two of them look alike:
    such a text gets no judgement instead of a wrong one. French and German pass, since the script
    alone does not tell them from English; for them the probability is a guess.

    Digits, signs and marks do not count, so a text without letters is not outside. Letters in the
    form of signs (fullwidth, mathematical) count as the plain ones.
    """
    if text.isascii():
        return False
    counts = Counter(unicodedata.normalize("NFKC", text))
    letters = latin = 0
    for character, count in counts.items():
        if character.isalpha():
            letters += count
            latin += count * ("LATIN" in unicodedata.name(character, ""))
    return 2 * latin < letters
