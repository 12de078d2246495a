"""Pure rules from a scored pool to a ranking."""

from logic_retrievers.policies.auto import AutoPolicy
from logic_retrievers.policies.base import Chooser, Policy, Ranked
from logic_retrievers.policies.boolean import (
    BooleanPolicy,
    BooleanSettings,
    Combination,
    ExpressionPolicy,
)
from logic_retrievers.policies.exclusion import ExclusionPolicy, ExclusionSettings
from logic_retrievers.policies.lexical import HybridPolicy, LexicalPolicy
from logic_retrievers.policies.registry import POLICIES, describe_policy, resolve_policy
from logic_retrievers.policies.sequential import SequentialPolicy
from logic_retrievers.policies.single import CompatibilityPolicy, TopicalPolicy
from logic_retrievers.policies.union import CoderUnionPolicy, KeepRule, UnionPolicy

__all__ = [
    "POLICIES",
    "AutoPolicy",
    "BooleanPolicy",
    "BooleanSettings",
    "Chooser",
    "CoderUnionPolicy",
    "Combination",
    "CompatibilityPolicy",
    "ExclusionPolicy",
    "ExclusionSettings",
    "ExpressionPolicy",
    "HybridPolicy",
    "KeepRule",
    "LexicalPolicy",
    "Policy",
    "Ranked",
    "SequentialPolicy",
    "TopicalPolicy",
    "UnionPolicy",
    "describe_policy",
    "resolve_policy",
]
