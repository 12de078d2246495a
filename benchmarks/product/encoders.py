"""Compare the shipped encoder with other libraries' forms of the same model, on one core.

python -m benchmarks.product.encoders [--rounds 3] [--passages 200] [--ndcg]

Every variant encodes the same abstracts of SciFact, in its own process and one thread, which
isolates memory and load time. The variants take turns, so that disturbances affect all. Medians are
shown. The limit is the speed of a float32 matrix product of the model's shapes on this core: the
passages a second if nothing else were to be done. ``fastembed`` is measured where it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.common.output import OUT, percentiles, publish, resident_mib

PEERS = ("sentence-transformers", "fastembed")
OURS = ("topical", "two vectors", "topical, int8", "two vectors, int8")
VARIANTS = (*PEERS, *OURS)
MODEL = "all-minilm-l6-v2"
PLAIN = OUT / "fastembed-model"
# width, feed-forward width and layers of the model
WIDTH, INNER, LAYERS = 384, 1536, 6
Encode = Callable[[Sequence[str]], Any]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passages", type=int, default=200)
    parser.add_argument("--ndcg", action="store_true", help="nDCG@10 on SciFact too; takes long")
    parser.add_argument("--measure", choices=(*VARIANTS, "limit"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.passages, ndcg=options.ndcg)))
        return
    variants = [name for name in VARIANTS if name != "fastembed" or find_spec("fastembed")]
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in variants}
    limits = []
    for number in range(options.rounds):
        limits.append(in_own_process("limit", options.passages, ndcg=False)["passages/s"])
        for name, figures in rounds.items():
            last = number == options.rounds - 1 and options.ndcg
            figures.append(in_own_process(name, options.passages, ndcg=last))
    most = statistics.median(limits)
    rows: list[dict[str, Any]] = [
        {
            "variant": name,
            **{
                key: round(statistics.median(r[key] for r in figures if key in r), 4)
                for key in figures[-1]
            },
        }
        for name, figures in rounds.items()
    ]
    for row in rows:
        vectors = 2 if "two" in str(row["variant"]) else 1
        row["of the limit"] = round(float(row["passages/s"]) * vectors / most, 2)
    publish("encoders", rows, rounds=options.rounds, passages=options.passages, limit=most)


def in_own_process(name: str, passages: int, *, ndcg: bool) -> dict[str, float]:
    """Run one round of a variant in a new process of one thread."""
    command = [sys.executable, "-m", "benchmarks.product.encoders", "--measure", name]
    command += ["--passages", str(passages), *["--ndcg"] * ndcg]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(name: str, passages: int, *, ndcg: bool) -> dict[str, float]:
    """Measure one variant, or the limit of this core."""
    warnings.simplefilter("ignore")
    from logic_retrievers.evaluation import load_dataset

    dataset = load_dataset("scifact")
    texts = list(dataset.documents.values())[:passages]
    if name == "limit":
        return {"passages/s": limit(texts)}
    before, begun = resident_mib(), time.perf_counter()
    encode = load(name)
    encode(["warm up"])
    figures = {"load s": time.perf_counter() - begun}
    single = []
    for query in dataset.queries[:200]:
        begun = time.perf_counter()
        encode([query.text])
        single.append(time.perf_counter() - begun)
    figures |= percentiles(single, "query ")
    figures["passages/s"] = rate(encode, texts)
    figures["memory MiB"] = resident_mib() - before
    if ndcg:
        from logic_export.dense_retrieval import ndcg_at_10

        figures["SciFact nDCG@10"] = ndcg_at_10(dataset, encode, encode)
    return figures


def load(name: str) -> Encode:
    """Load the encoding function of a variant, with its best batch size."""
    if name == "sentence-transformers":
        from logic_export.models import open_model

        model = open_model(MODEL, device="cpu")
        return lambda texts: model.encode(list(texts), normalize_embeddings=True)
    if name == "fastembed":
        return load_fastembed()
    from logic_retrievers import OnnxEncoder

    encoder = OnnxEncoder(threads=1, precision="int8" if "int8" in name else "float32")
    names = ["topical"] if "topical" in name else ["topical", "compatibility"]
    return lambda texts: encoder.encode_documents(texts, names)["topical"]


def load_fastembed() -> Encode:
    """Load fastembed over a float32 export of the same model, as it would fetch from a hub."""
    import onnx
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType
    from logic_export.bundles.graphs import OUTPUT, export_graph
    from logic_export.models import open_model

    if not (PLAIN / "model.onnx").exists():
        PLAIN.mkdir(parents=True, exist_ok=True)
        model = open_model(MODEL, device="cpu", model_kwargs={"attn_implementation": "eager"})
        transformer: Any = model[0]
        model.tokenizer.save_pretrained(PLAIN)
        # the model's own tokenizer cuts at 128 tokens, which sentence-transformers raises to 256
        settings = json.loads((PLAIN / "tokenizer_config.json").read_text())
        settings["max_length"] = settings["model_max_length"]
        (PLAIN / "tokenizer_config.json").write_text(json.dumps(settings))
        (PLAIN / "config.json").write_text(transformer.auto_model.config.to_json_string())
        (PLAIN / "special_tokens_map.json").write_text(json.dumps(special_tokens(model.tokenizer)))
        onnx.save(export_graph(model), PLAIN / "model.onnx")
    name = "local/all-minilm-l6-v2"
    TextEmbedding.add_custom_model(
        name, PoolingType.DISABLED, True, ModelSource(hf=name), WIDTH, "model.onnx",
        output_name=OUTPUT,
    )  # fmt: skip
    embedding = TextEmbedding(name, threads=1, specific_model_path=str(PLAIN))
    return lambda texts: np.stack(list(embedding.embed(list(texts), batch_size=32)))


def special_tokens(tokenizer: Any) -> dict[str, str]:
    """Map each kind of special token to its text."""
    kinds = ("cls_token", "mask_token", "pad_token", "sep_token", "unk_token")
    return {kind: str(getattr(tokenizer, kind)) for kind in kinds}


def rate(encode: Encode, texts: Sequence[str]) -> float:
    """Measure texts per second, as the better of two passes."""
    seconds = []
    for _ in range(2):
        begun = time.perf_counter()
        encode(texts)
        seconds.append(time.perf_counter() - begun)
    return len(texts) / min(seconds)


def limit(texts: Sequence[str]) -> float:
    """Compute the texts per second if only the products with the weights took time."""
    from logic_retrievers.encoders import load_bundle
    from logic_retrievers.encoders.tokenization import SharedTokenizer

    bundle = load_bundle()
    lengths = bundle.manifest.heads["topical"].document.max_tokens
    ids, _ = SharedTokenizer(bundle.read(bundle.manifest.tokenizer)).encode(texts, "", lengths)
    tokens = np.array([len(row) for row in ids])
    per_token = 2 * LAYERS * (4 * WIDTH**2 + 2 * WIDTH * INNER)
    operations = (tokens * per_token + tokens**2 * 4 * LAYERS * WIDTH).mean()
    left, right = (np.ones(shape, np.float32) for shape in ((512, WIDTH), (WIDTH, INNER)))
    seconds = []
    for _ in range(200):
        begun = time.perf_counter()
        left @ right
        seconds.append(time.perf_counter() - begun)
    speed = 2 * 512 * WIDTH * INNER / min(seconds)
    return float(speed / operations)


if __name__ == "__main__":
    main()
