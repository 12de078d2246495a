"""Graphs that multiply in int8 and store their weights in four bits.

They are three times as fast as float32 on a CPU, in an eighth of the space. All rows of a batch
share the scale of the activations (dynamic quantisation). In a batch a result would depend on its
neighbours, so texts must be read one by one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

import logic_retrievers  # noqa: F401 - before ONNX Runtime, whose telemetry it switches off
from logic_export.bundles.compression import MIN_ELEMENTS

# how a NOTICE describes the storage of weights
INTEGER_STORAGE = "int4 codes with scales, expanded to int8"

# values of an output channel that share a scale
BLOCK = 32

_LARGEST = 7
# shares of a block's peak to try as its largest value; a clipped peak may leave the rest more exact
_SHRINKING = (1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)


def quantise_products(model: onnx.ModelProto) -> onnx.ModelProto:
    """Make the products of a float32 graph run in int8, with each weight stored in four bits.

    Weights are expanded to int8 once, when ONNX Runtime loads the graph. They then have seven bits,
    since eight would overflow on processors without VNNI. The model is not changed.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.quant_utils import add_pre_process_metadata

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    add_pre_process_metadata(copy)  # else quantize_dynamic asks for shape inference, unneeded here
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "integers.onnx"
        quantize_dynamic(
            copy, path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul"],
        )  # fmt: skip
        quantised = onnx.load(path)
    graph = quantised.graph
    nodes: list[onnx.NodeProto] = []
    for weight in list(graph.initializer):
        rows = weight.dims[0] if weight.dims else 0
        large = weight.data_type == TensorProto.INT8 and np.prod(weight.dims) >= MIN_ELEMENTS
        if large and rows % BLOCK == 0:
            graph.initializer.remove(weight)
            nodes += _store_packed(graph, weight.name, numpy_helper.to_array(weight))
    others = list(graph.node)  # nodes must be in topological order
    del graph.node[:]
    graph.node.extend([*nodes, *others])
    onnx.checker.check_model(quantised)
    return quantised


def pack(
    values: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
    """Pack values as codes of -7 to 7, two per byte, with the best of some scales for each block.

    Values have shape (blocks, size, channels), with an even size. Bytes have shape (blocks,
    size / 2, channels): the first half of a block in the low bits, the second in the high bits.
    Scales have shape (blocks, 1, channels).
    """
    peak = np.abs(values).max(axis=1, keepdims=True)
    least, codes, scales = np.full(peak.shape, np.inf), np.zeros(values.shape), np.ones(peak.shape)
    for part in _SHRINKING:
        tried = np.maximum(peak * part / _LARGEST, 2**-14).astype(np.float16).astype(np.float32)
        rounded = np.clip(np.rint(values / tried), -_LARGEST, _LARGEST)
        error = ((rounded * tried - values) ** 2).sum(axis=1, keepdims=True)
        better = error < least
        least, codes, scales = (
            np.where(better, new, old)
            for new, old in ((error, least), (rounded, codes), (tried, scales))
        )
    low, high = np.split(codes + 8, 2, axis=1)
    return (low + 16 * high).astype(np.uint8), scales.astype(np.float16)


def _store_packed(
    graph: onnx.GraphProto, name: str, values: npt.NDArray[np.int8]
) -> list[onnx.NodeProto]:
    """Add bytes and scales; return the nodes that make an int8 matrix of them.

    ONNX Runtime folds these standard operators over bytes at loading. Its older versions cannot
    cast int4.
    """
    rows, columns = values.shape
    packed, scales = pack(values.reshape(rows // BLOCK, BLOCK, columns).astype(np.float32))
    constants = {
        "packed": packed,
        "scales": scales,
        "four": np.uint8(4),
        "fifteen": np.uint8(15),
        "eight": np.float32(8),
        "one": np.float32(1),
        "zero": np.int8(0),
        "shape": np.array([rows, columns], dtype=np.int64),
    }
    for part, value in constants.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), f"{name}.{part}"))

    def node(kind: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
        names = [f"{name}.{part}" for part in inputs.split()]
        return helper.make_node(kind, names, [f"{name}.{output}" if output else name], **attributes)

    return [
        node("BitwiseAnd", "packed fifteen", "low"),
        node("BitShift", "packed four", "high", direction="RIGHT"),
        node("Concat", "low high", "halves", axis=1),
        node("Cast", "halves", "bytes", to=TensorProto.FLOAT),
        node("Sub", "bytes eight", "codes"),
        node("Cast", "scales", "factors", to=TensorProto.FLOAT),
        node("Mul", "codes factors", "blocks"),
        node("Reshape", "blocks shape", "matrix"),
        node("QuantizeLinear", "matrix one zero", ""),
    ]
