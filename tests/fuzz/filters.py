"""Filters in every form of a user, and wrong ones: counted as plain Python counts them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from random import Random
from typing import Any

from filter_semantics import matches
from qdrant_client import models

from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

from .harness import Target, accepted, expect
from .values import NUMBERS, TEXTS, hostile, nested, odd_object
from .workplace import open_index

METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"city": "Oslo", "year": 2020, "price": 1.5, "tags": ["sea", "quiet"], "open": True},
    {"city": "Bergen", "year": 2021, "price": 2.0, "tags": [], "open": False},
    {"city": "oslo", "year": 1, "price": 0.0, "tags": None, "open": True},
    {"city": "", "year": 0, "price": -0.5, "tags": "sea", "open": None},
    {"city": ["Oslo", "Bergen"], "year": [2020, 2022], "tags": ["sea"], "open": [True, False]},
    {"city": "New Oslo by the sea", "year": 2**53 + 1, "price": 1e300, "tags": ["Sea view", 5]},
    {"city": "1", "year": "2020", "price": "1.5", "open": "true", "tags": [1, 2]},
    {"city": None, "year": 2**63 - 1, "price": 3, "open": 1, "tags": [None]},
    {"nested": {"city": "Oslo", "list": [{"a": 1}, {"a": 2}]}, "year": -(2**63) + 1},
    {"nested": {"city": "Bergen", "list": []}, "a.b": 1, "year": -5, "date": "2024-05-01"},
    {"nested": "Oslo", "a b": 2, "date": "2024-05-01T12:00:00Z", "\x1b[2J": 1, "": 5},
    {"nested": {"city": ["Oslo"]}, "date": "2024-06-01T00:00:00+02:00", "it's": 3, "é": "é"},
    {"date": ["2020-01-01", "2024-05-01"], "price": [0.5, 2.5], "x-y": 4, "_node": 5, "logic": 6},
    {"date": "yesterday", "open": 0, "year": 2020.0, "id": "a", "city": "O\u0308slo"},
)
KEYS = (
    *("city", "year", "price", "tags", "open", "nested", "nested.city", "nested.list[].a", "date"),
    *("nested.list", "nested.list[0].a", "missing", "a.b", "a b", "", "it's", "é", "\x1b[2J"),
    *(
        "x-y",
        "tags[]",
        "tags[0]",
        "logic",
        "_node",
        "id",
        "metadata.city",
        "nested.",
        ".city",
        "a[",
    ),
    *("city.x", "city[]", "nested..city", "logic.id", "tags[99999999999999999999]", "tags[-1]"),
)
WANTED = (
    *("Oslo", "oslo", "", "sea", "1", "2020", 2020, 1, 0, 2020.0, 1.5, 2.0, 1e300, True, False),
    *(None, "2024-05-01", -5, 2**53 + 1, 2**53, 2**63 - 1, "true", 5, 3, 3.0, "é", -0.0, "a"),
    *(date(2024, 5, 1), datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 12)),
)
BOUNDS = (0, 1, 1.5, -5, 2020, 2**53, 2**63, 1e300, -1e300, "2024-05-01", "2020-01-01T00:00:00Z")
TEXT_QUERIES = (
    "sea",
    "Sea",
    "oslo sea",
    "by the",
    "ö",
    "o\u0308slo",
    "quiet view",
    "SEA VIEW",
    "-",
)


class Filters(Target):
    """``count``, ``scroll`` and a search with a filter, over passages of every kind of metadata."""

    name = "filters"
    share = 25

    def __init__(self) -> None:
        self._index = open_index()
        self._passages = [
            Passage(f"p{n}", f"quiet inn number {n}", values) for n, values in enumerate(METADATA)
        ]
        self._index.add(self._passages)

    def generate(self, random: Random) -> Any:
        """A filter; sometimes anything at all, or a Qdrant filter."""
        if random.random() < 0.08:
            return hostile(random)
        if random.random() < 0.08:
            return _qdrant_filter(random)
        return {_key(random): _wanted(random) for _ in range(random.choice((1, 1, 1, 2, 3)))}

    def run(self, value: Any) -> None:
        """Counts, walks and searches; compares with plain Python where it knows the meaning."""
        found = self._index.count(value)
        with accepted(f"filter counted {found}"):
            ids = sorted(passage.id for passage in self._index.scroll(value))
            expect(len(ids) == found, "count and scroll differ")
            hits = Engine(self._index, "topical", judge=None).search("inn", 50, filter=value)
            expect(sorted(hit.passage.id for hit in hits) == ids, "search and scroll differ")
            if isinstance(value, Mapping):
                plain = sorted(p.id for p in self._passages if matches(p.metadata, value))
                extra = ", ".join(sorted(set(plain) ^ set(ids)))
                expect(plain == ids, f"plain Python differs on {extra}")

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def _key(random: Random) -> Any:
    kind = random.random()
    if kind < 0.9:
        return random.choice(KEYS)
    return (
        random.choice(TEXTS) if kind < 0.97 else random.choice((1, None, ("city",), b"city", 1.5))
    )


def _wanted(random: Random, depth: int = 2) -> Any:
    kind = random.random()
    if kind < 0.35 or not depth:
        return random.choice(WANTED)
    if kind < 0.5:
        return random.choice((list, tuple))(random.choices(WANTED, k=random.randrange(4)))
    if kind < 0.65:
        names = random.sample(("gt", "gte", "lt", "lte"), random.choice((1, 1, 2)))
        return {name: random.choice(BOUNDS) for name in names}
    if kind < 0.75:
        return {"not": _wanted(random, depth - 1)}
    if kind < 0.82:
        return {"text": random.choice((*TEXT_QUERIES, random.choice(TEXTS)))}
    if kind < 0.88:
        name = random.choice(("gt", "gte", "text", "not", "between", "in", "$gt"))
        return {name: hostile(random), **random.choice(({}, {"lt": 5}, {"not": 1}))}
    if kind < 0.9:
        return nested(random.choice((2, 70, 1000)), "dict")
    return random.choice((random.choice(NUMBERS), random.choice(TEXTS), odd_object(random)))


def _qdrant_filter(random: Random) -> models.Filter:
    """A filter of the client's own models, over keys of the payload."""
    key = random.choice(("metadata.city", "metadata.year", "logic.id", "", "a[", "metadata.", "é"))
    match = models.MatchValue(value=random.choice(("Oslo", 1, True)))
    condition: Any = random.choice(
        (
            models.FieldCondition(key=key, match=match),
            models.IsEmptyCondition(is_empty=models.PayloadField(key=key)),
            models.IsNullCondition(is_null=models.PayloadField(key=key)),
            models.HasIdCondition(has_id=random.choice(([], [1], ["x"], [2**63]))),
            models.FieldCondition(key=key, range=models.Range(gte=random.choice((1, 1e308)))),
            models.FieldCondition(key=key, match=models.MatchExcept(**{"except": ["Oslo"]})),
            models.FieldCondition(key=key),
            models.Filter(),
        )
    )
    where = random.choice(("must", "must_not", "should"))
    return models.Filter(**{where: [condition]})
