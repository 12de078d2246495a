"""Groups of passages: which value of a payload a passage is grouped by, and how to filter by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from qdrant_client import models
from qdrant_client.local.payload_value_extractor import value_by_key

from logic_retrievers.checks import check_count
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.index.client_calls import batches
from logic_retrievers.index.filters import MAX_CONDITIONS, any_of, metadata_paths
from logic_retrievers.index.point_format import REF_DOC_ID, SOURCE
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.validation import is_encodable

T = TypeVar("T")

OWN_SOURCE = "source"
# Payload keys that hold one value at most.
_SINGLE = (SOURCE, REF_DOC_ID)


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups that a search looks for.

    Args:
        field: ``source`` (see :func:`group_paths`), or a field of the metadata.
        count: number of groups.
        per_group: number of passages of each group.
    """

    field: str
    count: int
    per_group: int = 1


def check_group_by(field: Any, per_group: Any, prefixes: Sequence[str]) -> None:
    """Check the options ``group_by`` and ``per_group``.

    Raises:
        ConfigurationError: they are no field's name and no count, or ``group_by`` is missing.
        InputError: no field can have this name.
    """
    check_count("per_group", per_group)
    if field is not None:
        if not isinstance(field, str) or not field or not is_encodable(field):
            raise ConfigurationError(f"group_by must be the name of a field, not {shown(field)}")
        group_paths(field, prefixes)
    elif per_group != 1:
        raise ConfigurationError("per_group is for a search with group_by, which is missing")


class Member(NamedTuple):
    """The value by which a passage is grouped, and the number of the path where it is stored."""

    path: int
    value: Any

    @property
    def group(self) -> tuple[bool, Any]:
        """What all members of the group share."""
        return group_key(self.value)


def group_key(value: Any) -> tuple[bool, Any]:
    """Make a key that is equal for 1 and 1.0, but not for 1 and True."""
    return isinstance(value, bool), value


def group_paths(field: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    """List the payload keys that may hold the value of a group; the first with a value counts.

    The field ``source`` is ``Passage.source``. A passage that has none is grouped by a field of
    that name in its metadata, where LangChain's loaders put it.
    """
    paths = metadata_paths(prefixes, field)
    if field != OWN_SOURCE:
        return tuple(paths)
    return (SOURCE, *([REF_DOC_ID] if "" in prefixes else []), *paths)


def member_of(payload: Mapping[str, Any] | None, paths: Sequence[str]) -> Member | None:
    """Find the group of a point; None if it has no value or several, so that it stands alone."""
    for number, path in enumerate(paths):
        found = value_by_key(dict(payload or {}), path) or []
        values = [value for value in found if not _is_nothing(path, value)]
        if values:
            plain = len(values) == 1 and isinstance(values[0], str | int | float)
            return Member(number, values[0]) if plain else None
    return None


def in_groups(
    members: Iterable[Member], paths: Sequence[str], limits: StrictLimits
) -> list[models.Condition]:
    """Make conditions of which a passage of these members' groups meets at least one.

    Only the paths where members were found are named, because strict mode may forbid the others.
    """
    by_path: dict[int, dict[tuple[bool, Any], Any]] = {}
    for member in members:
        by_path.setdefault(member.path, {})[member.group] = member.value
    conditions: list[models.Condition] = []
    for number, values in by_path.items():
        path = paths[number]
        further = [_has_nothing(other) for other in paths[:number]]
        if path not in _SINGLE:
            # a passage with several values stands alone, although it has one of these
            count = models.ValuesCount(lte=1)
            further.append(models.FieldCondition(key=path, values_count=count))
        for part in batches(list(values.values()), limits.ids(MAX_CONDITIONS)):
            conditions.append(models.Filter(must=[any_of(path, path, list(part)), *further]))
    return conditions


def first_of_groups(
    items: Iterable[T], group_of: Callable[[T], Any], count: int, per_group: int
) -> list[T]:
    """Keep the first ``per_group`` items of each of the first ``count`` groups, in this order.

    An item whose group is None stands alone.
    """
    kept: list[T] = []
    sizes: dict[Any, int] = {}
    for item in items:
        group = group_of(item)
        key = object() if group is None else group
        if key not in sizes and len(sizes) == count:
            continue
        if sizes.get(key, 0) < per_group:
            sizes[key] = sizes.get(key, 0) + 1
            kept.append(item)
    return kept


def _is_nothing(path: str, value: Any) -> bool:
    # LlamaIndex writes this for a node without a document
    return value is None or (path == REF_DOC_ID and value == "None")


def _has_nothing(path: str) -> models.Condition:
    empty = models.IsEmptyCondition(is_empty=models.PayloadField(key=path))
    if path != REF_DOC_ID:
        return empty
    written = models.FieldCondition(key=path, match=models.MatchValue(value="None"))
    return models.Filter(should=[empty, written])
