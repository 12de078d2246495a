"""The core object behind an adapter's object, whose settings may change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Built(NamedTuple, Generic[T]):
    """A core object and the settings that it was made of.

    It is not pickled: another process makes the object anew.
    """

    core: T
    settings: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def build(built: Built[T] | None, settings: dict[str, Any], make: Callable[..., T]) -> Built[T]:
    """The core object of these settings: the one that there is, or a new one if a setting changed.

    Args:
        built: what an earlier call gave back.
        settings: keyword arguments of ``make``.
        make: the core's class.
    """
    if built is not None and built.settings == settings:
        return built
    return Built(make(**settings), settings)
