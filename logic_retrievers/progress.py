"""Progress of a long call: the report that a callback gets, and the meter that sends it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from logic_retrievers.errors import ConfigurationError, shown

_RECENT_SECONDS = 30.0
_RECENT_REPORTS = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come.

    Args:
        done: number of finished items; in an ingestion, passages stored or found unchanged.
        read: number of items taken from the input; some of them may still wait.
        share: finished share of all items, 0 to 1; None if their number is unknown.
        per_second: items finished per second, over the last half minute; over a longer time if
            reports are rare.
    """

    done: int
    read: int
    share: float | None
    per_second: float

    @property
    def seconds_left(self) -> float | None:
        """Time left at the present speed; None if share or speed is unknown."""
        if not self.share or not self.per_second:
            return None
        return self.done * (1 / self.share - 1) / self.per_second


ProgressCallback: TypeAlias = Callable[[Progress], None]


class ProgressMeter:
    """Reports the progress of a call that starts with the meter.

    Args:
        callback: called with each Progress; None disables it.
        total: number of all items, if known.

    Raises:
        ConfigurationError: the callback is not callable.
    """

    def __init__(self, callback: ProgressCallback | None, total: int | None = None) -> None:
        if callback is not None and not callable(callback):
            raise ConfigurationError(f"progress= is a function or None, not {shown(callback)}")
        self._callback, self._total = callback, total
        self._recent = deque([(time.monotonic(), 0)])

    def report(self, done: int, read: int | None = None) -> None:
        """Call the callback; ``read`` defaults to ``done``."""
        if self._callback is None:
            return
        now, recent = time.monotonic(), self._recent
        recent.append((now, done))
        while len(recent) > _RECENT_REPORTS and recent[1][0] < now - _RECENT_SECONDS:
            recent.popleft()
        begun, before = recent[0]
        per_second = (done - before) / max(now - begun, 1e-6)
        share = min(1.0, done / self._total) if self._total else None
        self._callback(Progress(done, done if read is None else read, share, per_second))
