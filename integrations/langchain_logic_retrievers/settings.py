"""Types of settings that several classes have, checked when set.

``InstanceOf`` keeps a part out of a JSON schema, which could not hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, InstanceOf, PlainSerializer
from qdrant_client import models

from logic_retrievers.adapters.descriptions import any_policy_from, qualified_name
from logic_retrievers.index.filters import to_qdrant_filter
from logic_retrievers.policies import Policy, PolicyRouter, describe_policy, resolve_policy
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.types import Passage

# a misspelt setting is an error, and no error repeats a document
STRICT = ConfigDict(arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True)


def _check_policy(policy: AnyPolicy) -> AnyPolicy:
    resolve_policy(policy)
    return policy


def _serialise_policy(policy: AnyPolicy) -> Any:
    return policy if isinstance(policy, str) else describe_policy(policy)


def _check_filter(
    condition: models.Filter | Mapping[str, Any],
) -> models.Filter | Mapping[str, Any]:
    to_qdrant_filter(condition)
    return condition


def _serialise_trusted_filter(condition: Any) -> Any:
    return qualified_name(condition) if callable(condition) else condition


PolicySetting: TypeAlias = Annotated[
    str | InstanceOf[Policy] | InstanceOf[PolicyRouter],
    BeforeValidator(any_policy_from),
    AfterValidator(_check_policy),
    PlainSerializer(_serialise_policy),
]
# InstanceOf: a dict is a filter over metadata, and never becomes a Qdrant filter by its keys
FilterSetting: TypeAlias = Annotated[
    InstanceOf[models.Filter] | Mapping[str, Any],
    AfterValidator(_check_filter),
]
TrustedFilterSetting: TypeAlias = (
    FilterSetting | Annotated[Callable[[Passage], bool], PlainSerializer(_serialise_trusted_filter)]
)
