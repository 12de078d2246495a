"""Turn operations into methods of :class:`PassageIndex`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from logic_retrievers.effects import Operation

if TYPE_CHECKING:
    from logic_retrievers.index.collection import Collection
    from logic_retrievers.index.passage_index import PassageIndex

T = TypeVar("T")
P = ParamSpec("P")
S = TypeVar("S", bound="PassageIndex")
Method = TypeVar("Method", bound=Callable[..., Any])


def blocking(
    operation: Callable[Concatenate[S, P], Operation[T]],
) -> Callable[Concatenate[S, P], T]:
    """Turn a method that returns an operation into one that runs it and returns its value."""
    # for help() and type hints; annotations are not evaluated, so this one is a text
    hints = operation.__annotations__
    hints["return"] = re.sub(r"Operation\[(.*)\]", r"\1", hints["return"])

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

    return _named(twin, f"a{operation.__name__}")


def over_collection(
    function: Callable[Concatenate[Collection, P], T], name: str | None = None
) -> Callable[Concatenate[PassageIndex, P], T]:
    """Turn a function over a collection into a method that passes the index's collection."""

    @functools.wraps(function)
    def method(self: PassageIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(self._collection, *args, **kwargs)

    return _named(method, name or function.__name__)


def _named(method: Method, name: str) -> Method:
    method.__name__, method.__qualname__ = name, f"PassageIndex.{name}"
    return method
