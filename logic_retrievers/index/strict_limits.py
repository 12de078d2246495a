"""Limits of a collection's strict mode: calls that exceed them are sent in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from qdrant_client import models

from logic_retrievers.effects import ClientCall, Effect, Operation, UserCall
from logic_retrievers.errors import StrictModeWarning, warn
from logic_retrievers.index.collection import NO_LIMITS, StrictLimits
from logic_retrievers.index.requests import ScoredPoints, batches

T = TypeVar("T")


def within(limits: StrictLimits, operation: Operation[T]) -> Operation[T]:
    """The operation, with calls that keep the limits.

    Searches for the nearest points are cut to ``max_query_limit``, with a
    :class:`~logic_retrievers.errors.StrictModeWarning`. Everything else gives the same answer in
    more calls.
    """
    return operation if limits == NO_LIMITS else _within(limits, operation)


def _within(limits: StrictLimits, operation: Operation[T]) -> Operation[T]:
    try:
        effect = next(operation)
        while True:
            try:
                answer = yield from _perform(limits, effect)
            except Exception as error:
                effect = operation.throw(error)
            else:
                effect = operation.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _perform(limits: StrictLimits, effect: Effect | UserCall) -> Operation[Any]:
    """One effect of the operation, in as many calls as the limits demand."""
    match effect:
        case ClientCall(method="query_batch_points"):
            return (yield from _search(limits, effect))
        case ClientCall(method="scroll", arguments={"limit": int(limit)}):
            return (yield _with(effect, limit=min(limit, limits.max_query_limit or limit)))
        case ClientCall(method="upsert" | "update_vectors", arguments={"points": points}):
            answer = None
            for part in batches(points, limits.upsert_max_batchsize or len(points)):
                answer = yield _with(effect, points=list(part))
            return answer
    return (yield effect)


def _search(limits: StrictLimits, call: ClientCall) -> Operation[list[ScoredPoints]]:
    """A batch of searches, each of whose parts may be answered in another call."""
    collection = call.arguments["collection_name"]
    parts = [list(_parts(limits, collection, request)) for request in call.arguments["requests"]]
    flat = [part for of_request in parts for part in of_request]
    responses: list[ScoredPoints] = []
    for batch in batches(flat, limits.search_max_batchsize or len(flat)):
        responses += yield _with(call, requests=list(batch))
    answered = iter(responses)
    return [
        ScoredPoints([point for found in islice(answered, len(own)) for point in found.points])
        for own in parts
    ]


def _parts(
    limits: StrictLimits, collection: str, request: models.QueryRequest
) -> Iterator[models.QueryRequest]:
    """A search of given points by slices of their ids; one among all points cut to the limit."""
    wanted: int = request.limit  # type: ignore[assignment]
    longest = limits.max_query_limit or wanted
    ids = _ids(request.filter)
    if not ids:
        if wanted > longest:
            warn(
                StrictModeWarning,
                f"Strict mode of collection {collection!r} allows {longest} results of a search:"
                f" one that wanted {wanted} candidates looks at {longest}, and finds less."
                f" Raise its max_query_limit to {wanted}.",
            )
        yield request.model_copy(update={"limit": min(wanted, longest)})
        return
    sizes = [size for size in (limits.max_query_limit, limits.condition_max_size) if size]
    condition: Any = request.filter
    others = [each for each in condition.must if not isinstance(each, models.HasIdCondition)]
    for part in batches(ids, min(sizes, default=len(ids))):
        must = [models.HasIdCondition(has_id=list(part)), *others]
        own = condition.model_copy(update={"must": must})
        yield request.model_copy(update={"filter": own, "limit": min(wanted, len(part))})


def _ids(condition: models.Filter | None) -> Sequence[models.ExtendedPointId] | None:
    """The ids that a filter demands by one condition."""
    must = condition.must if condition is not None else None
    found = [
        each.has_id
        for each in (must if isinstance(must, list) else [])
        if isinstance(each, models.HasIdCondition)
    ]
    return found[0] if len(found) == 1 else None


def _with(call: ClientCall, **arguments: Any) -> ClientCall:
    return replace(call, arguments={**call.arguments, **arguments})
