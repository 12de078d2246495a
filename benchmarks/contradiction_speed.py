"""Scoring 1,000 candidates: cosine + alpha * Hoyer over vectors against a cross-encoder over texts.

python -m benchmarks.contradiction_speed [--candidates 1000] [--rounds 50]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.contradiction_pairs import cross_encoder
from benchmarks.report import publish
from logic_retrievers.evaluation.conflictqa import load_conflictqa, sides_of
from logic_retrievers.scoring import MEASURES, cosine, int8_codes, sparsity

DIMENSION = 384


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    publish("contradiction scoring", rows(options.candidates, options.rounds))


def rows(candidates: int, rounds: int) -> list[dict[str, Any]]:
    """Milliseconds, candidates a second, and bytes read a second beside what memory gives."""
    found = []
    read = bandwidth()
    for count, times in ((candidates, rounds), (100 * candidates, max(3, rounds // 10))):
        for name, (work, size) in _ways(count).items():
            seconds = _median(work, times)
            found.append(_row(name, count, seconds, size / seconds, read))
    peer = cross_encoder()
    if peer is not None:
        texts = [text for group in sides_of(load_conflictqa("test")) for text in group.texts]
        pairs = [(texts[0], text) for text in texts[1 : candidates + 1]]
        begun = time.perf_counter()
        peer(pairs)
        found.append(_row("cross-encoder (peer)", len(pairs), time.perf_counter() - begun, 0, read))
    return found


def _ways(count: int) -> dict[str, tuple[Callable[[], object], int]]:
    """What is timed, and how many bytes it reads."""
    random = np.random.default_rng(0)
    vectors = random.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes, scale = int8_codes(vectors)
    one, code = vectors[0].copy(), codes[0].copy()
    topical = vectors[::-1].copy()
    ways: dict[str, tuple[Callable[[], object], int]] = {
        f"{measure}, float32": (partial(sparsity, one, vectors, measure), vectors.nbytes)
        for measure in MEASURES
    }
    ways["hoyer, int8"] = (lambda: sparsity(code, codes, scale=scale), codes.nbytes)
    ways["cosine + alpha * hoyer"] = (
        lambda: cosine(one, topical) + 3 * sparsity(one, vectors),
        2 * vectors.nbytes,
    )
    return ways


def bandwidth() -> float:
    """Bytes a second that one thread reads from memory."""
    block = np.ones(1 << 27, dtype=np.float32)  # 512 MiB, more than any cache
    return block.nbytes / _median(block.sum, 5)


def _row(name: str, count: int, seconds: float, rate: float, read: float) -> dict[str, Any]:
    return {
        "scored by": name,
        "candidates": count,
        "ms": round(1000 * seconds, 3),
        "candidates/s": round(count / seconds),
        "GB/s": round(rate / 1e9, 2) if rate else "-",
        "memory GB/s": round(read / 1e9, 2),
    }


def _median(work: Callable[[], object], rounds: int) -> float:
    work()
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


if __name__ == "__main__":
    main()
