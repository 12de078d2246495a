"""Query encoders for tests: a bundle's query side with noisy weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logic_retrievers.encoders import load_bundle
from logic_retrievers.encoders.manifest import HIDDEN
from logic_retrievers.encoders.query_encoder import QueryEncoderCard
from logic_retrievers.encoders.sessions import CPU, Graph
from logic_retrievers.encoders.tokenization import SharedTokenizer

TEXTS = ("a b c", "a quiet room without noise", "find")


def write_noisy(
    path: Path,
    bundle: str | Path | None = None,
    head: str = "topical",
    *,
    noise: float = 0.1,
    seed: int = 7,
    **changes: Any,
) -> Path:
    """Write a query encoder for a head of a bundle; None: the shipped bundle.

    ``noise`` is in standard deviations of each weight matrix (of its codes if int8);
    ``changes`` replace fields of the card.
    """
    onnx = pytest.importorskip("onnx", reason="writes a graph")
    from logic_export.bundles.query_encoder import write_query_encoder
    from onnx import numpy_helper

    found = load_bundle(bundle)
    manifest = found.manifest
    made, side = manifest.heads[head], manifest.heads[head].query
    graph = onnx.load_from_string(found.read(side.graph))
    random = np.random.default_rng(seed)
    for weight in graph.graph.initializer:
        values = numpy_helper.to_array(weight)
        codes = values.dtype == np.int8
        if codes or (values.ndim == 2 and values.dtype in (np.float16, np.float32)):
            moved = values + noise * values.std() * random.normal(size=values.shape)
            if codes:
                moved = np.clip(np.rint(moved), -127, 127)
            weight.CopyFrom(numpy_helper.from_array(moved.astype(values.dtype), weight.name))
    trunk = [found.read(file) for file in side.trunk]
    tokenizer = SharedTokenizer(found.read(manifest.tokenizer))
    ids, _ = tokenizer.encode(TEXTS, side.prefix, changes.get("max_tokens", side.max_tokens))
    content = graph.SerializeToString()
    card = {
        "head": head,
        "document_fingerprint": manifest.fingerprint(head, "document"),
        "tokenizer": manifest.files[manifest.tokenizer],
        "trunk": manifest.files[side.trunk[-1]] if side.trunk else None,
        "output": side.output,
        "dimension": made.dimension,
        "max_tokens": side.max_tokens,
        "prefix": side.prefix,
        "origin": "noise",
        "texts": TEXTS,
        "vectors": [_vector(trunk, content, side.output, row) for row in ids],
        "min_cosine": 0.999,
        "graph_bytes": 1,
    }
    write_query_encoder(path, graph, QueryEncoderCard.model_validate({**card, **changes}))
    return path


def _vector(trunk: list[bytes], graph: bytes, output: str, ids: list[int]) -> list[float]:
    feed = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), np.int64)}
    for part in trunk:
        (feed[HIDDEN],) = Graph(part, "trunk", [CPU], 1).run(None, feed)
    (vectors,) = Graph(graph, "graph", [CPU], 1).run([output], feed)
    return [float(value) for value in vectors[0]]
