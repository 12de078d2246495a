"""What a server refuses that local mode allows: strict mode, and features of later versions."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from qdrant_client.http import models

from .replies import bad_request, no_such_endpoint

NEW_VECTOR_NAMES = (1, 18)
_ANY_INDEX = frozenset(kind.value for kind in models.PayloadSchemaType)


def check_version(endpoint: str, body: object, version: tuple[int, int]) -> None:
    """Refuse what a server of this version does not know.

    Raises:
        ErrorReply: the endpoint is too new.
    """
    if endpoint.startswith("vectors/") and version < NEW_VECTOR_NAMES:
        raise no_such_endpoint()


def check_indexes(body: object, indexes: Mapping[str, str]) -> None:
    """Strict mode with `unindexed_filtering_retrieve` and `_update` off, as on Qdrant Cloud.

    Args:
        body: a request in REST models.
        indexes: payload key to index type.

    Raises:
        ErrorReply: a filter, anywhere in the request, on a key without a fitting index.
    """
    for key, fitting in _filtered_keys(body):
        if indexes.get(key) not in fitting:
            types = ", ".join(sorted(fitting))
            raise bad_request(
                f'Index required but not found for "{key}" of one of the following types: '
                f"[{types}]",
                "Create an index for this key or use a different filter.",
            )


def check_exact(body: object) -> None:
    """Strict mode with `search_allow_exact` off.

    Raises:
        ErrorReply: the request asks for an exact search or count.
    """
    if any(getattr(part, "exact", None) for part in _parts(body)):
        raise bad_request("Exact search disabled!", "Set exact=false.")


def check_limits(endpoint: str, body: object, strict: models.StrictModeConfig) -> None:
    """The limits of a collection's own strict mode, in a server's words.

    Raises:
        ErrorReply: the request exceeds one.
    """
    searches: list[Any] = [body]
    if endpoint == "points/query/batch":
        searches = body.searches  # type: ignore[attr-defined]
        _check_limit("search batch size", len(searches), strict.search_max_batchsize)
    if endpoint in {"points/query", "points/query/batch", "points/query/groups", "points/scroll"}:
        for search in searches:
            _check_limit("limit", search.limit or 10, strict.max_query_limit)
    if endpoint in {"points/upsert", "points/vectors/update"}:
        name = "upsert limit" if endpoint == "points/upsert" else "update limit"
        points = getattr(body, "points", None)
        count = len(points) if points is not None else len(body.batch.ids)  # type: ignore[attr-defined]
        _check_limit(name, count, strict.upsert_max_batchsize)
    if strict.search_allow_exact is False:
        check_exact(body)
    for search in searches:
        if sizes := [_size(condition) for condition in conditions_of(search)]:
            most = strict.filter_max_conditions
            if most is not None and len(sizes) > most:
                raise bad_request(
                    f"Filter condition limit reached ({len(sizes)} > {most})",
                    "Reduce the amount of conditions of your filter.",
                )
            largest = strict.condition_max_size
            if largest is not None and max(sizes, default=0) > largest:
                raise bad_request(
                    f"Condition size limit reached ({max(sizes)} > {largest})",
                    "Reduce the size of your condition.",
                )


def conditions_of(request: object) -> list[object]:
    """The conditions of a request's filter."""
    return list(_conditions(getattr(request, "filter", None)))


def _check_limit(name: str, asked: int, limit: int | None) -> None:
    if limit is not None and asked > limit:
        raise bad_request(
            f'Limit exceeded {asked} > {limit} for "{name}"',
            f'Reduce the "{name}" parameter to or below {limit}.',
        )


def _conditions(node: object) -> Iterator[object]:
    """The conditions of a filter, those of filters in it too."""
    for child in _children(node):
        if isinstance(child, models.Filter | models.MinShould | list):
            yield from _conditions(child)
        elif isinstance(child, models.Nested | models.NestedCondition):
            yield from _conditions(getattr(child, "nested", child).filter)
        elif isinstance(child, BaseModel):
            yield child


def _size(condition: object) -> int:
    """Values that a condition compares with."""
    match condition:
        case models.HasIdCondition(has_id=ids):
            return len(ids)
        case models.FieldCondition(match=models.MatchAny(any=values)):
            return len(values)
        case models.FieldCondition(match=models.MatchExcept(except_=values)):
            return len(values)
    return 1


def _children(node: object) -> Iterator[object]:
    """The models right below a request's part; vectors and payloads are not walked."""
    if isinstance(node, BaseModel):
        yield from (getattr(node, name) for name in type(node).model_fields)
    elif isinstance(node, list) and node and not isinstance(node[0], (float, int, str)):
        yield from node


def _parts(node: object) -> Iterator[object]:
    """Every part of a request, depth first."""
    yield node
    for child in _children(node):
        yield from _parts(child)


def _filtered_keys(node: object, prefix: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Payload keys that filters in `node` read, with the index types that serve them."""
    match node:
        case models.FieldCondition():
            yield prefix + node.key, _fitting_indexes(node)
        case models.IsEmptyCondition():
            yield prefix + node.is_empty.key, _ANY_INDEX
        case models.IsNullCondition():
            yield prefix + node.is_null.key, _ANY_INDEX
        case models.Nested():
            array = node.key if node.key.endswith("[]") else f"{node.key}[]"
            yield from _filtered_keys(node.filter, f"{prefix}{array}.")
        case _:
            for child in _children(node):
                yield from _filtered_keys(child, prefix)


def _fitting_indexes(condition: models.FieldCondition) -> frozenset[str]:
    """Index types that serve a condition (`infer_index_from_field_condition` of the server)."""
    match condition.match:
        case models.MatchValue(value=value):
            return _fitting_values([value])
        case models.MatchAny(any=values) | models.MatchExcept(except_=values):
            return _fitting_values(values)
        case models.MatchText() | models.MatchPhrase() | models.MatchTextAny():
            return frozenset({"text"})
    match condition.range:
        case models.DatetimeRange():
            return frozenset({"datetime"})
        case models.Range():
            return frozenset({"float", "integer"})
    if condition.geo_bounding_box or condition.geo_radius or condition.geo_polygon:
        return frozenset({"geo"})
    return _ANY_INDEX


def _fitting_values(values: list[Any]) -> frozenset[str]:
    if isinstance(values[0], bool):
        return frozenset({"bool"})
    if isinstance(values[0], int):
        return frozenset({"integer"})
    return frozenset({"keyword", "uuid"} if all(map(_is_uuid, values)) else {"keyword"})


def _is_uuid(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True
