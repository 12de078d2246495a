"""Where the words of two texts differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import islice, zip_longest

from logic_retrievers.conflicts.cleaning.result import Difference
from logic_retrievers.text import INVISIBLE_CLASS, comparable

# maximum words compared of each text, because SequenceMatcher's time grows with their square
MAX_WORDS = 1500

_WORD = re.compile(
    r"(?<![\w.,])[-\u2212]?\d+(?:[.,:]\d+)*"  # -5, 1,200.50, 2.1.0, 17:00
    r"|\d+(?:[.,:]\d+)*"
    rf"|[^\W\d][\w{INVISIBLE_CLASS}]*(?:['\u2019]\w+)*"  # don't, X200
    r"(?:(?<=\d)(?:[.-]\w*\d)+|-\d\w*)?"  # XR-500, v3.2
    # signs, arrows, pictures
    r"|[+#%\u2030\u00b0$\u20ac\u00a3\u00a5<>\u00b1\u00bd\u00bc\u00be\u2190-\u2bff\U0001f300-\U0001faff]"
)


def have_same_words(left: str, right: str) -> bool:
    """Whether two texts differ at most in case, punctuation and white space; any length."""
    words = zip_longest(_WORD.finditer(left), _WORD.finditer(right))
    return all(a and b and comparable(a[0]) == comparable(b[0]) for a, b in words)


def find_differences(left: str, right: str) -> tuple[Difference, ...]:
    """Return the runs of words in which two texts differ, in text order."""
    texts = (left, right)
    words = [list(islice(_WORD.finditer(text), MAX_WORDS)) for text in texts]
    forms = [[comparable(word[0]) for word in row] for row in words]
    found = []
    for operation, *places in SequenceMatcher(None, forms[0], forms[1]).get_opcodes():
        if operation == "equal":
            continue
        bounds = (places[:2], places[2:])
        spans = [_characters(*row) for row in zip(words, bounds, texts, strict=True)]
        changed = [form for row, (a, b) in zip(forms, bounds, strict=True) for form in row[a:b]]
        is_number = all(any(map(str.isdecimal, form)) for form in changed)
        found.append(Difference("number" if is_number else "wording", spans[0], spans[1]))
    return tuple(found)


def _characters(words: list[re.Match[str]], bounds: list[int], text: str) -> tuple[int, int]:
    """Return the character span of the words between the bounds; the second is exclusive."""
    first, last = bounds
    if first < last:
        return words[first].start(), words[last - 1].end()
    place = words[first].start() if first < len(words) else len(text)
    return place, place
