"""Time of searches by parts, and the collection that is searched."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.effects import Effect
from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Vectors, VectorSpec
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

FILM_CHARACTERS = 600


class Stopwatch:
    """Measures the seconds spent in the encoder, and in all other effects (requests to Qdrant).

    Args:
        index: with the connection and the encoder to time.
    """

    def __init__(self, index: PassageIndex) -> None:
        self.encoder = self.qdrant = 0.0
        self._perform = index.connection.handle
        index.connection.handle = self.handle  # type: ignore[method-assign]
        for side in ("encode_queries", "encode_documents"):
            setattr(index.encoder, side, self._timed(getattr(index.encoder, side)))

    def handle(self, effect: Effect) -> Any:
        """Performs the effect and adds its time without the encoder's."""
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
    """Seconds of searches, one query at a time; each list has one entry per query.

    Args:
        total: the whole search.
        encoder, qdrant: parts of it.
        cpu: processor time of all threads of this process.
    """

    total: list[float] = field(default_factory=list)
    encoder: list[float] = field(default_factory=list)
    qdrant: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def own(self) -> list[float]:
        """The remainder: parser, policy and evidence."""
        parts = zip(self.total, self.encoder, self.qdrant, strict=True)
        return [total - encoder - qdrant for total, encoder, qdrant in parts]


def timed_searches(
    engine: Engine, watch: Stopwatch, queries: Sequence[str], k: int = 10
) -> Timings:
    """Times a search for each query, after a warm-up search.

    Args:
        engine: over the index that the watch times.
        watch: reset before every query.
        queries: texts.
        k: number of hits.
    """
    engine.search("warm up", k)
    timings = Timings()
    for query in queries:
        watch.encoder = watch.qdrant = 0.0
        cpu, begun = time.process_time(), time.perf_counter()
        engine.search(query, k)
        timings.total.append(time.perf_counter() - begun)
        timings.cpu.append(time.process_time() - cpu)
        timings.encoder.append(watch.encoder)
        timings.qdrant.append(watch.qdrant)
    return timings


def film_passages(count: int) -> list[Passage]:
    """The first films of the shared data, truncated to 600 characters (about 130 tokens)."""
    rows = json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz")
    films = zip(range(count), rows, strict=False)
    return [Passage(row.id(), row.text("text")[:FILM_CHARACTERS]) for _, row in films]


class _FreshQueries:
    """The shipped encoder with cached document vectors; queries are always encoded."""

    def __init__(self, bench: Workbench) -> None:
        self._kept, self._encoder = bench.encoder, default_encoder()

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return self._encoder.specs

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._kept.encode_documents(texts, names)

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._encoder.encode_queries(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._encoder.token_spans(text)


@contextmanager
def timed_collection(bench: Workbench) -> Iterator[PassageIndex]:
    """An empty collection in this process, with words and a warm encoder."""
    with PassageIndex.open("latency", _FreshQueries(bench)) as index:
        index.encoder.encode_queries(["warm up"], ["topical", "compatibility"])
        yield index
