"""Hostile values, drawn from a dictionary and at random, and mutations of bytes and of JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from types import MappingProxyType
from typing import Any
from uuid import UUID

import numpy as np

WORDS = (
    *("quiet", "noisy", "hotel", "hostel", "river", "garden", "pool", "pets", "cheap", "warm"),
    *("Oslo", "Bergen", "inn", "breakfast", "without", "except", "not", "no", "or", "and", "but"),
    *("neither", "nor", "any", "all", "that", "do", "with", "other than", "apart from", "never"),
)
POLICIES = (
    *("auto", "topical", "sequential", "boolean", "hybrid", "lexical", "union", "compatibility"),
)
TEXTS = (
    *("", " ", "\t\n", "\0", "a\0b", "\ud800", "x \udfff y", "\ufeff", "\u2028", "\u00a0", "\x85"),
    *("\u202e reversed", "\u2066isolate", "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\x7f", "\r"),
    *("e" + "\u0301" * 500, "👩‍👩‍👧‍👦", "नमस्ते", "ﷺ" * 20, "ß", "İ", "\U0001d54f", "漢" * 300),
    *("../..", "..", "/", "a/../../b", "~", "null", "true", "NaN", "-0", "1e400", "9" * 5000, "0"),
    *("http://127.0.0.1:1", "http://[", "https://", "file:///x", ":memory:", "con", "%s%n{0}", "*"),
    *("<script>alert(1)</script>", "[bold]x[/]", "=1+1", '"', "'", "\\", "\\u", "a.b", "a[]", "a["),
    *(
        "AND",
        "NOT (",
        "a AND",
        ") OR (",
        "NOT " * 200 + "a",
        "(" * 500,
        '"a" ' * 100,
        "-",
        "--help",
    ),
    *("x" * 100_000, "quiet inn " * 12_000, "a" * 4096, "a" * 4097, "without " * 500),
    *("2024-05-01", "2024-05-01T12:00:00Z", "0000-00-00", "99999-01-01", "12345", "logic", "_node"),
    *("12345678-1234-1234-1234-123456789abc", "{}", "[]", "logic.quarantined", "metadata", "id"),
)
NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 64, 65, 100, 1000, True, False, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64),
    *(-(2**63), -(2**63) - 1, 10**400, 10**5000, 0.0, -0.0, 0.5, 1.5, -0.5, 1.0, 1e308, 5e-324),
    *(math.nan, math.inf, -math.inf, 1e-320, 0.1 + 0.2, 123456789.123456789),
)


def nested(levels: int, kind: str = "list") -> Any:
    """A value of that many levels."""
    value: Any = "deepest"
    for _ in range(levels):
        value = [value] if kind == "list" else {"a": value}
    return value


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def odd_object(random: Random) -> Any:
    """A value of a type that JSON does not have, an empty container, or one nested deeply."""
    makers: Sequence[Any] = (
        *(lambda: None, lambda: b"bytes", lambda: b"\xff\xfe", lambda: bytearray(2), lambda: {1}),
        *(lambda: frozenset({"a"}), lambda: date(2024, 5, 1), lambda: datetime(2024, 5, 1)),
        *(lambda: datetime(2024, 5, 1, tzinfo=UTC), lambda: Decimal("1.5"), lambda: UUID(int=5)),
        *(object, lambda: int, lambda: len, lambda: range(3), lambda: iter("ab"), lambda: ...),
        *(lambda: (x for x in "ab"), lambda: MappingProxyType({"a": 1}), lambda: np.float32(0.5)),
        *(lambda: np.float64(0.5), lambda: np.int64(5), lambda: np.array([1.0]), lambda: 1j),
        *(lambda: np.array([]), list, dict, tuple, set, lambda: [None], lambda: {1: 2}, _cyclic),
        *(lambda: {None: 1}, lambda: {"": 1}, lambda: ["a", 1], lambda: ("a", "b"), lambda: [[]]),
        *(lambda: nested(63), lambda: nested(64), lambda: nested(65, "dict"), lambda: nested(200)),
        *(lambda: nested(1000), lambda: nested(1000, "dict"), lambda: nested(100_000)),
        *(lambda: Exception("x"), lambda: type("Odd", (), {})(), lambda: ["a"] * 1000),
    )
    return random.choice(makers)()


def text(random: Random) -> str:
    """Words, with something hostile among them now and then; or something hostile alone."""
    if random.random() < 0.25:
        return random.choice(TEXTS)
    words = random.choices(WORDS, k=random.randint(1, 12))
    for _ in range(random.choice((0, 0, 1, 2))):
        words.insert(random.randrange(len(words) + 1), random.choice(TEXTS))
    if random.random() < 0.1:
        words.append("".join(chr(random.randrange(0x110000)) for _ in range(random.randint(1, 9))))
    return random.choice((" ", " ", " ", "", ", ", "\n")).join(words)


def sentence(random: Random) -> str:
    """A few plain words."""
    return " ".join(random.choices(WORDS, k=random.randint(1, 9)))


def hostile(random: Random) -> Any:
    """Any value at all."""
    kind = random.random()
    if kind < 0.3:
        return random.choice(TEXTS)
    if kind < 0.6:
        return random.choice(NUMBERS)
    return odd_object(random) if kind < 0.9 else tree(random)


def tree(random: Random, depth: int = 3, *, odd: float = 0.05) -> Any:
    """A value as JSON has it; a share ``odd`` of its leaves and keys are hostile."""
    kind = random.randrange(4) if depth else 3
    if kind == 0:
        return [tree(random, depth - 1, odd=odd) for _ in range(random.randrange(4))]
    if kind == 1:
        return {
            key(random, odd): tree(random, depth - 1, odd=odd) for _ in range(random.randrange(4))
        }
    if random.random() < odd:
        return hostile(random)
    return random.choice(
        (
            sentence(random),
            random.randint(-5, 2030),
            random.random(),
            True,
            False,
            None,
            "2024-05-01",
        )
    )


def key(random: Random, odd: float = 0.1) -> Any:
    """A name of a field."""
    if random.random() >= odd:
        return random.choice(("city", "year", "price", "tags", "date", "nested", "source", "title"))
    return random.choice((*TEXTS, 1, None, ("a",)))


def mutated(random: Random, data: bytes) -> bytes:
    """The bytes with up to three changes: other bytes, a part lost, repeated or put in."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 2, 8, 100, 5000)))
        piece = random.choice(TEXTS).encode(errors="surrogatepass")[: random.choice((4, 4000))]
        data = random.choice(
            (
                data[:at] + random.randbytes(end - at) + data[end:],
                data[:at] + data[end:],
                data[:end] + data[at:end] * random.choice((1, 3)) + data[end:],
                data[:at] + piece + data[at:],
                data[:at],
                data[:at] + bytes(end - at) + data[end:],
            )
        )
    return data


def changed_tree(random: Random, value: Any) -> Any:
    """JSON with one node replaced by something else, dropped, or moved under another key."""
    places = list(_places(value))
    if not places:
        return hostile_json(random)
    chosen = random.choice(places)
    return _changed(value, chosen, random)


def hostile_json(random: Random) -> Any:
    """A hostile value that JSON can hold, NaN and deep nesting among them."""
    number = random.choice([n for n in NUMBERS if abs(n) < 10**500 or n != n])
    containers = (None, [], {}, [None], {"": None}, nested(150), nested(60, "dict"), ["a", 1])
    plain = [t for t in TEXTS if "\ud800" not in t and "\udfff" not in t]
    return random.choice((number, random.choice(plain), random.choice(containers)))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, inner in items:
        yield (*path, name)
        yield from _places(inner, (*path, name))


def _changed(value: Any, path: tuple[Any, ...], random: Random) -> Any:
    copy = dict(value) if isinstance(value, dict) else list(value)
    name = path[0]
    if len(path) > 1:
        copy[name] = _changed(value[name], path[1:], random)
        return copy
    action = random.randrange(4)
    if action == 0:
        del copy[name]
    elif action == 1 and isinstance(copy, dict):
        copy[f"{name}_"] = copy.pop(name)
    else:
        copy[name] = hostile_json(random)
    return copy
