"""Bundles of a few kilobytes with real graphs: an embedding table, its mean, and a second head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from logic_export.bundles.manifests import checksums
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz"]
DIMENSION = 4


def write_tiny_bundle(folder: Path, *, seed: int = 0, **changes: Any) -> Path:
    """Write a bundle with head ``topical``; ``changes`` replace top-level manifest keys.

    Graph outputs: ``tokens`` (batch, tokens, 4), ``first`` (batch, 4) and ``second`` (batch, 4),
    the last two normalised to length 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(tiny_graph(seed).SerializeToString())
    (folder / "tokenizer.json").write_text(tiny_tokenizer().to_str(), encoding="utf-8")
    (folder / "NOTICE").write_text("made for a test", encoding="utf-8")
    (folder / "parity.json").write_text("[]", encoding="utf-8")
    rewrite_manifest(folder, **changes)
    return folder


def rewrite_manifest(folder: Path, **changes: Any) -> None:
    """Write the manifest again with checksums of the present files."""
    names = [path.name for path in folder.iterdir() if path.name != "manifest.json"]
    manifest = {
        "format_version": 1,
        "name": "tiny",
        "licence": "Apache-2.0",
        "origin": "a test",
        "notice": "NOTICE",
        "files": checksums(folder, names),
        "heads": {"topical": head()},
        "parity": {"file": "parity.json", "min_cosine": 0.9999},
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def head(output: str = "first", *, query: Any = None, **changes: Any) -> dict[str, Any]:
    """A head with two equal sides; ``query`` and ``changes`` replace fields."""
    side = {"graph": "model.onnx", "output": output, "prefix": "", "max_tokens": 16}
    return {"dimension": DIMENSION, "query": {**side, **(query or {})}, "document": side, **changes}


def tiny_graph(seed: int = 0) -> onnx.ModelProto:
    """An embedding table and two normalised means; a matrix rotates the second."""
    rng = np.random.default_rng(seed)
    weights = {
        "table": rng.normal(size=(len(WORDS), DIMENSION)).astype(np.float32),
        "turn": rng.normal(size=(DIMENSION, DIMENSION)).astype(np.float32),
        "last": np.array([2], dtype=np.int64),
        "one": np.array([1], dtype=np.int64),
    }
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "input_ids"], ["tokens"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["weights"]),
        node("Mul", ["tokens", "weights"], ["weighted"]),
        node("ReduceSum", ["weighted", "one"], ["sum"], keepdims=0),
        node("LpNormalization", ["sum"], ["first"], axis=-1, p=2),
        node("MatMul", ["sum", "turn"], ["turned"]),
        node("LpNormalization", ["turned"], ["second"], axis=-1, p=2),
    ]
    shapes = {"tokens": ["batch", "sequence", 4], "first": ["batch", 4], "second": ["batch", 4]}
    tokens = {"input_ids": TensorProto.INT64, "attention_mask": TensorProto.INT64}
    return made_graph(nodes, tokens, shapes, weights)


def made_graph(
    nodes: Any, inputs: dict[str, int], outputs: dict[str, Any], weights: dict[str, np.ndarray]
) -> onnx.ModelProto:
    """A graph that reads inputs of (batch, sequence[, 4]) and makes float outputs."""
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            info(name, kind, ["batch", "sequence", *([4] if kind == TensorProto.FLOAT else [])])
            for name, kind in inputs.items()
        ],
        [info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def tiny_tokenizer() -> Tokenizer:
    """One token per letter-word, [CLS] and [SEP] around one text or two."""
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer
