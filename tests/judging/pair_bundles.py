"""Bundles of a few kilobytes with a judge: a trunk that looks letters up, and a graph above it."""

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

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS]
WIDTH = 4


def write_pair_bundle(
    folder: Path, *, entry_name: str | None = "judge", classes: int = 3, **changes: Any
) -> Path:
    """A bundle with a cross-encoder of so many logits; ``changes`` replace fields of its entry."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trunk.onnx").write_bytes(_trunk().SerializeToString())
    (folder / "judge.onnx").write_bytes(_judge_graph(classes).SerializeToString())
    (folder / "tokenizer.json").write_text(_tokenizer().to_str(), encoding="utf-8")
    (folder / "NOTICE").write_text("made for a test", encoding="utf-8")
    (folder / "parity.json").write_text("[]", encoding="utf-8")
    side = {"graph": "trunk.onnx", "output": "hidden", "max_tokens": 16}
    entry = {
        "graphs": ["trunk.onnx", "judge.onnx"],
        "output": "logits",
        "max_tokens": 64,
        "temperature": 1.0,
        "origin": "a test",
        **changes,
    }
    names = [path.name for path in folder.iterdir() if path.name != "manifest.json"]
    manifest = {
        "format_version": 1,
        "name": "pairs",
        "licence": "Apache-2.0",
        "origin": "a test",
        "notice": "NOTICE",
        "files": checksums(folder, names),
        "heads": {
            "topical": {"dimension": WIDTH, "pooling": "mean", "query": side, "document": side}
        },
        "parity": {"file": "parity.json", "min_cosine": 0.9999},
        **({entry_name: entry} if entry_name else {}),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _trunk() -> onnx.ModelProto:
    """Tokens -> ``hidden``: a row of a table each."""
    table = np.random.default_rng(0).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
    return _model(
        [helper.make_node("Gather", ["table", "input_ids"], ["hidden"])],
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])],
        helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", "sequence", WIDTH]),
        {"table": table},
    )


def _judge_graph(classes: int) -> onnx.ModelProto:
    """``hidden`` -> ``logits``: the sum of the rows that are no padding, through a matrix."""
    matrix = np.random.default_rng(1).normal(size=(WIDTH, classes)).astype(np.float32)
    node = helper.make_node
    return _model(
        [
            node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            node("Unsqueeze", ["mask", "last"], ["weights"]),
            node("Mul", ["hidden", "weights"], ["weighted"]),
            node("ReduceSum", ["weighted", "one"], ["sum"], keepdims=0),
            node("MatMul", ["sum", "matrix"], ["logits"]),
        ],
        [
            helper.make_tensor_value_info(
                "hidden", TensorProto.FLOAT, ["batch", "sequence", WIDTH]
            ),
            helper.make_tensor_value_info(
                "attention_mask", TensorProto.INT64, ["batch", "sequence"]
            ),
        ],
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes]),
        {"matrix": matrix, "last": np.array([2]), "one": np.array([1])},
    )


def _model(nodes: Any, inputs: Any, output: Any, weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    tensors = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "pairs", inputs, [output], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def _tokenizer() -> Tokenizer:
    """One token a letter; [CLS], [SEP] and [SEP] around two texts."""
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer
