"""An encoder that records its texts and whether an event loop runs meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeVar

from logic_retrievers.encoders.base import Encoder, Vectors, VectorSpec

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds after which an event loop that did not run counts as blocked; only failures take them."""


class WatchedEncoder:
    """Wraps an encoder and records all texts that it encodes.

    Args:
        encoder: makes the vectors.

    Attributes:
        queries, documents: every encoded text, in order.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._begun, self._freed = threading.Event(), threading.Event()
        self._held = self._blocked = False
        self.queries: list[str] = []
        self.documents: list[str] = []

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors of the wrapped encoder."""
        return self._encoder.specs

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries."""
        self.queries.extend(texts)
        self._wait()
        return self._encoder.encode_queries(texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents."""
        self.documents.extend(texts)
        self._wait()
        return self._encoder.encode_documents(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the wrapped encoder's spans."""
        return self._encoder.token_spans(text)

    def loop_runs_during(self, work: Awaitable[T]) -> bool:
        """Run ``work`` on a new event loop; return whether the loop ran during encoding.

        Encoding waits for a second task of the loop, so the result does not depend on timing.

        Raises:
            AssertionError: ``work`` encoded nothing, so there is no answer.
        """
        self._begun.clear()
        self._freed.clear()
        self._held, self._blocked = True, False
        try:
            asyncio.run(self._watch_loop(work))
        finally:
            self._held = False
        assert self._begun.is_set(), "nothing was encoded"
        return not self._blocked

    async def _watch_loop(self, work: Awaitable[T]) -> T:
        async def tick() -> None:
            while not self._begun.is_set():
                await asyncio.sleep(0.001)
            self._freed.set()

        ticking = asyncio.create_task(tick())
        try:
            return await work
        finally:
            ticking.cancel()

    def _wait(self) -> None:
        if self._held:
            self._begun.set()
            if not self._freed.wait(PATIENCE):
                self._blocked = True
