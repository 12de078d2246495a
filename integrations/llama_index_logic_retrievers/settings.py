"""Settings of the LlamaIndex components: a policy as a field, pickling, conversion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, PlainSerializer

from llama_index_logic_retrievers.filters import to_trusted_filter
from llama_index_logic_retrievers.nodes import trusted_passages
from logic_retrievers.adapters.settings import check_policy
from logic_retrievers.policies import describe_policy

# a policy's name, a policy or a router; checked when set, described when serialised
PolicySetting = Annotated[
    Any,
    BeforeValidator(check_policy),
    PlainSerializer(describe_policy, return_type=dict[str, Any]),
]


def reduce_settings(part: BaseModel) -> tuple[Any, ...]:
    """Pickle a component as its settings.

    By default LlamaIndex silently leaves out fields that cannot be pickled.
    """
    settings = {name: value for name, value in part if name != "callback_manager"}
    return partial(type(part), **settings), ()


def core_settings(values: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """Convert settings to the core's types, and drop the adapter's ``own`` settings.

    Raises:
        InputError: a trusted node is not a node, or a filter cannot be read.
    """
    settings = {name: value for name, value in values.items() if name not in own}
    settings["trusted"] = trusted_passages(settings["trusted"])
    settings["trusted_filter"] = to_trusted_filter(settings["trusted_filter"], settings["index"])
    return settings
