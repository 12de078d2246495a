"""Types of settings that several classes have: checked when set, and fit for a JSON schema.

``InstanceOf`` is what makes them fit: pydantic leaves such a part out of a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from pydantic import AfterValidator, ConfigDict, InstanceOf, PlainSerializer
from qdrant_client import models

from logic_retrievers.adapters.descriptions import qualified_name
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import Settings
from logic_retrievers.index.filters import to_qdrant_filter
from logic_retrievers.policies import Policy, PolicyRouter, describe_policy, resolve_policy
from logic_retrievers.query_input import AnyPolicy
from logic_retrievers.types import Passage

T = TypeVar("T")
STRICT = ConfigDict(arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True)
"""A misspelt setting is an error, and no error repeats a document."""


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


class Built(NamedTuple, Generic[T]):
    """A core object and the settings that it was made of.

    It is not pickled: another process makes the object anew.
    """

    core: T
    settings: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def build(built: Built[T] | None, settings: dict[str, Any], make: Callable[..., T]) -> Built[T]:
    """The core object of these settings: the one that there is, or a new one if a setting changed.

    Args:
        built: what an earlier call gave back.
        settings: keyword arguments of ``make``.
        make: the core's class.
    """
    if built is not None and built.settings == settings:
        return built
    return Built(make(**settings), settings)


class StoreOptions(NamedTuple):
    """What ``from_texts`` and ``from_documents`` open a store with."""

    collection: str
    policy: AnyPolicy
    settings: Settings
    identity: str | None


def read_store_options(keywords: Mapping[str, Any]) -> StoreOptions:
    """Sorts the keyword arguments of ``from_texts``.

    Raises:
        ConfigurationError: one that nobody knows, or the collection's name twice.
    """
    rest = dict(keywords)
    names = [rest.pop(key) for key in ("collection", "collection_name") if key in rest]
    if len(names) > 1:
        raise ConfigurationError("Name the collection once: collection= or collection_name=.")
    policy, identity = rest.pop("policy", "auto"), rest.pop("identity", None)
    if unknown := sorted(rest.keys() - Settings.__annotations__.keys()):
        raise ConfigurationError(
            f"Unknown setting {unknown[0]!r}. A server's URL or a folder is location=; the others "
            f"are {', '.join(sorted(Settings.__annotations__))}."
        )
    settings = cast("Settings", rest)
    return StoreOptions(names[0] if names else "passages", policy, settings, identity)
