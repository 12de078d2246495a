"""The pair judge of a bundle on this machine: time of 20 candidates, opening, memory.

python -m benchmarks.judge_speed [--bundle DIR] [--repeats 40]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.common.memory import resident_mib
from benchmarks.common.output import percentiles, publish
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.judging import OnnxPairJudge
from logic_retrievers.judging.settings import JudgeSettings

WORDS = 80
"""Of a passage: the longest excerpt that a judge reads."""


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, help="the one that comes with the package")
    parser.add_argument("--repeats", type=int, default=40)
    options = parser.parse_args()
    before, begun = resident_mib(), time.perf_counter()
    judge = OnnxPairJudge(options.bundle)
    figures: dict[str, object] = {"load s": round(time.perf_counter() - begun, 2)}
    dataset = load_dataset("scifact")
    long = [text for text in dataset.documents.values() if len(text.split()) > WORDS]
    passages = [" ".join(text.split()[:WORDS]) for text in long]
    count, seconds, tokens = JudgeSettings().candidates, [], []
    for number in range(options.repeats):
        query = dataset.queries[number].text
        pairs = [(text, query) for text in passages[number * count : (number + 1) * count]]
        tokens += [len(row) for row in judge.token_ids(pairs)]
        begun = time.perf_counter()
        judge(pairs)
        seconds.append(time.perf_counter() - begun)
    figures |= {
        "pairs": count,
        "tokens of a pair": round(float(np.mean(tokens))),
        **percentiles(seconds, ""),
        "memory MiB": round(resident_mib() - before),
    }
    publish("judge speed", [figures])


if __name__ == "__main__":
    main()
