"""Asking for exactness where the server allows it: strict mode may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from qdrant_client import models

from logic_retrievers.errors import ServerError
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Procedure

T = TypeVar("T")

_EXACT = models.SearchParams(exact=True)
_UNQUANTIZED = models.SearchParams(quantization=models.QuantizationSearchParams(ignore=True))


def exactly(collection: Collection, ask: Callable[[bool], Procedure[T]]) -> Procedure[T]:
    """The answer to ``ask(True)``; where strict mode refuses exactness, to ``ask(False)``."""
    if collection.allows_exact:
        try:
            return (yield from ask(True))
        except ServerError as error:
            if type(error) is not ServerError or "exact" not in str(error).lower():
                raise
    return (yield from ask(False))


def scoring(collection: Collection, exact: bool) -> models.SearchParams | None:
    """How to score: exactly, or at least on whole vectors; embedded mode has no choice."""
    if collection.embedded:
        return None
    return _EXACT if exact else _UNQUANTIZED
