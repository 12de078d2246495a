"""Where one text is a copy of another, and the words that were changed there: pure.

A copied stretch is a row of blocks of words in common with short edits between them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import pairwise
from typing import TypeAlias

MIN_COMMON_WORDS, MIN_COMMON_SHARE, MAX_EDIT_WORDS = 20, 0.8, 12
"""Of a stretch: words in common, their share of its words (pages made from one template have less),
and the most words of an edit."""
RUN = 5
"""Words in common in a row at both ends of a stretch; texts that share no such run have none."""
_MIN_BLOCK = 2
"""A single word in common is chance."""

Words: TypeAlias = Sequence[str]
Edit: TypeAlias = tuple[Words, Words]
"""What stands in one text, and what stands in the other in its place."""


def runs_of(words: Words) -> set[tuple[str, ...]]:
    """Each :data:`RUN` words in a row."""
    return {tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)}


def compare_words(one: Words, other: Words) -> tuple[list[Edit], frozenset[str]]:
    """The edits inside the copied stretches of two texts, and the words in common there.

    An edit has words of its own on both sides. There are none where words were put in or left out
    in more places than replaced: a page was revised, or two excerpts were taken of it.
    """
    places: list[Edit] = []
    common: set[str] = set()
    for stretch in _copied_stretches(one, other):
        common.update(*(one[block.a : block.a + block.size] for block in stretch))
        places += [_between(one, other, *blocks) for blocks in pairwise(stretch)]
    edits = [place for place in places if all(own_words(place))]
    return (edits if 2 * len(edits) >= len(places) else []), frozenset(common)


def own_words(edit: Edit) -> tuple[set[str], set[str]]:
    """The words that only one side of an edit has, in no other spelling either.

    Words of three letters or more, and those with a digit.
    """
    first, second = ({w for w in side if re.search(r"\w{3}|\d", w)} for side in edit)
    return (
        {word for word in first if not any(_is_spelling(word, other) for other in second)},
        {word for word in second if not any(_is_spelling(word, other) for other in first)},
    )


def _is_spelling(word: str, other: str) -> bool:
    """Whether two words are one but for a letter more, or the order: ``rumours``, ``centre``."""
    if re.search(r"\d", word + other):
        return word == other
    letters, others = Counter(word), Counter(other)
    return ((letters - others) + (others - letters)).total() <= 1


def _copied_stretches(one: Words, other: Words) -> list[list[Match]]:
    stretches: list[list[Match]] = [[]]
    for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        if block.size < _MIN_BLOCK:
            continue
        if stretches[-1]:
            edit = _between(one, other, stretches[-1][-1], block)
            if max(map(len, edit)) > MAX_EDIT_WORDS:
                stretches.append([])
        stretches[-1].append(block)
    return [part for stretch in stretches if (part := _copied_part(stretch))]


def _copied_part(stretch: Sequence[Match]) -> list[Match]:
    """From the first run to the last; empty where that is too little, or too different."""
    ends = [n for n, block in enumerate(stretch) if block.size >= RUN]
    part = list(stretch[ends[0] : ends[-1] + 1]) if ends else []
    common = sum(block.size for block in part)
    if common < MIN_COMMON_WORDS:
        return []
    first, last = part[0], part[-1]
    length = max(last.a - first.a, last.b - first.b) + last.size
    return part if common >= MIN_COMMON_SHARE * length else []


def _between(one: Words, other: Words, block: Match, later: Match) -> Edit:
    return one[block.a + block.size : later.a], other[block.b + block.size : later.b]
