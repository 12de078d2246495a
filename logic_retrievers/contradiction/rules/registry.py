"""Rules by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from logic_retrievers.contradiction.rules.base import ConflictPolicy
from logic_retrievers.contradiction.rules.majority import PreferMajority
from logic_retrievers.contradiction.rules.newest import PreferNewest
from logic_retrievers.contradiction.rules.plain import Annotate, ByFunction, Chosen, DropBoth
from logic_retrievers.contradiction.rules.source import PreferSource
from logic_retrievers.errors import ConfigurationError, UnknownPolicyError

AnyRule: TypeAlias = str | ConflictPolicy | Chosen

RULES: Mapping[str, Callable[[str, str, tuple[str, ...]], ConflictPolicy]] = {
    "annotate": lambda _date, _source, _order: Annotate(),
    "prefer_newest": lambda date, _source, _order: PreferNewest(date),
    "prefer_source": lambda _date, source, order: PreferSource(order, source),
    "prefer_majority": lambda _date, source, _order: PreferMajority(source),
    "drop_both": lambda _date, _source, _order: DropBoth(),
}
"""Name -> the rule, made of the filter's date key, source key and order of sources."""


def resolve_rule(
    rule: AnyRule,
    date_key: str = "date",
    source_key: str = "source",
    source_order: Sequence[str] = (),
) -> ConflictPolicy:
    """A rule from its name, from a function of two passages, or the rule itself.

    Raises:
        UnknownPolicyError: no rule has that name.
        ConfigurationError: none of the three, or settings that the rule cannot work with.
    """
    for name, key in (("date_key", date_key), ("source_key", source_key)):
        if not isinstance(key, str) or not key:
            raise ConfigurationError(f"{name} must be the name of a metadata field, not {key!r}")
    if isinstance(source_order, str):
        raise ConfigurationError(f"source_order must be a list of sources: [{source_order!r}]")
    if isinstance(rule, str):
        if rule not in RULES:
            raise UnknownPolicyError(f"unknown policy {rule!r}; one of {', '.join(RULES)}")
        return RULES[rule](date_key, source_key, tuple(source_order))
    if isinstance(rule, ConflictPolicy):
        return rule
    if not callable(rule) or isinstance(rule, type):
        raise ConfigurationError(
            "a policy is a name, a ConflictPolicy, or a function of two passages that gives back"
            f" the one that stays; not {rule!r}"
        )
    return ByFunction(rule)
