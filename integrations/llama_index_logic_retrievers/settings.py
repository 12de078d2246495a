"""Settings that would be dropped without a word."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from logic_retrievers.errors import ConfigurationError


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuses a setting that there is not.

    Raises:
        ConfigurationError: the message names it, and those that there are.
    """
    if unknown := sorted(settings.keys() - known):
        there = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{there}.")


def refuse_opening(*given: Any) -> None:
    """Refuses what opens an index, where the store has one.

    Raises:
        ConfigurationError: something was given.
    """
    if any(given):
        raise ConfigurationError(
            "A LogicVectorStore is open already: embed_model, encoder, identity and the settings of"
            " an index are for LlamaIndex's QdrantVectorStore."
        )
