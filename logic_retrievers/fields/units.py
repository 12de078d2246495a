"""Convert units of measurement with `pint`, where it is installed (extra ``units``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from logic_retrievers.fields.amounts import WORDS

_LETTERS = "gml"
_SPELLINGS: Mapping[str, str] = WORDS["units"]


@cache
def _registry() -> Any:
    """Return pint's registry, loaded on first use (0.3 s); None without pint."""
    try:
        import pint
    except ImportError:
        return None
    # without the disk's cache, which pint writes to the user's folder
    return pint.UnitRegistry(cache_folder=None)


@lru_cache(4096)
def conversion(unit: str, into: str) -> float | None:
    """Return what to multiply a number of ``unit`` by to get a number of ``into``.

    None if either is no unit, if they measure different things, or if the scales begin at
    different points (degrees Celsius and Fahrenheit).
    """
    # pint knows a unit of nearly every letter: "221b" is no area in barns
    registry = None if len(unit) == 1 and unit not in _LETTERS else _registry()
    if registry is None:
        return None
    unit, into = (_SPELLINGS.get(each.lower(), each) for each in (unit, into))
    try:
        nothing = registry.convert(0.0, unit, into)
        return None if nothing else float(registry.convert(1.0, unit, into))
    except Exception:  # pint raises errors of many kinds for words that are no unit
        return None
