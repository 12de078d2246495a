"""Makers of methods of :class:`PassageIndex` from operations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from logic_retrievers.effects import Operation

if TYPE_CHECKING:
    from logic_retrievers.index.collection import Collection
    from logic_retrievers.index.passage_index import PassageIndex

T = TypeVar("T")
P = ParamSpec("P")
S = TypeVar("S", bound="PassageIndex")


def blocking(
    operation: Callable[Concatenate[S, P], Operation[T]],
) -> Callable[Concatenate[S, P], T]:
    """Turn a method that returns an operation into one that runs it and returns its value."""

    @functools.wraps(operation)
    def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(operation(self, *args, **kwargs))

    return method


def awaiting(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Make the asynchronous twin of a :func:`blocking` method."""
    operation: Callable[..., Operation[T]] = method.__wrapped__  # type: ignore[attr-defined]

    @functools.wraps(operation)
    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.arun(operation(self, *args, **kwargs))

    return twin


def over_collection(
    function: Callable[Concatenate[Collection, P], T],
) -> Callable[Concatenate[PassageIndex, P], T]:
    """Turn a function over a collection into a method that passes the index's collection."""

    @functools.wraps(function)
    def method(self: PassageIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(self._collection, *args, **kwargs)

    # the first parameter of `function` would be shown as the method's own
    del method.__wrapped__
    return method
