"""Whether a text can be judged at all: the shipped contradiction vector reads Latin script only."""

from __future__ import annotations

import unicodedata
from collections import Counter

NO_TEXT = "has no text to judge it by"
OTHER_SCRIPT = "is mostly in another script than the Latin one, so that it cannot be judged"


def unjudged(text: str) -> str:
    """Why a text cannot be judged; empty where it can."""
    if not text.strip():
        return NO_TEXT
    return OTHER_SCRIPT if outside_script(text) else ""


def outside_script(text: str) -> bool:
    """Whether most of a text's letters are of another script than the Latin one.

    The bundle that comes with the package was trained on English. A text in Chinese, Russian or
    Arabic falls apart into tokens that it has hardly seen, so that any two of them look alike: such
    a text gets no judgement instead of a wrong one. French or German passes, for the script alone
    does not tell them from English; for them the probability is a guess.

    Digits, signs and marks do not count, so a text without letters is not outside; nor do letters
    in the form of signs (fullwidth, mathematical) differ from the plain ones.

    Args:
        text: of any length.
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
