"""Custom events: what was decided, for tracers and ``astream_events``. Without any text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import (
    BaseCallbackManager,
    Callbacks,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from logic_retrievers.contradiction import Filtered
from logic_retrievers.types import Hit

RETRIEVAL = "logic_retrievers.retrieval"
RERANKING = "logic_retrievers.reranking"
FILTERING = "logic_retrievers.filtering"


def send(name: str, told: Callable[[], dict[str, Any]], callbacks: Callbacks) -> None:
    """Tells the run's handlers; silent where no run is going on or nobody listens."""
    config = _config_of(callbacks)
    if config is not None:
        dispatch_custom_event(name, told(), config=config)


async def asend(name: str, told: Callable[[], dict[str, Any]], callbacks: Callbacks) -> None:
    """The asynchronous twin of :func:`send`."""
    config = _config_of(callbacks)
    if config is not None:
        await adispatch_custom_event(name, told(), config=config)


def of_hits(policy: str, hits: Sequence[Hit]) -> dict[str, Any]:
    """What a ranking tells.

    Args:
        policy: the name of the one that was asked for.
        hits: its result; their evidence names the policy that ranked.
    """
    return {
        "policy": policy,
        "ranked_by": hits[0].evidence.policy if hits else None,
        "hits": [hit.without_text() for hit in hits],
    }


def of_filtered(policy: str, result: Filtered) -> dict[str, Any]:
    """What a filter tells.

    Args:
        policy: the name of the rule.
        result: what it decided.
    """
    return {"policy": policy, **result.without_texts()}


def _config_of(callbacks: Callbacks) -> RunnableConfig | None:
    """The run's config, said explicitly: a bare dispatch raises where there is no run."""
    config = ensure_config(None if callbacks is None else {"callbacks": callbacks})
    manager = config.get("callbacks")
    if not isinstance(manager, BaseCallbackManager) or manager.parent_run_id is None:
        return None
    return config if manager.handlers else None
