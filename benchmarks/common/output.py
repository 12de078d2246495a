"""Benchmark output: printed tables, JSON files, cached vectors, memory of the process."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers import CachedEncoder, Encoder
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import Estimate

OUT = Path(__file__).parents[2] / ".bench"
CACHE = OUT / "vectors.sqlite"


def publish(name: str, rows: Sequence[Mapping[str, Any]], **more: Any) -> None:
    """Print the rows as a Markdown table and write them to ``.bench/NAME.json``."""
    columns = list(rows[0])
    print(f"\n## {name} ({os.cpu_count()} cores, {platform.machine()})\n")
    for key, value in more.items():
        print(f"{key}: {value}")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(_cell(row[column]) for column in columns) + " |", flush=True)
    OUT.mkdir(exist_ok=True)
    document = {"name": name, "at": time.strftime("%Y-%m-%d"), "rows": list(rows), **more}
    (OUT / f"{name}.json").write_text(json.dumps(document, indent=2), encoding="utf-8")


def percentiles(seconds: Sequence[float], prefix: str = "") -> dict[str, float]:
    """Return p50 and p95 in milliseconds."""
    p50, p95 = np.percentile(1000 * np.asarray(seconds), [50, 95])
    return {f"{prefix}p50 ms": round(float(p50), 2), f"{prefix}p95 ms": round(float(p95), 2)}


def with_interval(estimate: Estimate | None, digits: int = 3) -> str:
    """Format mean and 95 % interval; None becomes a dash."""
    if estimate is None:
        return "-"
    return f"{estimate.mean:.{digits}f} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"


def cached_encoder(encoder: Encoder | None = None) -> CachedEncoder:
    """Wrap an encoder (default: the shipped one) with the cache ``.bench/vectors.sqlite``."""
    OUT.mkdir(exist_ok=True)
    return CachedEncoder(encoder or default_encoder(), CACHE)


def document_vectors(name: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return vectors of one head of the shipped encoder, shape (texts, dimension)."""
    return cached_encoder().encode_documents(list(texts), [name])[name]


def resident_mib() -> float:
    """Return resident memory of this process in MiB; NaN on systems without ``/proc``."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    kilobytes = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return round(float(next(kilobytes, "nan")) / 1024, 1)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
