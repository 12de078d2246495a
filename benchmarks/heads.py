"""Cost of several heads on one trunk against an encoder for each: time and bytes.

python -m benchmarks.heads [BUNDLE ...] [--rounds 5]

BUNDLE is a bundle's folder; the shipped one where none is named. An encoder for each vector runs
the trunk once a vector. Subjects take turns, so that a disturbance hits all of them.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.common.output import percentiles, publish
from benchmarks.common.timing import film_passages
from logic_retrievers import CombinedEncoder, Encoder, OnnxEncoder
from logic_retrievers.encoders import load_bundle
from logic_retrievers.evaluation import load_dataset

QUERIES, DOCUMENTS = 60, 64
Encode = Callable[[Sequence[str], Sequence[str]], object]


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundles", nargs="*", type=Path, default=[None])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    publish("heads", [row for bundle in options.bundles for row in rows(bundle, options.rounds)])


def rows(folder: Path | None, rounds: int) -> list[dict[str, object]]:
    """Rows for each vector alone, for all on one trunk, and for an encoder each."""
    onnx_encoder = OnnxEncoder(folder)
    names = list(onnx_encoder.specs)
    apart = CombinedEncoder([(OnnxEncoder(folder), {name: name}) for name in names])
    subjects: dict[str, tuple[Encoder, Sequence[str]]] = {
        **{name: (onnx_encoder, [name]) for name in names},
        "all, one trunk": (onnx_encoder, names),
        "all, an encoder each": (apart, names),
    }
    queries = [query.text for query in load_dataset("msmarco_small").queries[:QUERIES]]
    texts = [passage.text for passage in film_passages(DOCUMENTS)]
    waits: Mapping[str, list[float]] = {label: [] for label in subjects}
    rates: Mapping[str, list[float]] = {label: [] for label in subjects}
    for number in range(rounds + 1):
        for label, (encoder, wanted) in subjects.items():
            single = [_seconds(encoder.encode_queries, [query], wanted) for query in queries]
            batch = _seconds(encoder.encode_documents, texts, wanted)
            if number:  # the first round warms up
                waits[label] += single
                rates[label].append(len(texts) / batch)
    return [
        {
            "bundle": onnx_encoder.bundle.manifest.name if folder is None else folder.name,
            "vectors": label,
            "MB": round(_bytes(folder, wanted, each=encoder is apart) / 1e6, 1),
            **percentiles(waits[label], "query "),
            "passages/s": round(statistics.median(rates[label]), 1),
        }
        for label, (encoder, wanted) in subjects.items()
    ]


def _bytes(folder: Path | None, names: Sequence[str], *, each: bool) -> int:
    """Bytes of the graphs of these vectors, with a copy for each vector or together."""
    bundle = load_bundle(folder)
    graphs = [name for head in names for name in bundle.manifest.heads[head].document.graphs]
    return sum((bundle.path / name).stat().st_size for name in (graphs if each else set(graphs)))


def _seconds(encode: Encode, texts: Sequence[str], names: Sequence[str]) -> float:
    begun = time.perf_counter()
    encode(texts, names)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
