"""The embedded engine by the number of passages: time of searches, ingestion, disk and memory.

python -m benchmarks.embedded_growth [--sizes 10000 100000] [--location http://...]

Vectors (two of 384 dimensions) and texts (40 words of 20,000, by Zipf's law) are made at random, so
that only the engine and this package are measured; the encoder's share of a search is in the
report's study of latency. A numpy product over all topical vectors stands beside them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.memory import resident_mib
from benchmarks.common.output import publish
from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.encoders.base import Vectors, VectorSpec

DIMENSION = 384
WORDS = 20_000
SEARCHES = 60
ORDINARY = "a hotel with {} and {} near the {}"
EXCLUDING = "a hotel with {} and {}, but without {}"


class RandomEncoder:
    """A random vector for each text, the same at every call."""

    def __init__(self) -> None:
        self.specs: Mapping[str, VectorSpec] = {
            name: VectorSpec(name, DIMENSION, 256, f"random-{name}")
            for name in ("topical", "compatibility")
        }

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Shape (texts, 384) for each name."""
        return {name: self._encode(texts, name) for name in names or self.specs}

    encode_queries = encode_documents

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Words are spans; nothing here is split."""
        return [(0, len(text))]

    def _encode(self, texts: Sequence[str], name: str) -> Vectors:
        seeds = [blake2b(f"{name} {text}".encode(), digest_size=8).digest() for text in texts]
        rows = [
            np.random.default_rng(int.from_bytes(seed, "little")).standard_normal(DIMENSION)
            for seed in seeds
        ]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, DIMENSION)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, dtype=np.float32)


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--location", help="a server instead of the embedded engine")
    arguments = parser.parse_args()
    publish("embedded_growth", [measure(size, arguments.location) for size in arguments.sizes])


def measure(size: int, location: str | None) -> dict[str, Any]:
    """Figures of one collection."""
    encoder = RandomEncoder()
    with tempfile.TemporaryDirectory() as folder:
        place: dict[str, Any] = {"location": location or folder}
        collection = f"growth-{size}"
        with PassageIndex.open(collection, encoder, lexical=True, **place) as index:
            before, begun = resident_mib(), time.perf_counter()
            index.add(passages(size))
            seconds = time.perf_counter() - begun
            figures = {
                "passages": size,
                "add, passages/s": round(size / seconds, 1),
                **search_times(index, encoder),
                "memory MiB": round(resident_mib() - before, 1),
                "disk MiB": round(disk_bytes(Path(folder)) / 2**20, 1),
            }
        begun = time.perf_counter()
        with PassageIndex.open(collection, encoder, **place) as index:
            figures["open s"] = round(time.perf_counter() - begun, 3)
            figures["brute force with numpy p50 / p95 ms"] = timed(brute_force(encoder, size))
    return figures


def passages(count: int) -> Iterator[Passage]:
    """Passages of 40 words."""
    random = np.random.default_rng(0)
    for number in range(count):
        yield Passage(f"p{number}", words(random, 40), {"year": 1950 + number % 70})


def words(random: np.random.Generator, count: int) -> str:
    """Words by Zipf's law."""
    return " ".join(f"w{rank}" for rank in np.minimum(random.zipf(1.3, count), WORDS))


def search_times(index: PassageIndex, encoder: RandomEncoder) -> dict[str, str]:
    """Policy and kind of query -> p50 / p95 in milliseconds, the encoder's time left out."""
    cases = {
        "topical": ("topical", ORDINARY),
        "hybrid": ("hybrid", ORDINARY),
        "union": ("union", ORDINARY),
        "auto, ordinary": ("auto", ORDINARY),
        "auto, excluding, with words": ("auto", EXCLUDING),
    }
    figures = {}
    for label, (policy, template) in cases.items():
        engine = Engine(index, policy)
        figures[f"{label} p50 / p95 ms"] = timed(searches(engine, encoder, template))
    engine = Engine(index, "topical")
    filtered = searches(engine, encoder, ORDINARY, {"year": {"gte": 2010}})
    figures["topical, filtered p50 / p95 ms"] = timed(filtered)
    return figures


def searches(
    engine: Engine,
    encoder: RandomEncoder,
    template: str,
    condition: Mapping[str, Any] | None = None,
) -> Iterator[Callable[[], Any]]:
    """One search after the other; the vectors of its texts are made before it is timed."""
    random = np.random.default_rng(1)
    for _ in range(SEARCHES):
        query = template.format(*words(random, 3).split())
        cached: dict[tuple[str, ...], dict[str, Vectors]] = {}
        encode = encoder.encode_documents

        def encode_once(
            texts: Sequence[str],
            names: Sequence[str] | None = None,
            cached: Any = cached,
            encode: Any = encode,
        ) -> dict[str, Vectors]:
            key = (*texts, "|", *(names or ()))
            if key not in cached:
                cached[key] = encode(texts, names)
            return cached[key]  # type: ignore[no-any-return]

        encoder.encode_queries = encode_once  # type: ignore[method-assign]
        engine.search(query, 10, filter=condition)
        yield partial(engine.search, query, 10, filter=condition)


def brute_force(encoder: RandomEncoder, size: int) -> Iterator[Callable[[], Any]]:
    """The product of a query with all vectors, and the ten best."""
    rows = np.random.default_rng(0).standard_normal((size, DIMENSION), dtype=np.float32)
    for number in range(SEARCHES):
        query = encoder.encode_documents([f"query {number}"], ["topical"])["topical"][0]
        yield partial(_ten_best, rows, query)


def _ten_best(rows: Vectors, query: Vectors) -> Any:
    return np.argpartition(-(rows @ query), 10)[:10]


def timed(calls: Iterator[Callable[[], Any]]) -> str:
    """p50 and p95 of the calls in milliseconds."""
    seconds = []
    for call in calls:
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return " / ".join(f"{np.percentile(seconds, share) * 1000:.1f}" for share in (50, 95))


def disk_bytes(folder: Path) -> int:
    """Bytes that the files of a folder take on disk; what is allocated and empty is left out."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
