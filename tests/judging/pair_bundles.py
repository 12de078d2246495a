"""Bundles of a few kilobytes with a judge: a trunk that looks letters up, and a graph on top."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper
from tiny_bundles import DIMENSION, WORDS, made_graph, rewrite_manifest, write_tiny_bundle

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_pair_bundle(
    folder: Path,
    *,
    entry_name: str | None = "judge",
    classes: int = 3,
    verdict: dict[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """Write a bundle with a cross-encoder of so many logits; ``changes`` replace its fields.

    ``verdict`` adds a verdict with different weights of the same graph and these fields.
    """
    write_tiny_bundle(folder)
    (folder / "trunk.onnx").write_bytes(_trunk().SerializeToString())
    (folder / "judge.onnx").write_bytes(_judge_graph(classes).SerializeToString())
    side = {"graph": "trunk.onnx", "output": "hidden", "max_tokens": 16}
    head = {"dimension": DIMENSION, "pooling": "mean", "query": side, "document": side}
    entry = {
        "graphs": ["trunk.onnx", "judge.onnx"],
        "output": "logits",
        "max_tokens": 64,
        "temperature": 1.0,
        "origin": "a test",
        **changes,
    }
    own = {entry_name: entry} if entry_name else {}
    if verdict is not None:
        np.savez(folder / "verdict.npz", matrix=_matrix(seed=2, classes=classes))
        own["verdict"] = {**entry, "changes": "verdict.npz", **verdict}
    rewrite_manifest(folder, name="pairs", heads={"topical": head}, **own)
    return folder


def _trunk() -> onnx.ModelProto:
    """Tokens -> ``hidden``: one table row per token."""
    table = np.random.default_rng(0).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
    node = helper.make_node("Gather", ["table", "input_ids"], ["hidden"])
    shapes = {"hidden": ["batch", "sequence", DIMENSION]}
    return made_graph([node], {"input_ids": TensorProto.INT64}, shapes, {"table": table})


def _judge_graph(classes: int) -> onnx.ModelProto:
    """``hidden`` -> ``logits``: the sum of the unpadded rows, times a matrix.

    The matrix is an optional input, so that changes may replace it.
    """
    matrix = _matrix(seed=1, classes=classes)
    node = helper.make_node
    nodes = [
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["weights"]),
        node("Mul", ["hidden", "weights"], ["weighted"]),
        node("ReduceSum", ["weighted", "one"], ["sum"], keepdims=0),
        node("MatMul", ["sum", "matrix"], ["logits"]),
    ]
    inputs = {"hidden": TensorProto.FLOAT, "attention_mask": TensorProto.INT64}
    weights = {"matrix": matrix, "last": np.array([2]), "one": np.array([1])}
    model = made_graph(nodes, inputs, {"logits": ["batch", classes]}, weights)
    optional = helper.make_tensor_value_info("matrix", TensorProto.FLOAT, matrix.shape)
    model.graph.input.append(optional)
    return model


def _matrix(*, seed: int, classes: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(DIMENSION, classes)).astype(np.float32)
