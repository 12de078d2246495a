"""Compare the shipped encoder with PyTorch and float32 ONNX, on this machine, in one run.

python -m benchmarks.product.encoders [--rounds 3] [--no-ndcg]

Each variant runs in its own process, which isolates memory and load time. The variants take turns,
so that disturbances affect all. Medians are shown.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.common.output import OUT, percentiles, publish, resident_mib

VARIANTS = ("PyTorch", "ONNX float32", "shipped")
PLAIN = OUT / "float32-bundle"
Encode = Callable[[Sequence[str]], Any]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-ndcg", action="store_true")
    parser.add_argument("--measure", choices=VARIANTS, help=argparse.SUPPRESS)
    parser.add_argument("--ndcg", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, ndcg=options.ndcg)))
        return
    export_plain()
    rounds: dict[str, list[dict[str, float]]] = {variant: [] for variant in VARIANTS}
    for number in range(options.rounds):
        for variant in VARIANTS:
            last = number == options.rounds - 1 and not options.no_ndcg
            rounds[variant].append(in_own_process(variant, ndcg=last))
    publish(
        "encoders",
        [
            {
                "variant": variant,
                **{
                    key: round(statistics.median(r[key] for r in figures if key in r), 4)
                    for key in figures[-1]
                },
            }
            for variant, figures in rounds.items()
        ],
        rounds=options.rounds,
    )


def in_own_process(variant: str, *, ndcg: bool) -> dict[str, float]:
    """Run one round of a variant in a new process."""
    command = [sys.executable, "-m", "benchmarks.product.encoders", "--measure", variant]
    done = subprocess.run(command + ["--ndcg"] * ndcg, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def export_plain() -> None:
    """Export the same model with float32 weights, once."""
    if PLAIN.exists():
        return
    from logic_export.bundles.export import BundleLabel, export_bundle
    from logic_export.bundles.heads import HeadSource
    from logic_export.models import find_model

    label = BundleLabel(
        "float32", "Apache-2.0", "all-MiniLM-L6-v2", {"NOTICE": "For measuring only."}
    )
    head = HeadSource("topical", find_model("all-minilm-l6-v2"))
    export_bundle(PLAIN, label, [head], compression="none")


def load(variant: str) -> Encode:
    """Load the encoding function of a variant, with its best batch size."""
    if variant == "PyTorch":
        from logic_export.models import find_model
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(find_model("all-minilm-l6-v2"), device="cpu")
        return lambda texts: model.encode(list(texts), normalize_embeddings=True)
    from logic_retrievers import OnnxEncoder

    encoder = OnnxEncoder(PLAIN if variant == "ONNX float32" else None)
    return lambda texts: encoder.encode_documents(texts, ["topical"])["topical"]


def measure(variant: str, *, ndcg: bool) -> dict[str, float]:
    """Measure one variant."""
    warnings.simplefilter("ignore")
    before, begun = resident_mib(), time.perf_counter()
    encode = load(variant)
    encode(["warm up"])
    figures = {"load s": time.perf_counter() - begun}
    from logic_retrievers.evaluation import load_dataset

    dataset = load_dataset("scifact")
    documents = list(dataset.documents.values())
    sentences = [s for text in documents[:400] for s in text.split(". ") if len(s) > 20][:600]
    exact = [" ".join(text.split()[:40]) for text in documents if len(text.split()) > 60][:300]
    queries = [query.text for query in dataset.queries[:200]]
    single = []
    for query in queries:
        begun = time.perf_counter()
        encode([query])
        single.append(time.perf_counter() - begun)
    figures |= percentiles(single, "query ")
    figures["alone, sentences/s"] = len(queries) / sum(single)
    figures["mixed lengths, sentences/s"] = rate(encode, sentences)
    figures["about 64 tokens, texts/s"] = rate(encode, exact)
    figures["memory MiB"] = resident_mib() - before
    if ndcg:
        figures["SciFact nDCG@10"] = retrieval(encode, dataset)
    return figures


def rate(encode: Encode, texts: Sequence[str]) -> float:
    """Measure texts per second, as the better of two passes."""
    seconds = []
    for _ in range(2):
        begun = time.perf_counter()
        encode(texts)
        seconds.append(time.perf_counter() - begun)
    return len(texts) / min(seconds)


def retrieval(encode: Encode, dataset: Any) -> float:
    """Measure nDCG@10 of brute-force search."""
    from logic_export.dense_retrieval import ndcg_at_10

    return ndcg_at_10(dataset, lambda t: np.asarray(encode(t)), lambda t: np.asarray(encode(t)))


if __name__ == "__main__":
    main()
