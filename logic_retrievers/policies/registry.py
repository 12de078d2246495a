"""Policies by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

from logic_retrievers.errors import ConfigurationError, UnknownPolicyError
from logic_retrievers.policies.auto import AutoPolicy
from logic_retrievers.policies.base import Chooser, Policy
from logic_retrievers.policies.boolean import BooleanPolicy
from logic_retrievers.policies.lexical import HybridPolicy, LexicalPolicy
from logic_retrievers.policies.sequential import SequentialPolicy
from logic_retrievers.policies.single import CompatibilityPolicy, TopicalPolicy
from logic_retrievers.policies.union import CoderUnionPolicy, UnionPolicy

POLICIES: dict[str, type[Policy] | type[Chooser]] = {
    policy.name: policy
    for policy in (
        AutoPolicy,
        BooleanPolicy,
        TopicalPolicy,
        CompatibilityPolicy,
        SequentialPolicy,
        UnionPolicy,
        CoderUnionPolicy,
        LexicalPolicy,
        HybridPolicy,
    )
}


def resolve_policy(policy: str | Policy | Chooser) -> Policy | Chooser:
    """A policy from its name (with its default settings), or the policy itself.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: the value is neither a name nor a policy.
    """
    if isinstance(policy, str):
        try:
            return POLICIES[policy]()
        except KeyError:
            raise UnknownPolicyError(
                f"unknown policy {policy!r}; one of {', '.join(POLICIES)}"
            ) from None
    if not isinstance(policy, Policy | Chooser):
        raise ConfigurationError(
            f"a policy is a name or a subclass of logic_retrievers.Policy, not {policy!r}"
        )
    return policy


def describe_policy(policy: str | Policy | Chooser) -> dict[str, Any]:
    """A policy's name and settings, ready for JSON: for logs, cache keys and serialised settings.

    A setting that JSON cannot hold (a parser of your own) is given by its ``repr``, or its class; a
    policy of your own gives its class too. Fields of a dataclass with ``repr=False`` are left out:
    mark those so that are secret, and give what changes the result a ``repr``.

    Raises:
        UnknownPolicyError, ConfigurationError: as :func:`resolve_policy`.
    """
    resolved = resolve_policy(policy)
    kind = type(resolved)
    ours = POLICIES.get(resolved.name) is kind
    return {
        "name": resolved.name,
        **({} if ours else {"class": _path(kind)}),
        **_settings(resolved),
    }


def _settings(value: Any) -> dict[str, Any]:
    if not is_dataclass(value):
        return {key: _plain(setting) for key, setting in getattr(value, "__dict__", {}).items()}
    shown = [setting.name for setting in fields(value) if setting.repr]
    return {name: _plain(getattr(value, name)) for name in shown}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, Set):  # its order changes from process to process
        return sorted((_plain(inner) for inner in value), key=repr)
    if isinstance(value, Collection):
        return [_plain(inner) for inner in value]
    if is_dataclass(value):
        return _settings(value)
    if isinstance(value, type | FunctionType):
        return _path(value)
    kind = type(value)
    if "__repr__" in {name for home in kind.__mro__[:-1] for name in vars(home)}:
        return repr(value)
    return _path(kind)  # object's repr would hold an address


def _path(named: type | FunctionType) -> str:
    return f"{named.__module__}.{named.__qualname__}"
