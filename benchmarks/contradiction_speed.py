"""Scoring 1,000 candidates: cosine + alpha * Hoyer over vectors against a cross-encoder over texts.

python -m benchmarks.contradiction_speed [--candidates 1000] [--rounds 50] [--cross-encoder FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from logic_export.data.contradictions.conflictqa import groups_of_questions, load_conflictqa

from benchmarks.common.cross_encoder import CrossEncoder
from benchmarks.common.int8_sparsity import code_sparsity, int8_codes
from benchmarks.common.output import publish
from logic_retrievers.scoring import MEASURES, cosine, sparsity

DIMENSION = 384


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--cross-encoder", type=Path, help="an ONNX folder, as the report takes it")
    options = parser.parse_args()
    publish(
        "contradiction scoring", rows(options.candidates, options.rounds, options.cross_encoder)
    )


def rows(candidates: int, rounds: int, cross_encoder: Path | None) -> list[dict[str, Any]]:
    """Milliseconds, candidates per second, and memory read rate beside the machine's bandwidth."""
    rows = []
    bandwidth_rate = bandwidth()
    for count, times in ((candidates, rounds), (100 * candidates, max(3, rounds // 10))):
        for name, (work, size) in _workloads(count).items():
            seconds = _median(work, times)
            rows.append(_row(name, count, seconds, size / seconds, bandwidth_rate))
    if cross_encoder is not None:
        texts = [
            text for group in groups_of_questions(load_conflictqa("test")) for text in group.texts
        ]
        pairs = [(texts[0], text) for text in texts[1 : candidates + 1]]
        with TemporaryDirectory() as folder:  # no scores kept from before
            peer = CrossEncoder(cross_encoder, Path(folder) / "pairs.sqlite")
            begun = time.perf_counter()
            peer.probabilities(pairs)
            seconds = time.perf_counter() - begun
        rows.append(_row("cross-encoder (peer)", len(pairs), seconds, 0, bandwidth_rate))
    return rows


def _workloads(count: int) -> dict[str, tuple[Callable[[], object], int]]:
    """Name -> timed function, and the bytes it reads."""
    random = np.random.default_rng(0)
    vectors = random.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes, scale = int8_codes(vectors)
    vector, code = vectors[0].copy(), codes[0].copy()
    topical = vectors[::-1].copy()
    workloads: dict[str, tuple[Callable[[], object], int]] = {
        f"{measure}, float32": (partial(sparsity, vector, vectors, measure), vectors.nbytes)
        for measure in MEASURES
    }
    workloads["hoyer, int8"] = (lambda: code_sparsity(code, codes, scale), codes.nbytes)
    workloads["cosine + alpha * hoyer"] = (
        lambda: cosine(vector, topical) + 3 * sparsity(vector, vectors),
        2 * vectors.nbytes,
    )
    return workloads


def bandwidth() -> float:
    """Bytes per second that one thread reads from memory."""
    block = np.ones(1 << 27, dtype=np.float32)  # 512 MiB, more than any cache
    return block.nbytes / _median(block.sum, 5)


def _row(
    name: str, count: int, seconds: float, rate: float, bandwidth_rate: float
) -> dict[str, Any]:
    return {
        "scored by": name,
        "candidates": count,
        "ms": round(1000 * seconds, 3),
        "candidates/s": round(count / seconds),
        "GB/s": round(rate / 1e9, 2) if rate else "-",
        "memory GB/s": round(bandwidth_rate / 1e9, 2),
    }


def _median(work: Callable[[], object], rounds: int) -> float:
    work()
    seconds = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
