"""Measure the parser of exclusions: accuracy on labelled queries, and speed.

python -m benchmarks.product.parser
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np

from benchmarks.common.output import publish
from logic_retrievers import ConstraintParser
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.rows import json_rows

LABELLED = Path(__file__).parents[2] / "tests" / "queries" / "labelled"


def main() -> None:
    """Measure and publish."""
    publish("parser", [accuracy("dev"), accuracy("test")])
    publish("parser-speed", [speed()])


def accuracy(part: str) -> dict[str, object]:
    """Measure accuracy for kinds, excluded texts and wanted texts, with 95 % intervals."""
    rows = [row.fields for row in json_rows(LABELLED / f"{part}.jsonl.gz")]
    parser = ConstraintParser()
    table = []
    for row in rows:
        parsed = parser.parse(row["text"])
        excluded = sorted(map(_plain, parsed.excluded)) == sorted(map(_plain, row["excluded"]))
        both = excluded and _plain(parsed.wanted) == _plain(row["wanted"])
        excludes = row["kind"] == "exclusion"
        table.append(
            [
                float(parsed.kind == row["kind"]),
                float(excluded) if excludes else float("nan"),
                float(both) if excludes else float("nan"),
            ]
        )
    names = ("kind right", "excluded right", "excluded and wanted right")
    return {
        "part": part,
        "queries": len(rows),
        "exclusions": sum(row["kind"] == "exclusion" for row in rows),
        **{
            name: f"{estimate.mean:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
            for name, estimate in zip(names, bootstrap(table), strict=True)
        },
    }


def speed() -> dict[str, object]:
    """Measure microseconds per labelled query."""
    parser = ConstraintParser()
    texts = [row.fields["text"] for row in json_rows(LABELLED / "test.jsonl.gz")]
    seconds = []
    for text in texts * 3:
        begun = time.perf_counter()
        parser.parse(text)
        seconds.append(time.perf_counter() - begun)
    p50, p95 = np.percentile(1e6 * np.array(seconds), [50, 95])
    return {"query p50 µs": round(float(p50)), "query p95 µs": round(float(p95))}


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


if __name__ == "__main__":
    main()
