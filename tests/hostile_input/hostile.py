"""Strategies of hostile input, and the rule for every public entry point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from suites.hashed_encoder import HashedEncoder

from logic_retrievers.errors import LogicRetrieversError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

VECTORS = ("topical", "compatibility", "contradiction")

# drawn from the same seed in every run, so that only a change can cause a failure
examples = settings(
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
few_examples = settings(examples, max_examples=20)

# each was once accepted, or raised an error outside the package's hierarchy
ODD_TEXTS = (
    *("", " ", "\0", "a\0b", "\ud800", "\ufeff", "\u2028", "\u202e reversed", "\x1b[2J", "\x9b31m"),
    *("e" + "\u0301" * 500, "ß", "İ", "\U0001d54f", "漢" * 300, "../..", "/", "~", "null", "1e400"),
    *("9" * 5000, "http://[", "file:///x", ":memory:", "%s%n{0}", "*", '"', "\\", "a.b", "a[]"),
    *("a[", "NOT (", "a AND", ") OR (", "NOT " * 200 + "a", "(" * 500, '"a" ' * 100, "-", "--help"),
    *("x" * 100_000, "a" * 4097, "without " * 500, "0000-00-00", "99999-01-01", "logic", "_node"),
)
ODD_NUMBERS = (
    *(0, 1, -1, 2, 65, True, False, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**400),
    *(0.0, -0.0, 0.5, 1e308, 5e-324, math.nan, math.inf, -math.inf),
)


def nested(levels: int, kind: type = list) -> Any:
    """A value nested that many levels deep."""
    value: Any = "deepest"
    for _ in range(levels):
        value = [value] if kind is list else {"a": value}
    return value


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


WORDS = (
    *(
        "quiet",
        "noisy",
        "hotel",
        "river",
        "pool",
        "pets",
        "Oslo",
        "inn",
        "without",
        "except",
        "not",
    ),
    *("no", "or", "and", "but", "neither", "nor", "that", "do", "with", "never", "ohne", "sans"),
)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
texts = st.one_of(words, st.sampled_from(ODD_TEXTS), st.text(max_size=20))
odd_objects = st.builds(
    lambda make: make(),
    st.sampled_from(
        (
            *(lambda: None, lambda: b"\xff", lambda: {1}, object, lambda: int, lambda: ..., dict),
            *(lambda: date(2024, 5, 1), lambda: datetime(2024, 5, 1, tzinfo=UTC), list, tuple),
            *(lambda: Decimal("1.5"), lambda: UUID(int=5), lambda: iter("ab"), lambda: 1j, set),
            *(lambda: MappingProxyType({"a": 1}), lambda: np.float32(0.5), lambda: np.array([1.0])),
            *(lambda: {None: 1}, lambda: {"": 1}, lambda: ["a", 1], lambda: [[]], _cyclic),
            *(lambda: nested(65), lambda: nested(65, dict), lambda: nested(100_000)),
        )
    ),
)
hostile = st.one_of(st.sampled_from(ODD_TEXTS), st.sampled_from(ODD_NUMBERS), odd_objects)
keys = st.sampled_from(("city", "year", "tags", "date", "nested", "logic", "", "a.b", "é", "\0"))
json_values = st.recursive(
    st.one_of(words, st.integers(-5, 2030), st.floats(0, 1), st.booleans(), st.none()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutations(draw: Callable[..., Any], content: bytes) -> bytes:
    """The bytes with a part changed, lost, repeated or inserted."""
    at = draw(st.integers(0, len(content)))
    end = min(len(content), at + draw(st.sampled_from((1, 2, 8, 100, 5000))))
    other = draw(st.binary(max_size=8))
    return draw(
        st.sampled_from(
            (
                content[:at] + other + content[end:],
                content[:at] + content[end:],
                content[:end] + content[at:end] + content[end:],
                content[:at],
                content[:at] + bytes(end - at) + content[end:],
            )
        )
    )


@contextmanager
def refused_or_right() -> Iterator[None]:
    """Allow a right result or an error of the package; any other error passes through."""
    try:
        yield
    except LogicRetrieversError as error:
        str(error)  # whatever input it quotes


def open_index(**arguments: Any) -> PassageIndex:
    """Open an index in its own temporary folder."""
    encoder = HashedEncoder(VECTORS, dimension=32)
    return PassageIndex.open("hostile", encoder, **{"vectors": VECTORS, **arguments})


def inns(count: int = 12) -> list[Passage]:
    """Plain passages, some of which contradict each other."""
    places = ("river", "garden", "station", "harbour")
    return [
        Passage(
            f"inn-{n}",
            f"The inn by the {places[n % 4]} number {n // 2} is {'quiet' if n % 2 else 'noisy'}.",
            {"city": ("Oslo", "Bergen")[n % 2], "year": 2015 + n, "date": f"20{10 + n}-05-01"},
            source=f"guide-{n % 3}",
        )
        for n in range(count)
    ]
