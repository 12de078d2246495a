"""Settings of LlamaIndex's parts: a policy as a field, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from logic_retrievers.adapters.descriptions import policy_from
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import Policy, PolicyRouter, describe_policy, resolve_policy


def check_policy(policy: Any) -> str | Policy | PolicyRouter:
    """The policy itself; what :func:`describe_policy` made is turned back into one.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: no policy, or a description of one that only Python can make.
    """
    if isinstance(policy, Mapping):
        return policy_from(policy)
    resolve_policy(policy)
    return policy  # type: ignore[no-any-return]


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


def fingerprints_of(encoder: Encoder) -> dict[str, str]:
    """Which encoder it is: vector name -> fingerprint of its document side."""
    return {name: spec.fingerprint for name, spec in encoder.specs.items()}


def check_fingerprints(saved: Any, present: Any, part: str) -> None:
    """Refuses settings that were saved with another encoder.

    Args:
        saved: fingerprints among the settings; None where there are none.
        present: those of the encoder that the part has now.
        part: what the part is called.

    Raises:
        ConfigurationError: they differ.
    """
    if saved not in (None, present):
        raise ConfigurationError(
            f"These are the settings of a {part} with another encoder. Pass encoder= or index="
            " with the encoder that it had."
        )
