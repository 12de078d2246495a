"""Find policies by name, describe them, and make them from their descriptions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any, get_args, get_type_hints

from logic_retrievers.errors import ConfigurationError, UnknownPolicyError, shown
from logic_retrievers.fields import ComparableField
from logic_retrievers.overrides import Overrides
from logic_retrievers.policies.auto import AutoPolicy
from logic_retrievers.policies.base import (
    DEFAULT_PARSER,
    CompatibilityPolicy,
    HybridPolicy,
    JudgePolicy,
    LexicalPolicy,
    Policy,
    PolicyRouter,
    TopicalPolicy,
)
from logic_retrievers.policies.boolean import BooleanPolicy
from logic_retrievers.policies.coder import CoderUnionPolicy, SequentialPolicy, UnionPolicy
from logic_retrievers.queries import ConstraintParser

_POLICIES = (
    *(AutoPolicy, BooleanPolicy, TopicalPolicy, CompatibilityPolicy, SequentialPolicy),
    *(UnionPolicy, CoderUnionPolicy, LexicalPolicy, HybridPolicy, JudgePolicy),
)
POLICIES: dict[str, type[Policy] | type[PolicyRouter]] = {each.name: each for each in _POLICIES}
_PARSER = f"{ConstraintParser.__module__}.{ConstraintParser.__qualname__}"


def resolve_policy(policy: str | Policy | PolicyRouter) -> Policy | PolicyRouter:
    """Return the named policy with default settings, or the given policy itself.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: ``policy`` is neither a name nor a policy.
    """
    if isinstance(policy, str):
        try:
            return POLICIES[policy]()
        except KeyError:
            raise UnknownPolicyError(
                f"unknown policy {shown(policy)}; one of {', '.join(POLICIES)}"
            ) from None
    if not isinstance(policy, Policy | PolicyRouter):
        raise ConfigurationError(
            f"a policy is a name or a subclass of logic_retrievers.Policy, not {shown(policy)}"
        )
    return policy


def policy_from(description: Mapping[str, Any]) -> Policy | PolicyRouter:
    """Make a policy from the result of :func:`describe_policy`; missing settings get defaults.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: a setting is unknown, or the description names a custom policy or
            parser, which only Python can make.
    """
    kind = type(resolve_policy(description.get("name", "")))
    given = {name: value for name, value in description.items() if name != "name"}
    try:
        if isinstance(given.get("settings"), Mapping):
            settings_class, _ = get_args(get_type_hints(kind)["settings"])
            given["settings"] = settings_class(**given["settings"])
        if "parser" in given:
            given["parser"] = _parser_from(given["parser"])
        return kind(**given)
    except (TypeError, KeyError, ConfigurationError) as error:
        raise ConfigurationError(
            f"The policy {dict(description)} cannot be made from its description. Pass policy=."
        ) from error


def _parser_from(description: Any) -> Any:
    if description == _PARSER:
        return DEFAULT_PARSER
    own = dict(description) if isinstance(description, Mapping) else {}
    if own.pop("class", "") != _PARSER:
        return description
    return ConstraintParser(**own)


def describe_policy(policy: str | Policy | PolicyRouter) -> dict[str, Any]:
    """Describe a policy in JSON types: for logs, cache keys and saved settings.

    :func:`policy_from` restores the policy. A setting that JSON cannot hold (a custom parser) is
    described by its ``repr`` or its class. A custom policy's class is added. ``settings`` holds
    only values that the user set, not the constants of an encoder's bundle. Dataclass fields with
    ``repr=False`` are left out, so mark secrets with it. Give every object that changes the result
    a ``repr``.

    Raises:
        UnknownPolicyError, ConfigurationError: as :func:`resolve_policy`.
    """
    resolved = resolve_policy(policy)
    kind = type(resolved)
    own = {} if POLICIES.get(resolved.name) is kind else {"class": _path(kind)}
    return {"name": resolved.name, **own, **_describe_fields(resolved)}


def _describe_fields(value: Any) -> dict[str, Any]:
    if not is_dataclass(value):
        return {key: _to_json(setting) for key, setting in getattr(value, "__dict__", {}).items()}
    names = [setting.name for setting in fields(value) if setting.repr]
    return {name: _to_json(getattr(value, name)) for name in names}


def _to_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, ComparableField):
        return value.to_dict()
    if isinstance(value, Set):  # a set's order differs between processes
        return sorted((_to_json(item) for item in value), key=repr)
    if isinstance(value, Collection):
        return [_to_json(item) for item in value]
    if isinstance(value, Overrides):
        return value.overrides()
    if isinstance(value, ConstraintParser):  # only what differs from the default parser
        own = {
            each.name: _to_json(getattr(value, each.name))
            for each in fields(value)
            if getattr(value, each.name) != getattr(DEFAULT_PARSER, each.name, None)
        }
        return {"class": _path(type(value)), **own} if own else _path(type(value))
    if is_dataclass(value):
        return _describe_fields(value)
    if isinstance(value, type | FunctionType):
        return _path(value)
    kind = type(value)
    if "__repr__" in {name for base in kind.__mro__[:-1] for name in vars(base)}:
        return repr(value)
    return _path(kind)  # object's repr holds an address


def _path(value: type | FunctionType) -> str:
    return f"{value.__module__}.{value.__qualname__}"
