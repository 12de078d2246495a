"""Checks of settings and arguments, without pydantic because some run for every query.

Each raises ConfigurationError with the name, the allowed values, and the value that was given.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from numbers import Real
from typing import Any

from logic_retrievers.errors import ConfigurationError, shown

# maximum hits, candidates or passages; every engine allows this many
MAX_COUNT = 2**31 - 1


def check_number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> None:
    """Refuse a value that is not a finite number from ``low`` to ``high``. Bools are refused."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and low <= value <= high and abs(value) <= sys.float_info.max):
        bounds = f" from {low:g} to {high:g}" if high < math.inf else ""
        raise ConfigurationError(f"{name} must be a finite number{bounds}, not {shown(value)}")


def check_choice(name: str, value: Any, options: Sequence[str]) -> None:
    """Refuse a value that is none of the options."""
    if not isinstance(value, str) or value not in options:
        raise ConfigurationError(f"{name} must be one of {', '.join(options)}, not {shown(value)}")


def check_count(name: str, count: Any, largest: int = MAX_COUNT, *, least: int = 1) -> None:
    """Refuse a count that is not a whole number from ``least`` to ``largest``."""
    if type(count) is not int or not least <= count <= largest:
        too_small = type(count) is not int or count < least
        bounds = f"of at least {least}" if too_small else f"up to {largest:,}"
        raise ConfigurationError(f"{name} must be a whole number {bounds}, not {shown(count)}")


def check_type(name: str, value: Any, *types: Any) -> None:
    """Refuse a value that has none of the types."""
    if not isinstance(value, types):
        names = " or ".join(kind.__name__.removesuffix("Type") for kind in types)
        raise ConfigurationError(f"{name} must be of type {names}, not {shown(value)}")


def check_texts(name: str, values: Any) -> None:
    """Refuse a value that is not a list of texts, such as a single text (a sequence of letters)."""
    is_list = isinstance(values, Sequence) and not isinstance(values, str)
    if not is_list or not all(isinstance(value, str) for value in values):
        raise ConfigurationError(f"{name} must be a list of texts, not {shown(values)}")
