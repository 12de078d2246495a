"""Settings of LlamaIndex's parts: a policy as a field, and checks."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from llama_index_logic_retrievers.filters import to_trusted_filter
from llama_index_logic_retrievers.nodes import trusted_passages
from logic_retrievers.adapters.descriptions import any_policy_from
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import Policy, PolicyRouter, describe_policy, resolve_policy


def check_policy(policy: Any) -> str | Policy | PolicyRouter:
    """Check a policy; make one from a description of :func:`describe_policy`.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: not a policy, or only Python can make it.
    """
    made = any_policy_from(policy)
    resolve_policy(made)
    return made  # type: ignore[no-any-return]


# a name, a policy or a router; checked when set, described when serialised
PolicySetting = Annotated[
    Any,
    BeforeValidator(check_policy),
    PlainSerializer(describe_policy, return_type=dict[str, Any]),
]


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuse an unknown setting, which pydantic would silently drop.

    Raises:
        ConfigurationError: the message names it and the known ones.
    """
    if unknown := sorted(settings.keys() - known):
        names = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{names}.")


def check_index(index: Any) -> PassageIndex:
    """Check the index of a part.

    Raises:
        ConfigurationError: not a PassageIndex.
    """
    if not isinstance(index, PassageIndex):
        raise ConfigurationError(
            f"A PassageIndex is needed as index=, not {type(index).__name__}: store.index of a"
            " LogicVectorStore, or PassageIndex.open(...)."
        )
    return index


def core_settings(values: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """Convert settings to the core's types, without the adapter's ``own`` ones.

    Raises:
        InputError: a trusted node is not a node, or a filter cannot be read.
    """
    settings = {name: value for name, value in values.items() if name not in own}
    settings["trusted"] = trusted_passages(settings["trusted"])
    settings["trusted_filter"] = to_trusted_filter(settings["trusted_filter"], settings["index"])
    return settings
