"""Names and codes: ``Paris``, ``Baltic Sea``, ``X200``, ``CsvReader``, ``close_all``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logic_retrievers.cleaning.differences.words import STOP, Word, vocabulary

_LINKS = vocabulary("of de la le du von van der den di da y")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
_GAP = re.compile(r"[ \u00a0-]{0,2}|'s |\u2019s |\. ")
_HEADING = 6
_TITLED = 0.6
"""Words of a text, and share of its capitals, from which on it is a heading and names nothing."""
_NO_NAMES = vocabulary(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
    thursdays fridays saturdays sundays january february march april may
    june july august september october november december i warning note returns status mr mrs ms
    dr prof inc ltd gmbh
    """
)


def entities(text: str, words: Sequence[Word]) -> Iterator[tuple[int, int, str]]:
    """First word, one past the last, and the name, in their order.

    The first word of a sentence is one only as part of a longer name or as a code, or where it
    stands with its capital elsewhere in the text too: every sentence begins with a capital.
    """
    inside = {word.key for word in words if word.text[0].isupper() and not word.opens}
    shouted = sum(word.text.isupper() for word in words) > len(words) / 2
    titled = sum(word.text[0].isupper() for word in words) > _TITLED * len(words)
    place = 0
    while place < len(words):
        last = _name(text, words, place)
        if last is None:
            place += 1
            continue
        only = words[place]
        alone = last == place + 1
        opens = alone and only.opens and only.key not in inside and not _is_code(only)
        if not opens and not (shouted or (titled and len(words) > _HEADING)):
            first = place + (only.opens and only.key in STOP and not alone)
            yield first, last, " ".join(word.key.removesuffix("'s") for word in words[first:last])
        place = last


def _name(text: str, words: Sequence[Word], place: int) -> int | None:
    """One past the last word of a name that begins here."""
    if not _capital(words[place]):
        return place + 1 if _is_code(words[place]) else None
    last = place + 1
    while last < len(words) and not words[last].opens:
        near = _GAP.fullmatch(text, words[last - 1].end, words[last].start) is not None
        if not near:
            break
        if _capital(words[last]):
            last += 1
        elif (
            words[last].key in _LINKS
            and not (words[last - 1].opens)
            and last + 1 < len(words)
            and _capital(words[last + 1])
            and not words[last + 1].opens
        ):
            last += 2
        else:
            break
    return last


def _capital(word: Word) -> bool:
    if not word.text[0].isupper() or word.key in _NO_NAMES:
        return False
    return word.key not in STOP or (word.opens and len(word.key) > 1)


def _is_code(word: Word) -> bool:
    return _CODE.fullmatch(word.text) is not None and word.text[0].isalpha()
