"""Makers of methods of :class:`PassageIndex` from operations."""

from __future__ import annotations

import functools
import inspect
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

    _show(method, _signature_of_value(operation), operation.__name__)
    return method


def awaiting(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Make the asynchronous twin of a :func:`blocking` method."""
    operation: Callable[..., Operation[T]] = method.__wrapped__  # type: ignore[attr-defined]

    @functools.wraps(operation)
    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.arun(operation(self, *args, **kwargs))

    _show(twin, _signature_of_value(operation), f"a{operation.__name__}")
    return twin


def over_collection(
    function: Callable[Concatenate[Collection, P], T], name: str | None = None
) -> Callable[Concatenate[PassageIndex, P], T]:
    """Turn a function over a collection into a method that passes the index's collection.

    The method has the function's name where no other is given.
    """

    @functools.wraps(function)
    def method(self: PassageIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(self._collection, *args, **kwargs)

    signature = inspect.signature(function)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [itself, *list(signature.parameters.values())[1:]]
    _show(method, signature.replace(parameters=parameters), name or function.__name__)
    return method


def _signature_of_value(operation: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(operation)
    returned = signature.return_annotation  # a text, since annotations are not evaluated
    if returned.startswith("Operation["):
        returned = returned[len("Operation[") : -1]
    return signature.replace(return_annotation=returned)


def _show(method: Callable[..., Any], signature: inspect.Signature, name: str) -> None:
    """Name a method of ``PassageIndex``, and give it a signature for ``help()`` and type hints."""
    method.__name__, method.__qualname__ = name, f"PassageIndex.{name}"
    method.__signature__ = signature  # type: ignore[attr-defined]
    hints = {each.name: each.annotation for each in signature.parameters.values()}
    hints["return"] = signature.return_annotation
    method.__annotations__ = {n: hint for n, hint in hints.items() if hint is not signature.empty}
