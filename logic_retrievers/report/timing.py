"""How long searches take, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from logic_retrievers.engine import Engine
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.index import PassageIndex
from logic_retrievers.procedures import Effect
from logic_retrievers.types import Passage

FILM_CHARACTERS = 600


class Stopwatch:
    """Counts the seconds of encoding, and those of all other effects: reading from Qdrant.

    Args:
        index: its connection and its encoder are timed from now on.
    """

    def __init__(self, index: PassageIndex) -> None:
        self.encoder = self.qdrant = 0.0
        self._perform = index.connection.perform
        index.connection.perform = self.perform  # type: ignore[method-assign]
        for side in ("encode_queries", "encode_documents"):
            setattr(index.encoder, side, self._timed(getattr(index.encoder, side)))

    def perform(self, effect: Effect) -> Any:
        """Carries out the effect and notes the time that was not the encoder's."""
        begun, encoder = time.perf_counter(), self.encoder
        try:
            return self._perform(effect)
        finally:
            self.qdrant += time.perf_counter() - begun - (self.encoder - encoder)

    def _timed(self, encode: Any) -> Any:
        def timed(*arguments: Any) -> Any:
            begun = time.perf_counter()
            try:
                return encode(*arguments)
            finally:
                self.encoder += time.perf_counter() - begun

        return timed


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of searches, one query at a time; each list has one entry a query.

    Args:
        total: from the question to the hits.
        encoder, qdrant: parts of it.
        cpu: of all threads of this process together.
    """

    total: list[float] = field(default_factory=list)
    encoder: list[float] = field(default_factory=list)
    qdrant: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def own(self) -> list[float]:
        """What is left: the parser, the policy, the evidence."""
        parts = zip(self.total, self.encoder, self.qdrant, strict=True)
        return [total - encoder - qdrant for total, encoder, qdrant in parts]


def timed_searches(
    engine: Engine, watch: Stopwatch, queries: Sequence[str], k: int = 10
) -> Timings:
    """Searches for each query alone, after one that is not counted.

    Args:
        engine: over the index that the watch times.
        watch: set back for every query.
        queries: what to ask.
        k: how many hits.
    """
    engine.search("warm up", k)
    found = Timings()
    for query in queries:
        watch.encoder = watch.qdrant = 0.0
        cpu, begun = time.process_time(), time.perf_counter()
        engine.search(query, k)
        found.total.append(time.perf_counter() - begun)
        found.cpu.append(time.process_time() - cpu)
        found.encoder.append(watch.encoder)
        found.qdrant.append(watch.qdrant)
    return found


def film_passages(count: int) -> list[Passage]:
    """The first films of the shared data, cut to 600 characters: about 130 tokens."""
    rows = json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz")
    films = zip(range(count), rows, strict=False)
    return [Passage(row.id(), row.text("text")[:FILM_CHARACTERS]) for _, row in films]
