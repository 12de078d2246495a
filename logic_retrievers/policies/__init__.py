"""Pure rules from a scored pool to a ranking."""

from logic_retrievers.policies.base import Policy, Ranked
from logic_retrievers.policies.registry import POLICIES, resolve_policy
from logic_retrievers.policies.sequential import SequentialPolicy
from logic_retrievers.policies.single import CompatibilityPolicy, TopicalPolicy
from logic_retrievers.policies.union import KeepRule, UnionPolicy

__all__ = [
    "POLICIES",
    "CompatibilityPolicy",
    "KeepRule",
    "Policy",
    "Ranked",
    "SequentialPolicy",
    "TopicalPolicy",
    "UnionPolicy",
    "resolve_policy",
]
