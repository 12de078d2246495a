"""The families of cues that the parser knows, each a small rule with its examples."""

from logic_retrievers.queries.rules import (
    another,
    contrast,
    doing,
    leaving_out,
    negated,
    second,
    unrelated,
    without,
)
from logic_retrievers.queries.rules.base import Example, Rule, Scope

RULES: tuple[Rule, ...] = tuple(
    rule
    for module in (another, leaving_out, without, doing, negated, contrast, second, unrelated)
    for rule in vars(module).values()
    if isinstance(rule, Rule)
)
"""All of them. Where two match at one place the longer cue wins, then the earlier rule."""

__all__ = ["RULES", "Example", "Rule", "Scope"]
