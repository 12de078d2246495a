"""Compressed weights: close to the original, and expanded once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

onnx = pytest.importorskip("onnx", reason="the extra train")
import onnxruntime  # noqa: E402
from logic_export.bundles.compression import compress_weights, expand_weights, quantise  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

VALUES = arrays(np.float32, (4, 8), elements=st.floats(-50, 50, width=32))


@given(values=VALUES)
def test_quantised_values_are_half_a_step_away_at_most(values: np.ndarray):
    """A scale that is too small clips the largest weights, which matter most."""
    codes, scales = quantise(values, axis=1)
    assert codes.dtype == np.int8
    assert scales.shape == (4, 1)
    back = codes * scales.astype(np.float32)
    # float16 rounds a scale by 2^-11, by 2^-25 near zero; the largest code multiplies that by 127
    room = scales.astype(np.float32) * (0.5 + 127 * 2**-11) + 127 * 2**-25 + 1e-6
    assert (np.abs(back - values) <= room).all()


def model() -> onnx.ModelProto:
    """A table of 200 x 64 that is looked up, and a matrix of 64 x 96."""
    rng = np.random.default_rng(0)
    node = helper.make_node
    weights = {"table": rng.normal(size=(200, 64)), "matrix": rng.normal(size=(64, 96))}
    graph = helper.make_graph(
        [node("Gather", ["table", "ids"], ["rows"]), node("MatMul", ["rows", "matrix"], ["out"])],
        "two weights",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "sequence"])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "sequence", 96])],
        [numpy_helper.from_array(v.astype(np.float32), name) for name, v in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize(
    ("compression", "error", "share"),
    [("fp16", 5e-4, 0.51), ("mixed", 7e-3, 0.44), ("int8", 1e-2, 0.31)],
)
def test_compressed_graphs_compute_the_same_from_a_smaller_file(
    tmp_path: Path, compression: str, error: float, share: float
):
    """Weights that are not folded at load are expanded at every call: small and slow."""
    original = model()
    before = original.SerializeToString()
    small = compress_weights(original, compression)  # type: ignore[arg-type]
    assert original.SerializeToString() == before
    assert len(small.SerializeToString()) < share * len(before)
    ids = np.arange(200, dtype=np.int64).reshape(4, 50)

    def run(graph: onnx.ModelProto, options: onnxruntime.SessionOptions | None = None):
        session = onnxruntime.InferenceSession(graph.SerializeToString(), options)
        return session.run(None, {"ids": ids})[0]

    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "loaded.onnx")
    options.log_severity_level = 3
    expected, found = run(original), run(small, options)
    assert np.linalg.norm(found - expected) <= error * np.linalg.norm(expected)
    loaded = onnx.load(tmp_path / "loaded.onnx").graph
    (product,) = (node for node in loaded.node if node.op_type in {"MatMul", "Gemm"})
    constants = {w.name: w.data_type for w in loaded.initializer}
    assert constants[product.input[1]] == TensorProto.FLOAT


def test_small_and_integer_constants_stay_as_they_are():
    graph = model()
    del graph.graph.initializer[:]
    for name, shape in {"table": (20, 64), "matrix": (64, 10)}.items():
        graph.graph.initializer.append(numpy_helper.from_array(np.ones(shape, np.float32), name))
    same = compress_weights(graph, "int8")
    assert same.SerializeToString() == graph.SerializeToString()


@pytest.mark.parametrize("compression", ["fp16", "mixed", "int8"])
def test_expanded_graphs_compute_what_the_compressed_ones_do(compression: str):
    """A graph that is compressed twice must lose its precision once."""
    compressed = compress_weights(model(), compression)  # type: ignore[arg-type]
    expanded = expand_weights(compressed)
    matrix = next(w for w in expanded.graph.initializer if w.name == "matrix")
    assert matrix.data_type == TensorProto.FLOAT
    ids = np.arange(200, dtype=np.int64).reshape(4, 50)
    vectors = [
        onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"ids": ids})[0]
        for graph in (compressed, expanded)
    ]
    np.testing.assert_array_equal(*vectors)
    again = compress_weights(expanded, compression)  # type: ignore[arg-type]
    assert len(again.SerializeToString()) == len(compressed.SerializeToString())
