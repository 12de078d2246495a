"""Settings of a filter or a cleaner in the plain words that JSON holds, and back again.

Functions and objects of the user's own are named and not rebuilt: their places have to be filled
again, and whoever forgets is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import Any

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from pydantic_core import to_jsonable_python
from qdrant_client import models

from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.rules import (
    Annotate,
    ConflictPolicy,
    DropBoth,
    PreferMajority,
    PreferNewest,
    PreferSource,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

_RULES: Mapping[str, Callable[..., ConflictPolicy]] = {
    kind.name: kind for kind in (Annotate, DropBoth, PreferMajority, PreferNewest, PreferSource)
}
_FILTERS: Mapping[str, type[Any]] = {
    "qdrant": models.Filter,
    "filters": MetadataFilters,
    "filter": MetadataFilter,
}
"""Kinds of ``trusted_filter`` beside a dictionary over the metadata."""
_PASSAGE = ("id", "text", "metadata", "source", "embed_text")


def described_rule(rule: Any) -> Any:
    """A policy's name, or its name and settings."""
    if isinstance(rule, str):
        return rule
    if not isinstance(rule, ConflictPolicy):
        return {"function": _path(rule)}
    kind = type(rule)
    ours = _RULES.get(rule.name) is kind
    settings: tuple[Field[Any], ...] = fields(kind) if is_dataclass(kind) else ()
    return {
        "name": rule.name,
        **({} if ours else {"class": _path(kind)}),
        **{one.name: _plain(getattr(rule, one.name)) for one in settings if one.repr},
    }


def rule_of(description: Any) -> Any:
    """The policy of :func:`described_rule`.

    Raises:
        ConfigurationError: it was a function, or a policy of the user's own.
    """
    if not isinstance(description, Mapping):
        return description
    kind = _RULES.get(description.get("name", ""))
    if kind is None or "class" in description:
        raise _unmade("policy", description.get("class", description.get("function")))
    return kind(
        **{
            key: tuple(value) if isinstance(value, list) else value
            for key, value in description.items()
            if key != "name"
        }
    )


def described_policy(policy: Any) -> Any:
    """:func:`described_rule` of one policy, or of several in a list."""
    if isinstance(policy, Sequence) and not isinstance(policy, str):
        return [described_policy(one) for one in policy]
    return described_rule(policy)


def policy_of(description: Any) -> Any:
    """The policy, or the policies, of :func:`described_policy`.

    Raises:
        ConfigurationError: as :func:`rule_of`.
    """
    if isinstance(description, list):
        return [policy_of(one) for one in description]
    return rule_of(description)


def described_filter(wanted: Any) -> dict[str, Any] | None:
    """Whom a ``trusted_filter`` picks, under the kind that it is of."""
    if wanted is None:
        return None
    if isinstance(wanted, Mapping):
        return {"metadata": _plain(dict(wanted))}
    for name, kind in _FILTERS.items():
        if isinstance(wanted, kind):
            return {name: wanted.model_dump(mode="json", exclude_none=True)}
    return {"function": _path(wanted)}


def filter_of(description: Mapping[str, Any] | None) -> Any:
    """The filter of :func:`described_filter`.

    Raises:
        ConfigurationError: it was a function.
    """
    if description is None:
        return None
    ((name, told),) = description.items()
    if name == "function":
        raise _unmade("trusted_filter", told)
    return told if name == "metadata" else _FILTERS[name].model_validate(told)


def described_passages(passages: tuple[Passage, ...]) -> list[dict[str, Any]]:
    """The trusted passages in full: without one of them it is another filter."""
    return [{name: _plain(getattr(one, name)) for name in _PASSAGE} for one in passages]


def passages_of(descriptions: list[dict[str, Any]]) -> tuple[Passage, ...]:
    """The passages of :func:`described_passages`."""
    return tuple(Passage(**one) for one in descriptions)


def described_settings(settings: ContradictionSettings | None) -> dict[str, float] | None:
    """The constants by their names."""
    if settings is None:
        return None
    return {one.name: getattr(settings, one.name) for one in fields(settings)}


def settings_of(constants: Mapping[str, float] | None) -> ContradictionSettings | None:
    """The settings of :func:`described_settings`."""
    return None if constants is None else ContradictionSettings.from_constants(constants)


def described_opinion(opinion: Any) -> str | None:
    """Where the second opinion is to be found; nothing of what it holds."""
    return None if opinion is None else _path(opinion)


def opinion_of(path: str | None) -> None:
    """No second opinion.

    Raises:
        ConfigurationError: there was one.
    """
    if path is not None:
        raise _unmade("second_opinion", path)


OBJECTS: Mapping[str, Callable[[Any], Any]] = {
    "policy": rule_of,
    "trusted": passages_of,
    "trusted_filter": filter_of,
    "settings": settings_of,
    "second_opinion": opinion_of,
}
"""Setting -> what makes it of its description."""


def _plain(value: Any) -> Any:
    return to_jsonable_python(value, fallback=_path)


def _path(value: Any) -> str:
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def _unmade(setting: str, path: Any) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be made from its description. Pass {setting}= with the {setting} that the"
        " filter had."
    )
