"""Types of settings that several classes have: checked when set, and fit for a JSON schema.

``InstanceOf`` is what makes them fit: pydantic leaves such a part out of a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, InstanceOf, PlainSerializer
from qdrant_client import models

from logic_retrievers.answering import AnyPolicy, check_count
from logic_retrievers.contradiction.rules import AnyRule, ConflictPolicy
from logic_retrievers.index.filters import compose
from logic_retrievers.policies import Chooser, Policy, describe_policy, resolve_policy
from logic_retrievers.types import Passage


def _known(policy: AnyPolicy) -> AnyPolicy:
    resolve_policy(policy)
    return policy


def _plain(policy: AnyPolicy) -> Any:
    return policy if isinstance(policy, str) else describe_policy(policy)


def _plain_rule(rule: AnyRule) -> Any:
    """A function cannot be written down; its name tells two of them apart."""
    if isinstance(rule, ConflictPolicy):
        names: list[str]
        names = [one.name for one in fields(rule) if one.repr] if is_dataclass(rule) else []
        return {"name": rule.name} | {name: _named(getattr(rule, name)) for name in names}
    return _named(rule)


def _named(value: Any) -> Any:
    if not callable(value):
        return value
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _counts(number: Any) -> Any:
    check_count("the number of documents", number)
    return number


def _readable(wanted: models.Filter | Mapping[str, Any]) -> models.Filter | Mapping[str, Any]:
    compose(wanted)
    return wanted


PolicySetting: TypeAlias = Annotated[
    str | InstanceOf[Policy] | InstanceOf[Chooser],
    AfterValidator(_known),
    PlainSerializer(_plain),
]
Count: TypeAlias = Annotated[int, BeforeValidator(_counts)]
# InstanceOf: a dict is a filter over metadata, and never becomes a Qdrant filter by its keys
FilterSetting: TypeAlias = Annotated[
    InstanceOf[models.Filter] | Mapping[str, Any],
    AfterValidator(_readable),
]
# the filter itself refuses what cannot work: some of it depends on other settings
RuleSetting: TypeAlias = Annotated[
    str | InstanceOf[ConflictPolicy] | Callable[[Passage, Passage], Passage | None],
    PlainSerializer(_plain_rule),
]
TrustedSetting: TypeAlias = (
    FilterSetting | Annotated[Callable[[Passage], bool], PlainSerializer(_named)]
)
