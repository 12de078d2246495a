"""Custom events: what a policy decided, for tracers and ``astream_events``. Without any text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import (
    BaseCallbackManager,
    Callbacks,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from logic_retrievers.answering import AnyPolicy
from logic_retrievers.policies import resolve_policy
from logic_retrievers.types import Hit

RETRIEVAL = "logic_retrievers.retrieval"
RERANKING = "logic_retrievers.reranking"


def send(name: str, policy: AnyPolicy, hits: Sequence[Hit], callbacks: Callbacks) -> None:
    """Tells the run's handlers; silent where no run is going on or nobody listens."""
    config = _config_of(callbacks)
    if config is not None:
        dispatch_custom_event(name, _data(policy, hits), config=config)


async def asend(name: str, policy: AnyPolicy, hits: Sequence[Hit], callbacks: Callbacks) -> None:
    """The asynchronous twin of :func:`send`."""
    config = _config_of(callbacks)
    if config is not None:
        await adispatch_custom_event(name, _data(policy, hits), config=config)


def _config_of(callbacks: Callbacks) -> RunnableConfig | None:
    """The run's config, said explicitly: a bare dispatch raises where there is no run."""
    config = ensure_config(None if callbacks is None else {"callbacks": callbacks})
    manager = config.get("callbacks")
    if not isinstance(manager, BaseCallbackManager) or manager.parent_run_id is None:
        return None
    return config if manager.handlers else None


def _data(policy: AnyPolicy, hits: Sequence[Hit]) -> dict[str, Any]:
    return {
        "policy": resolve_policy(policy).name,
        "ranked_by": hits[0].evidence.policy if hits else None,
        "hits": [
            {
                "id": hit.passage.id,
                "score": hit.score,
                "kept": hit.evidence.kept,
                "reason": hit.evidence.reason,
            }
            for hit in hits
        ],
    }
