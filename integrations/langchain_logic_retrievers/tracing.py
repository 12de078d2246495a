"""Send a run's decisions to tracers as custom events, without any text, and nest our spans."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from langchain_core.callbacks import (
    BaseCallbackManager,
    Callbacks,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from logic_retrievers.tracing import children_of

RETRIEVAL = "logic_retrievers.retrieval"
RERANKING = "logic_retrievers.rerank"
FILTERING = "logic_retrievers.filtering"


def send_event(name: str, describe: Callable[[], dict[str, Any]], callbacks: Callbacks) -> None:
    """Dispatch a custom event; do nothing outside a run or without handlers."""
    config = _run_config(callbacks)
    if config is not None:
        dispatch_custom_event(name, describe(), config=config)


async def asend_event(
    name: str, describe: Callable[[], dict[str, Any]], callbacks: Callbacks
) -> None:
    """:func:`send_event` without blocking the event loop."""
    config = _run_config(callbacks)
    if config is not None:
        await adispatch_custom_event(name, describe(), config=config)


def inside_run(callbacks: Callbacks) -> AbstractContextManager[None]:
    """Make spans of OpenTelemetry children of the run's span, if a handler has one.

    OpenInference's handler for LangChain never makes a span the current one.
    """
    config = _run_config(callbacks)
    manager = None if config is None else config.get("callbacks")
    if isinstance(manager, BaseCallbackManager):
        for handler in manager.handlers:
            get_span = getattr(handler, "get_span", None)
            span = get_span(manager.parent_run_id) if callable(get_span) else None
            if hasattr(span, "get_span_context"):
                return children_of(span)
    return nullcontext()


def _run_config(callbacks: Callbacks) -> RunnableConfig | None:
    # the config is explicit, because a dispatch without a config raises outside a run
    config = ensure_config(None if callbacks is None else {"callbacks": callbacks})
    manager = config.get("callbacks")
    if not isinstance(manager, BaseCallbackManager) or manager.parent_run_id is None:
        return None
    return config if manager.handlers else None
