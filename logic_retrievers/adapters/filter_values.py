"""Values of a framework's filter as Qdrant compares them."""

from __future__ import annotations

from typing import Any

from logic_retrievers.index.filters import comparable

_LARGEST_EXACT = 2**53
"""Above it a float stands for several integers."""


def equal_values(value: Any) -> list[Any]:
    """All that is equal to a value: 3 and 3.0 are one number in Python, and two kinds in Qdrant."""
    value = comparable(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST_EXACT:
        return [value, float(value)]
    return [value]
