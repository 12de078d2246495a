"""The parser of exclusions: accuracy on labelled queries, speed, and hostile input.

python -m benchmarks.product.parser
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.common.output import publish
from logic_retrievers import RuleParser
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.rows import json_rows

LABELLED = Path(__file__).parents[2] / "tests" / "queries" / "labelled"
HOSTILE = 10_000
WORDS = (
    "without except other than not no neither nor , . ! ( ) \" ' - — \n \t café 素食 \u202e \ud800"
)


def main() -> None:
    """Measure and publish."""
    publish("parser", [accuracy("dev"), accuracy("test")])
    publish("parser-speed", [speed()])


def accuracy(part: str) -> dict[str, object]:
    """Accuracy of kinds, and of excluded and wanted texts, with 95 % intervals."""
    rows = [row.fields for row in json_rows(LABELLED / f"{part}.jsonl.gz")]
    parser = RuleParser()
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
    """Microseconds per labelled query, and for the slowest of many hostile texts."""
    parser = RuleParser()
    texts = [row.fields["text"] for row in json_rows(LABELLED / "test.jsonl.gz")]
    seconds = [_seconds(parser, text) for text in texts * 3]
    hostile = [_seconds(parser, text) for text in _hostile()]
    p50, p95 = np.percentile(1e6 * np.array(seconds), [50, 95])
    return {
        "query p50 µs": round(float(p50)),
        "query p95 µs": round(float(p95)),
        "hostile texts without an error": len(hostile),
        "slowest ms": round(1000 * max(hostile), 1),
    }


def _hostile() -> Iterator[str]:
    """Hostile texts: random words and signs, repeated signs, random code points, 10,000 words."""
    chance = random.Random(0)
    words = WORDS.split(" ")
    for number in range(HOSTILE):
        match number % 4:
            case 0:
                yield " ".join(chance.choices(words, k=chance.randint(1, 80)))
            case 1:
                yield chance.choice(words) * chance.randint(1, 2000)
            case 2:
                yield "".join(chr(chance.randrange(0x110000)) for _ in range(200))
            case _:
                count = 10_000 if number % 400 == 3 else chance.randint(1, 400)
                yield (chance.choice(words) + " " * chance.randint(1, 40)) * count


def _seconds(parser: RuleParser, text: str) -> float:
    begun = time.perf_counter()
    parser.parse(text)
    return time.perf_counter() - begun


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


if __name__ == "__main__":
    main()
