"""Copies of a passage with words changed that nothing bears out: pure.

Whoever poisons a corpus copies a true passage and replaces the fact that people ask for. Vectors
hardly see one word in a hundred; the two texts side by side show it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from logic_retrievers.contradiction.copied_text import Edit, compare_words, own_words, runs_of
from logic_retrievers.contradiction.resolution_strategies import metadata_value
from logic_retrievers.dates import parse_date
from logic_retrievers.text import comparable, words_of
from logic_retrievers.types import SCORE_DECIMALS, Passage

MIN_SUPPORT, _MOST_SUPPORT = 0.2, 1.5
"""By how much an original is borne out better than its copy, at least, and at most."""
_SCOPE_WORD = re.compile(
    r"version|revision|edition|release|issue|year|quarter|season|term|period|region|country|state|"
    r"province|city|location|site|branch|area|product|model|device|variant|plan|tier|package|"
    r"platform|audience|role|group|department|company|brand|lang|language",
    re.IGNORECASE,
)
"""The last word of a key of the metadata that says what a passage is true of."""
_KEY_WORD_ENDS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


class EditedCopy(NamedTuple):
    """A passage, by position, that is a copy of another one with words changed.

    ``trusted`` is the passage that it contradicts: the original, or the trusted one that bears that
    out best. ``support``: by how much the original is borne out better. ``edits`` have words of
    both, ``reason`` of neither.
    """

    copy: int
    original: int
    trusted: int
    support: float
    edits: tuple[tuple[str, str], ...]
    reason: str


def find_edited_copies(
    passages: Sequence[Passage],
    trusted: Collection[int],
    ignored: Collection[int] = (),
    date_key: str = "date",
) -> list[EditedCopy]:
    """The passages that are copies of another one with words changed for worse ones, each once.

    Any words are worse than those of a trusted original. Else they are worse if they are borne out
    less than the original's by :data:`MIN_SUPPORT`, see :func:`support`: by the text that both have
    in common, and for half as much by the trusted passages, which may be about something else.
    Passages that nobody vouches for do not count: several false copies would bear each other out.
    A passage that is a copy of several is one of that which is borne out best.

    Args:
        passages: of which copies are looked for.
        trusted: positions of those that judge; without any there are no edited copies.
        ignored: positions of those that neither judge nor are judged.
        date_key: of the date in the metadata; see :func:`are_set_apart`.
    """
    words = {n: words_of(p.text) for n, p in enumerate(passages) if trusted and n not in ignored}
    runs = {n: runs_of(own) for n, own in words.items()}
    known = {n: frozenset(own) for n, own in words.items()}
    copies: dict[int, EditedCopy] = {}
    for one, other in combinations(words, 2):
        if {one, other} <= {*trusted} or runs[one].isdisjoint(runs[other]):
            continue
        if are_set_apart(passages[one], passages[other], date_key):
            continue
        edits, common = compare_words(words[one], words[other])
        turned = [(second, first) for first, second in edits]
        for copy, original, changes in ((one, other, edits), (other, one, turned)):
            if changes and copy not in trusted:
                found = _judge(passages, known, trusted, copy, original, changes, common)
                enough = found.support >= MIN_SUPPORT
                if enough and (copy not in copies or found.support > copies[copy].support):
                    copies[copy] = found
    return list(copies.values())


def _judge(
    passages: Sequence[Passage],
    known: Mapping[int, frozenset[str]],
    trusted: Collection[int],
    copy: int,
    original: int,
    edits: Sequence[Edit],
    common: frozenset[str],
) -> EditedCopy:
    """A passage as an edited copy, which it is if it has enough support."""
    judges = [original] if original in trusted else [n for n in known if n in trusted]
    vouched = frozenset[str]().union(*(known[n] for n in judges))
    support_by = {
        "what is trusted": support(edits, vouched) / 2,
        "the rest of its text": support(edits, common),
    }
    if original in trusted:
        support_by = {"what is trusted": _MOST_SUPPORT}
    against = " and ".join(witness for witness, share in support_by.items() if share > 0)
    ids = passages[copy].id, passages[original].id
    return EditedCopy(
        copy,
        original,
        max(judges, key=lambda n: support(edits, known[n])),
        round(sum(support_by.values()), SCORE_DECIMALS),
        tuple((" ".join(first), " ".join(second)) for first, second in edits),
        f"{ids[0]!r} is a copy of {ids[1]!r} with words changed against {against}",
    )


def support(edits: Sequence[Edit], words: Collection[str]) -> float:
    """By how much a text bears out the second side of edits better than the first, from -1 to 1.

    The mean, over the edits, of the share of the second side's own words that the text has, less
    the share of the first side's.
    """
    return fmean(
        len(second.intersection(words)) / len(second) - len(first.intersection(words)) / len(first)
        for first, second in map(own_words, edits)
    )


def are_set_apart(one: Passage, other: Passage, date_key: str = "date") -> bool:
    """Whether the metadata say that two passages are two versions, or about different things.

    By two dates, or by two values under a key such as ``version``, ``sales_region`` or
    ``fiscalYear``.
    """
    dates = [parse_date(metadata_value(p.metadata, date_key)) for p in (one, other)]
    if None not in dates and dates[0] != dates[1]:
        return True
    return any(
        _SCOPE_WORD.fullmatch(_KEY_WORD_ENDS.split(key)[-1]) is not None
        and comparable(str(one.metadata[key])) != comparable(str(other.metadata[key]))
        for key in one.metadata.keys() & other.metadata.keys()
    )
