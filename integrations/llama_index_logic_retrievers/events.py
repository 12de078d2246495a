"""What a filter decided, as an event of LlamaIndex's instrumentation. Without any node's text."""

from __future__ import annotations

from typing import Any

from llama_index.core.instrumentation.events.base import BaseEvent  # type: ignore[attr-defined]


class ContradictionFilterEvent(BaseEvent):
    """A filter has decided.

    Args:
        policy: its name.
        hits: of each node that stays its ``id``, ``score``, ``kept`` and ``reason``.
        dropped: the same of those that went.
        conflicts: every pair, as :meth:`logic_retrievers.contradiction.Conflict.to_dict` has it.
        short: fewer nodes than ``top_n`` could be given.
        notes: what else there is to say, in sentences.
    """

    policy: str
    hits: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    short: bool
    notes: list[str]

    @classmethod
    def class_name(cls) -> str:
        """The event's name, as LlamaIndex's events have one."""
        return "ContradictionFilterEvent"
