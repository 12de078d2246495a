"""Measure whether screening and cleaning a batch costs more as the collection and ledger grow.

python -m benchmarks.product.cleaning_batches [--sizes 1000 10000 100000] [--since]

A collection grows by batches of 100 passages, each screened before it is stored, or with
``--since`` stored and then cleaned. At any size a passage has 19 neighbours, and a batch hides 5
stored passages. Vectors are made by a function, so that no model hides the cost of the rest.
"Searches" are the engine's vector queries, which without HNSW look at every passage. Seconds are
medians of the last ten batches.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.common.output import publish
from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner
from logic_retrievers.conflicts.settings import VECTORS
from logic_retrievers.effects import ClientCall, Effect
from logic_retrievers.encoders.base import VectorSpec

BATCH = 100
TOPICS = 5  # that begin in each batch, and end in the next
LAST = 10
DIMENSION = 64
CONSTANTS = {
    "alpha": 2.0,
    "null_mean": 0.23,
    "null_deviation": 0.03,
    "intercept": -9.0,
    "cosine_weight": 4.0,
    "sparsity_weight": 0.6,
    "threshold": 0.5,
}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--since", action="store_true", help="clean what has been stored")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        encoder, ledger = PlacedEncoder(), Path(folder) / "ledger.sqlite"
        with PassageIndex.open("grown", encoder, vectors=VECTORS, location=folder) as index:
            searches = time_searches(index)
            cleaner = CorpusCleaner(index, ledger=ledger, resolution="prefer_newest", judge=None)
            timed: list[dict[str, float]] = []
            for number in range(max(options.sizes) // BATCH):
                passages, row = batch(number), dict[str, float]()
                searches.clear()
                begun = time.perf_counter()
                if options.since:
                    since = datetime.now(UTC)
                    index.add(passages)
                    begun, row["add, s"] = time.perf_counter(), time.perf_counter() - begun
                    cleaner.clean(since=since)
                    row["clean, s"] = time.perf_counter() - begun
                else:
                    passages = list(cleaner.screen(passages).passages)
                    begun, row["screen, s"] = time.perf_counter(), time.perf_counter() - begun
                    index.add(passages)
                    row["add, s"] = time.perf_counter() - begun
                row["searches, s"] = sum(searches)
                timed.append(row)
                size = (number + 1) * BATCH
                if size in options.sizes:
                    rows.append({"passages": size, **summary(timed[-LAST:])})
                    print(rows[-1], flush=True)
            hidden = sum(passage.quarantined for passage in index.scroll())
    publish(f"cleaning, by batches{', since' * options.since}", rows, hidden=hidden)


def summary(timed: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the median of each column."""
    return {name: round(statistics.median(row[name] for row in timed), 4) for name in timed[0]}


def time_searches(index: PassageIndex) -> list[float]:
    """Return a list to which the seconds of every vector query are appended."""
    seconds: list[float] = []
    handle = index.connection.handle

    def timed(effect: Effect) -> Any:
        begun = time.perf_counter()
        result = handle(effect)
        if isinstance(effect, ClientCall) and effect.method == "query_batch_points":
            seconds.append(time.perf_counter() - begun)
        return result

    index.connection.handle = timed  # type: ignore[method-assign]
    return seconds


def batch(number: int) -> list[Passage]:
    """Return a batch: the second half of the topics begun before, and the first half of new ones.

    One passage of each second half contradicts one of the first half.
    """
    passages = []
    for n in range(BATCH):
        half, place = divmod(n, BATCH // 2)
        topic, row = TOPICS * (number - half) + place % TOPICS, place // TOPICS
        said = f"claim {half} | 0" if row == 0 else f" | {half}.{row}"
        passages.append(Passage(f"{number}-{n}", f"{topic} | {said}", {"date": 2000 + number}))
    return passages


class PlacedEncoder:
    """Makes vectors of texts ``topic | claim | wording``.

    Texts of a topic have a cosine of .7. Texts that differ in the claim alone contradict.
    """

    def __init__(self) -> None:
        self.specs = {
            name: VectorSpec(
                name,
                DIMENSION,
                512,
                f"placed-{name}",
                contradiction=CONSTANTS if name == "contradiction" else None,
            )
            for name in VECTORS
        }

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, npt.NDArray[np.float32]]:
        rows: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in self.specs}
        for text in texts:
            topic, claim, wording = text.split(" | ")
            base = random_vector("topic", topic) + 0.65 * random_vector("text", topic, wording)
            rows["topical"].append(base)
            spot = np.zeros(DIMENSION)
            spot[seed("claim", topic, claim) % DIMENSION] = 0.7 if claim else 0
            rows["contradiction"].append(base + spot)
        vectors = {name: np.array(rows[name]).reshape(-1, DIMENSION) for name in names or rows}
        return {
            name: (of / np.linalg.norm(of, axis=1, keepdims=True)).astype(np.float32)
            for name, of in vectors.items()
        }

    encode_queries = encode_documents

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


def random_vector(*parts: str) -> npt.NDArray[np.float64]:
    """Return a random vector of length 1, the same for the same parts."""
    vector = np.random.default_rng(seed(*parts)).standard_normal(DIMENSION)
    return vector / np.linalg.norm(vector)


def seed(*parts: str) -> int:
    """Return a number for random generators, the same for the same parts."""
    return int.from_bytes(blake2b("/".join(parts).encode(), digest_size=7).digest(), "little")


if __name__ == "__main__":
    main()
