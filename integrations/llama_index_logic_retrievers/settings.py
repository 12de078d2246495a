"""Settings of LlamaIndex's parts: a policy as a field, and what is refused."""

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
    """The policy itself; what :func:`describe_policy` made is turned back into one.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: no policy, or a description of one that only Python can make.
    """
    made = any_policy_from(policy)
    resolve_policy(made)
    return made  # type: ignore[no-any-return]


PolicySetting = Annotated[
    Any,
    BeforeValidator(check_policy),
    PlainSerializer(describe_policy, return_type=dict[str, Any]),
]
"""A name, a policy or a policy router; checked when set, described when serialised."""


def refuse_unknown(owner: str, settings: Mapping[str, Any], known: Set[str] = frozenset()) -> None:
    """Refuses a setting that does not exist, and that pydantic would drop without a word.

    Raises:
        ConfigurationError: the message names it, and those that exist.
    """
    if unknown := sorted(settings.keys() - known):
        names = f"; there is {', '.join(sorted(known))}" if known else ""
        raise ConfigurationError(f"{owner} has no setting {unknown[0]!r}{names}.")


def check_index(index: Any) -> PassageIndex:
    """The index that a part stands on.

    Raises:
        ConfigurationError: none.
    """
    if not isinstance(index, PassageIndex):
        raise ConfigurationError(
            f"A PassageIndex is needed as index=, not {type(index).__name__}: store.index of a"
            " LogicVectorStore, or PassageIndex.open(...)."
        )
    return index


def core_settings(values: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """Settings for the core's class: without the adapter's ``own``, and in the core's types.

    Raises:
        InputError: a trusted node that is none, or a filter that cannot be read.
    """
    settings = {name: value for name, value in values.items() if name not in own}
    settings["trusted"] = trusted_passages(settings["trusted"])
    settings["trusted_filter"] = to_trusted_filter(settings["trusted_filter"], settings["index"])
    return settings
