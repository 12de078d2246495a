"""Policies by name."""

from __future__ import annotations

from logic_retrievers.errors import ConfigurationError, UnknownPolicyError
from logic_retrievers.policies.auto import AutoPolicy
from logic_retrievers.policies.base import Chooser, Policy
from logic_retrievers.policies.sequential import SequentialPolicy
from logic_retrievers.policies.single import CompatibilityPolicy, TopicalPolicy
from logic_retrievers.policies.union import CoderUnionPolicy, UnionPolicy

POLICIES: dict[str, type[Policy] | type[Chooser]] = {
    policy.name: policy
    for policy in (
        AutoPolicy,
        TopicalPolicy,
        CompatibilityPolicy,
        SequentialPolicy,
        UnionPolicy,
        CoderUnionPolicy,
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
