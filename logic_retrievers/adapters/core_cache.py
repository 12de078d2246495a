"""Keep an adapter's core object (from ``logic_retrievers``) until a setting changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Built(NamedTuple, Generic[T]):
    """A core object, and the settings that made it."""

    core: T
    settings: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()  # pickled as None, so that each process builds its own


def build(built: Built[T] | None, settings: dict[str, Any], make: Callable[..., T]) -> Built[T]:
    """Return ``built`` if it has these settings, or a new object made by ``make(**settings)``."""
    if built is not None and built.settings == settings:
        return built
    return Built(make(**settings), settings)
