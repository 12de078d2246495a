"""Descriptions of settings in JSON types, for cache keys, traces and saved pipelines.

A user's own function or object is described by name and cannot be restored. On loading, the error
says which argument to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from pydantic_core import to_jsonable_python

from logic_retrievers.conflicts.resolution_strategies import (
    Annotate,
    DropBoth,
    InOrder,
    PreferMajority,
    PreferNewest,
    PreferSource,
    QuarantineAll,
    ResolutionStrategy,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.fields import ComparableField
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.settings import JudgeSettings
from logic_retrievers.policies import policy_from
from logic_retrievers.types import Hit, Passage

_STRATEGIES: Mapping[str, Callable[..., ResolutionStrategy]] = {
    strategy.name: strategy
    for strategy in (Annotate, DropBoth, PreferMajority, PreferNewest, PreferSource, QuarantineAll)
}
_PASSAGE_FIELDS = ("id", "text", "metadata", "source", "embed_text")


def qualified_name(value: Any) -> str:
    """Return module and name of a function or a class; for other values, of the value's class."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def jsonable(value: Any) -> Any:
    """Convert a value to JSON types; unsupported objects become names."""
    return to_jsonable_python(value, fallback=qualified_name)


def any_policy_from(description: Any) -> Any:
    """Make a policy from its description. A policy or a name is returned unchanged.

    Raises:
        UnknownPolicyError, ConfigurationError: see :func:`policy_from`.
    """
    return policy_from(description) if isinstance(description, Mapping) else description


def describe_judge(judge: Any) -> Any:
    """Describe a judge; one that a file cannot hold, by name."""
    if isinstance(judge, JudgeSettings):
        own = {} if judge.judge is None else {"judge": describe_judge(judge.judge)}
        return {**own, **judge.overrides()}
    if isinstance(judge, ModelJudge):
        with suppress(ConfigurationError):
            return judge.describe()
    return judge if judge is None or isinstance(judge, str) else qualified_name(judge)


def describe_fields(declared: Mapping[str, Any] | None) -> Any:
    """Describe declared fields; :func:`logic_retrievers.fields.check_fields` restores them."""
    return declared and {
        name: field.to_dict() if isinstance(field, ComparableField) else list(field)
        for name, field in declared.items()
    }


def describe_date(value: date | str | None) -> str | None:
    """Return a date or time as ISO 8601 text."""
    return value.isoformat() if isinstance(value, date) else value


def describe_params(params: Any) -> Any:
    """Describe search parameters as a dict of the fields that are set."""
    if params is None or isinstance(params, Mapping):
        return jsonable(params)
    return params.model_dump(mode="json", exclude_none=True)


def describe_resolution(resolution: Any) -> Any:
    """Describe a resolution as a name, as name and fields, or as a list of these."""
    if isinstance(resolution, str):
        return resolution
    if isinstance(resolution, InOrder):
        resolution = resolution.strategies
    if isinstance(resolution, Sequence):
        return [describe_resolution(strategy) for strategy in resolution]
    if not isinstance(resolution, ResolutionStrategy):
        return {"function": qualified_name(resolution)}
    kind = type(resolution)
    shown: list[str]
    shown = [field.name for field in fields(kind) if field.repr] if is_dataclass(kind) else []
    return {
        "name": resolution.name,
        **({} if _STRATEGIES.get(resolution.name) is kind else {"class": qualified_name(kind)}),
        **{name: jsonable(getattr(resolution, name)) for name in shown},
    }


def resolution_from(description: Any) -> Any:
    """Make the resolution, or list of resolutions, that :func:`describe_resolution` described.

    Raises:
        ConfigurationError: the resolution was a function or a user's own strategy.
    """
    if isinstance(description, list):
        return [resolution_from(strategy) for strategy in description]
    if not isinstance(description, Mapping):
        return description
    strategy = _STRATEGIES.get(description.get("name", ""))
    if strategy is None or "class" in description:
        name = description.get("class", description.get("function"))
        raise ConfigurationError(
            f"{name} cannot be restored from its description. Pass the original as resolution=."
        )
    settings = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in description.items()
        if key != "name"
    }
    return strategy(**settings)


def describe_passages(passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Describe passages in full, because different trusted passages give different results."""
    return [
        {name: jsonable(getattr(passage, name)) for name in _PASSAGE_FIELDS} for passage in passages
    ]


def describe_hits(policy: str, hits: Sequence[Hit]) -> dict[str, Any]:
    """Describe the result of a search or reranking for tracers, without any text.

    ``policy`` is the requested policy; ``ranked_by`` is the policy that a router chose.
    """
    return {
        "policy": policy,
        "ranked_by": hits[0].evidence.policy if hits else None,
        "hits": [hit.without_text() for hit in hits],
    }
