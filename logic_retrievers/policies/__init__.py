"""Policies: pure rules from a pool of scored candidates to a ranking."""

from logic_retrievers.policies.auto import AutoPolicy
from logic_retrievers.policies.base import (
    CompatibilityPolicy,
    HybridPolicy,
    LexicalPolicy,
    Policy,
    PolicyRouter,
    Ranked,
    TopicalPolicy,
)
from logic_retrievers.policies.boolean import BooleanPolicy, BooleanSettings, ExpressionPolicy
from logic_retrievers.policies.coder import CoderUnionPolicy, SequentialPolicy, UnionPolicy
from logic_retrievers.policies.constraint import ConstraintPolicy, ConstraintSettings
from logic_retrievers.policies.registry import (
    POLICIES,
    describe_policy,
    policy_from,
    resolve_policy,
)

__all__ = [
    "POLICIES",
    "AutoPolicy",
    "BooleanPolicy",
    "BooleanSettings",
    "CoderUnionPolicy",
    "CompatibilityPolicy",
    "ConstraintPolicy",
    "ConstraintSettings",
    "ExpressionPolicy",
    "HybridPolicy",
    "LexicalPolicy",
    "Policy",
    "PolicyRouter",
    "Ranked",
    "SequentialPolicy",
    "TopicalPolicy",
    "UnionPolicy",
    "describe_policy",
    "policy_from",
    "resolve_policy",
]
