"""Settings that would be dropped without a word."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuses a setting that there is not.

    Raises:
        ConfigurationError: the message names it, and those that there are.
    """
    if unknown := sorted(settings.keys() - known):
        there = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{there}.")


def checked_index(index: Any) -> PassageIndex:
    """The index that a part stands on.

    Raises:
        ConfigurationError: none.
    """
    if not isinstance(index, PassageIndex):
        raise ConfigurationError(
            f"A PassageIndex is needed as index=, not {type(index).__name__}: store.index of a"
            " LogicVectorStore, or PassageIndex.open(...)."
        )
    return index
