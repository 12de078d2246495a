"""Rate limits of strict mode: what a request costs, and the bucket that it is taken from."""

import time
from typing import Any

from qdrant_client.http import models

from .operations import READS
from .replies import ErrorReply
from .rules import conditions_of

REFILL = 0.05
"""Seconds in which an empty bucket is full again; a server takes a minute."""


class RateLimiter:
    """The tokens of one collection; the words are those of a real server."""

    def __init__(self, strict: models.StrictModeConfig) -> None:
        self._limits = {"Read": strict.read_rate_limit, "Write": strict.write_rate_limit}
        self._tokens = dict(self._limits)
        self._checked = time.monotonic()

    def check(self, endpoint: str, body: Any) -> None:
        """Takes what a request costs.

        Raises:
            ErrorReply: it costs more than there is now, or than there ever is.
        """
        kind = "Read" if endpoint in READS else "Write"
        limit, tokens = self._limits[kind], _cost(endpoint, body)
        if limit is None or not tokens:
            return
        exceeded = f"Rate limiting exceeded: {kind} rate limit exceeded"
        if tokens > limit:
            raise ErrorReply(
                429,
                f"{exceeded}, request larger than rate limiter capacity, please try to split your"
                " request",
            )
        now = time.monotonic()
        for each, most in self._limits.items():
            if most is not None:
                refilled = self._tokens[each] + most * (now - self._checked) / REFILL
                self._tokens[each] = min(most, refilled)
        self._checked = now
        if tokens > self._tokens[kind]:
            pause = (tokens - self._tokens[kind]) * REFILL / limit
            raise ErrorReply(
                429,
                f"{exceeded}: Operation requires {tokens} tokens but only"
                f" {self._tokens[kind]:.1f} were available. Retry after {pause:.2f}s",
                retry_after=f"{pause:.2f}",
            )
        self._tokens[kind] -= tokens


def _cost(endpoint: str, body: Any) -> int:
    """Tokens, by qdrant's ``operation_rate_cost.rs``: searches, their conditions, and points."""
    match endpoint:
        case "points/query/batch":
            return sum(1 + len(conditions_of(search)) for search in body.searches)
        case "points/query" | "points/scroll" | "points/count":
            return 1 + len(conditions_of(body))
        case "points/retrieve":
            return len(body.ids)
    if endpoint.startswith("points/"):
        return len(getattr(body, "points", None) or [body])
    return 0
