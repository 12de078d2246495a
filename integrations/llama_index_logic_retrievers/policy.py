"""A policy as a pydantic field: checked when set, described when serialised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies import Chooser, Policy, describe_policy, resolve_policy


def checked_policy(given: Any) -> str | Policy | Chooser:
    """The policy itself; what :func:`describe_policy` made is turned back into one.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: no policy, or a description of one that only Python can make.
    """
    if isinstance(given, Mapping):
        return _rebuilt(given)
    resolve_policy(given)
    return given  # type: ignore[no-any-return]


def _rebuilt(description: Mapping[str, Any]) -> Policy | Chooser:
    policy = resolve_policy(description.get("name", ""))
    usual = describe_policy(policy)
    changed = {key: value for key, value in description.items() if usual.get(key, ...) != value}
    simple = all(
        value is None or isinstance(value, str | int | float) for value in changed.values()
    )
    if changed and simple and is_dataclass(policy) and changed.keys() <= usual.keys():
        policy = replace(policy, **changed)
    if describe_policy(policy) != dict(description):
        raise ConfigurationError(
            f"The policy {dict(description)} cannot be made from its description. Pass policy=."
        )
    return policy


PolicySetting = Annotated[
    Any,
    BeforeValidator(checked_policy),
    PlainSerializer(describe_policy, return_type=dict[str, Any]),
]
"""A name, a policy or a chooser."""
