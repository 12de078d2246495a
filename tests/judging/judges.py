"""Judges with known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def probabilities(margin: float) -> tuple[float, float, float]:
    """Three probabilities that sum to 1, with the given margin of satisfies over violates."""
    return max(margin, 0.0), 1 - abs(margin), max(-margin, 0.0)


class MarginJudge:
    """Knows some passages' margins, judges no other, and records the questions."""

    def __init__(self, margins: Mapping[str, float]) -> None:
        self._margins = margins
        self.asked: list[list[tuple[str, str]]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]):
        self.asked.append(list(pairs))
        margins = [self._margins.get(passage) for passage, _ in pairs]
        return [None if margin is None else probabilities(margin) for margin in margins]

    @property
    def queries(self) -> list[str]:
        """The queries that the judge read, in order."""
        return [query for pairs in self.asked for _, query in pairs]

    @property
    def passages(self) -> list[str]:
        """The passages that the judge read, in order."""
        return [passage for pairs in self.asked for passage, _ in pairs]


class AsyncMarginJudge(MarginJudge):
    """The same judge as an ``async def``."""

    async def __call__(self, pairs: Sequence[tuple[str, str]]):
        return super().__call__(pairs)


def failing_judge(pairs):
    raise RuntimeError("key-12345")


def forbidden_judge(pairs):
    """Fails a test that asks it: the engine turns the error into a warning, an error in tests."""
    raise AssertionError(f"asked about {pairs}")
