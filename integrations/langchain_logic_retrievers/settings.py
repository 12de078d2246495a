"""Types of settings that several classes have: checked when set, and fit for a JSON schema.

``InstanceOf`` is what makes them fit: pydantic leaves such a part out of a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, InstanceOf, PlainSerializer
from qdrant_client import models

from logic_retrievers.answering import AnyPolicy, check_count
from logic_retrievers.index.filters import compose
from logic_retrievers.policies import Chooser, Policy, describe_policy, resolve_policy


def _known(policy: AnyPolicy) -> AnyPolicy:
    resolve_policy(policy)
    return policy


def _plain(policy: AnyPolicy) -> Any:
    return policy if isinstance(policy, str) else describe_policy(policy)


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
