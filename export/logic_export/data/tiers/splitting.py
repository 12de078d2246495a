"""Which part a question belongs to: no passage of its own is in two parts."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate

from logic_export.data.tiers.questions import LabelledQuestion
from logic_retrievers.errors import ConfigurationError

SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.1, "test": 0.2}


def split_questions(
    questions: Sequence[LabelledQuestion], shares: Mapping[str, float] = SHARES
) -> dict[str, list[LabelledQuestion]]:
    """Part -> its questions, in their order.

    Questions that share a candidate, or are the same question, go together. A hash of the group's
    first id decides, and no seed does: a run with another seed must not train on the test. Give
    sets that share passages in one call.

    Args:
        questions: of one set or several.
        shares: part -> its share, 0 for an empty part; they add up to 1.

    Raises:
        ConfigurationError: shares that do not.
    """
    if min(shares.values(), default=0.0) < 0 or abs(sum(shares.values()) - 1) > 1e-9:
        raise ConfigurationError(f"shares are 0 or more and add up to 1, not {dict(shares)}")
    names, bounds = list(shares), list(accumulate(shares.values()))
    last = max(place for place, name in enumerate(names) if shares[name] > 0)
    parts: dict[str, list[LabelledQuestion]] = {name: [] for name in names}
    for question, group in zip(questions, _groups(questions), strict=True):
        digest = hashlib.sha256(group.encode()).digest()
        place = int.from_bytes(digest[:8], "big") / 2**64
        parts[names[bisect(bounds, place, hi=last)]].append(question)
    return parts


def _groups(questions: Sequence[LabelledQuestion]) -> list[str]:
    """For each question the smallest id among those that it hangs together with."""
    parent = list(range(len(questions)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[str, int] = {}
    for place, question in enumerate(questions):
        for key in (_key(question.text), *(_key(one.passage) for one in question.candidates)):
            parent[root(place)] = root(first.setdefault(key, place))
    smallest: dict[int, str] = {}
    for place, question in enumerate(questions):
        here = root(place)
        smallest[here] = min(smallest.get(here, question.id), question.id)
    return [smallest[root(place)] for place in range(len(questions))]


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
