"""Weights in fewer bits are close to the original, small, and expanded once at graph loading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from logic_export.bundles.compression import compress_weights, expand_weights, quantise
from logic_export.bundles.integer_graphs import pack, quantise_products
from onnx import TensorProto, helper, numpy_helper

IDS = np.arange(200, dtype=np.int64).reshape(4, 50)


def graph_of(nodes: list[onnx.NodeProto], source: tuple, width: int, **weights) -> onnx.ModelProto:
    axes = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "weights",
        [helper.make_tensor_value_info(*source)],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [*axes, width])],
        [numpy_helper.from_array(v.astype(np.float32), name) for name, v in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def run(graph: onnx.ModelProto, loaded: Path | None = None, **feed: np.ndarray) -> np.ndarray:
    """Compute the output; ``loaded`` gets the graph as ONNX Runtime optimised it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if loaded:
        options.optimized_model_filepath = str(loaded)
    return onnxruntime.InferenceSession(graph.SerializeToString(), options).run(None, feed)[0]


# --- float16 and int8


@given(arrays(np.float32, (4, 8), elements=st.floats(-50, 50, width=32)))
def test_quantised_values_are_half_a_step_away_at_most(values: np.ndarray):
    """A scale that is too small would clip the largest weights, which matter most."""
    codes, scales = quantise(values, axis=1)
    assert codes.dtype == np.int8
    assert scales.shape == (4, 1)
    back = codes * scales.astype(np.float32)
    # float16 rounds a scale by 2^-11, by 2^-25 near zero; the largest code multiplies that by 127
    room = scales.astype(np.float32) * (0.5 + 127 * 2**-11) + 127 * 2**-25 + 1e-6
    assert (np.abs(back - values) <= room).all()


def look_up(rows: int = 200, width: int = 96) -> onnx.ModelProto:
    """Make a graph with an embedding table and a matrix."""
    rng = np.random.default_rng(0)
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("MatMul", ["rows", "matrix"], ["out"]),
    ]
    return graph_of(
        nodes,
        ("ids", TensorProto.INT64, ["batch", "sequence"]),
        width,
        table=rng.normal(size=(rows, 64)),
        matrix=rng.normal(size=(64, width)),
    )


@pytest.mark.parametrize(
    ("compression", "error", "share"),
    [("fp16", 5e-4, 0.51), ("mixed", 7e-3, 0.44), ("int8", 1e-2, 0.31)],
)
def test_compressed_graphs_compute_the_same_from_a_smaller_file(
    tmp_path: Path, compression, error: float, share: float
):
    """Weights not folded at loading would be expanded at every call, which is slow. Compressing a
    graph twice must lose precision only once.
    """
    original = look_up()
    before = original.SerializeToString()
    small = compress_weights(original, compression)
    assert original.SerializeToString() == before
    assert len(small.SerializeToString()) < share * len(before)
    expected, found = run(original, ids=IDS), run(small, tmp_path / "loaded.onnx", ids=IDS)
    assert np.linalg.norm(found - expected) <= error * np.linalg.norm(expected)
    loaded = onnx.load(tmp_path / "loaded.onnx").graph
    (product,) = (node for node in loaded.node if node.op_type in {"MatMul", "Gemm"})
    constants = {w.name: w.data_type for w in loaded.initializer}
    assert constants[product.input[1]] == TensorProto.FLOAT
    expanded = expand_weights(small)
    (matrix,) = (w for w in expanded.graph.initializer if w.name == "matrix")
    assert matrix.data_type == TensorProto.FLOAT
    np.testing.assert_array_equal(run(expanded, ids=IDS), found)
    again = compress_weights(expanded, compression)
    assert len(again.SerializeToString()) == len(small.SerializeToString())


def test_small_weights_stay_as_they_are():
    """Compressing a classifier's few rows would save nothing and change every answer."""
    graph = look_up(rows=20, width=10)
    assert compress_weights(graph, "int8").SerializeToString() == graph.SerializeToString()
    names = {w.name for w in quantise_products(two_products(6)).graph.initializer}
    assert not [name for name in names if name.endswith(".packed")]


# --- int4, multiplied in int8


def unpack(packed: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Unpack naively: low bits hold the first half of a block, high bits the second."""
    codes = np.concatenate([packed % 16, packed // 16], axis=1).astype(np.float64) - 8
    return codes * scales.astype(np.float64)


@given(arrays(np.float32, (2, 6, 3), elements=st.integers(-64, 64).map(float)))
def test_packed_values_lose_no_more_than_plain_rounding(values: np.ndarray):
    """Swapped halves, or the scale of a different block, would make random weights."""
    packed, scales = pack(values)
    assert (packed.dtype, packed.shape, scales.shape) == (np.uint8, (2, 3, 3), (2, 1, 3))
    step = np.maximum(np.abs(values).max(axis=1, keepdims=True) / 7, 2**-14).astype(np.float16)
    plain = np.clip(np.rint(values / step), -7, 7) * step
    error = ((unpack(packed, scales) - values) ** 2).sum(axis=1)
    assert (error <= ((plain - values) ** 2).sum(axis=1) * (1 + 1e-5) + 1e-6).all()


def two_products(width: int) -> onnx.ModelProto:
    """Make a graph of two products with a bias between them."""
    rng = np.random.default_rng(0)
    node = helper.make_node
    nodes = [
        node("MatMul", ["rows", "first"], ["hidden"]),
        node("Add", ["hidden", "bias"], ["moved"]),
        node("MatMul", ["moved", "second"], ["out"]),
    ]
    return graph_of(
        nodes,
        ("rows", TensorProto.FLOAT, ["batch", "sequence", 64]),
        64,
        first=rng.normal(size=(64, width)),
        bias=rng.normal(size=width),
        second=rng.normal(size=(width, 64)),
    )


def test_integer_products_are_near_the_original_from_a_small_file(tmp_path: Path):
    original = two_products(96)
    before = original.SerializeToString()
    small = quantise_products(original)
    assert original.SerializeToString() == before
    assert len(small.SerializeToString()) < 0.25 * len(before)
    rows = np.random.default_rng(1).normal(size=(1, 40, 64)).astype(np.float32)
    expected = run(original, rows=rows)
    computed = run(small, tmp_path / "loaded.onnx", rows=rows)
    error = np.linalg.norm(computed - expected) / np.linalg.norm(expected)
    assert 0.01 < error < 0.2  # normally distributed weights; a trained judge's lose less
    loaded = onnx.load(tmp_path / "loaded.onnx").graph
    integers = [np.prod(w.dims) for w in loaded.initializer if w.data_type == TensorProto.INT8]
    assert integers.count(64 * 96) == 2  # otherwise every call expands them
    codes = [numpy_helper.to_array(w) for w in loaded.initializer if np.prod(w.dims) == 64 * 96]
    assert max(np.abs(code.astype(int)).max() for code in codes) <= 70  # seven bits, and rounding
