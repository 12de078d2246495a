"""Graphs that multiply in int8 and store four bits: near the original, small, and expanded once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

onnx = pytest.importorskip("onnx", reason="the extra train")
import onnxruntime  # noqa: E402
from logic_export.bundles.integer_graphs import pack, quantise_products  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

BLOCKS = arrays(np.float32, (2, 6, 3), elements=st.integers(-64, 64).map(float))


def unpack(packed: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The plain reading: low bits are the first half of a block, high ones the second."""
    codes = np.concatenate([packed % 16, packed // 16], axis=1).astype(np.float64) - 8
    return codes * scales.astype(np.float64)


@given(values=BLOCKS)
def test_packed_values_lose_no_more_than_plain_rounding(values: np.ndarray):
    """Halves that change places, or a scale that is another block's, are weights of chance."""
    packed, scales = pack(values)
    assert (packed.dtype, packed.shape, scales.shape) == (np.uint8, (2, 3, 3), (2, 1, 3))
    step = np.maximum(np.abs(values).max(axis=1, keepdims=True) / 7, 2**-14).astype(np.float16)
    plain = np.clip(np.rint(values / step), -7, 7) * step
    error = ((unpack(packed, scales) - values) ** 2).sum(axis=1)
    assert (error <= ((plain - values) ** 2).sum(axis=1) * (1 + 1e-5) + 1e-6).all()


def model() -> onnx.ModelProto:
    """Two products of 64 x 96 and 96 x 64 with a bias between them."""
    rng = np.random.default_rng(0)
    weights = {
        "first": rng.normal(size=(64, 96)),
        "bias": rng.normal(size=96),
        "second": rng.normal(size=(96, 64)),
    }
    node = helper.make_node
    graph = helper.make_graph(
        [
            node("MatMul", ["rows", "first"], ["hidden"]),
            node("Add", ["hidden", "bias"], ["moved"]),
            node("MatMul", ["moved", "second"], ["out"]),
        ],
        "two products",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["batch", "sequence", 64])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "sequence", 64])],
        [numpy_helper.from_array(v.astype(np.float32), name) for name, v in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def test_products_are_near_the_original_from_a_small_file(tmp_path: Path):
    original = model()
    before = original.SerializeToString()
    small = quantise_products(original)
    assert original.SerializeToString() == before
    assert len(small.SerializeToString()) < 0.25 * len(before)
    rows = np.random.default_rng(1).normal(size=(1, 40, 64)).astype(np.float32)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "loaded.onnx")
    options.log_severity_level = 3
    (expected,), (computed,) = (
        onnxruntime.InferenceSession(graph.SerializeToString(), settings).run(None, {"rows": rows})
        for graph, settings in ((original, None), (small, options))
    )
    error = np.linalg.norm(computed - expected) / np.linalg.norm(expected)
    assert 0.01 < error < 0.2  # normal weights; those of a trained judge lose less
    loaded = onnx.load(tmp_path / "loaded.onnx").graph
    integers = [np.prod(w.dims) for w in loaded.initializer if w.data_type == TensorProto.INT8]
    assert integers.count(64 * 96) == 2  # else they are expanded at every call
    codes = [numpy_helper.to_array(w) for w in loaded.initializer if np.prod(w.dims) == 64 * 96]
    assert max(np.abs(code.astype(int)).max() for code in codes) <= 70  # seven bits and a rounding


def test_small_matrices_keep_their_eight_bits():
    """A classifier's few rows are no part of the file, and all of the answer."""
    graph = model()
    del graph.graph.initializer[:]
    for name, shape in {"first": (64, 6), "bias": (6,), "second": (6, 64)}.items():
        ones = np.ones(shape, np.float32)
        graph.graph.initializer.append(numpy_helper.from_array(ones, name))
    names = {weight.name for weight in quantise_products(graph).graph.initializer}
    assert not [name for name in names if name.endswith(".packed")]
