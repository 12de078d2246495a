"""Stores the weights of ONNX graphs in fewer bits; creating a session expands the matrices.

The graph still computes in float32, so a text's vector depends neither on its batch nor on the
machine's int8 instructions. Only the file shrinks. Weights are expanded by standard operators
(Cast, Mul, Reshape) over constants, which ONNX Runtime folds into float32 weights while it loads
the graph. DequantizeLinear is not used, because ONNX Runtime would run it at every call.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

Compression: TypeAlias = Literal["none", "fp16", "mixed", "int8"]

# minimum cosine to the original's vectors that an export must reach
MIN_COSINE: dict[Compression, float] = {
    "none": 0.9999,
    "fp16": 0.9999,
    "mixed": 0.9999,
    "int8": 0.999,
}

# how a NOTICE describes the storage of weights
STORAGE: dict[Compression, str] = {
    "none": "float32",
    "fp16": "float16",
    "mixed": "float16, embedding tables as int8 codes with scales",
    "int8": "int8 codes with scales",
}

# smaller initializers (biases, norms) stay as they are: compressing them saves nothing
MIN_ELEMENTS = 4096

# values that share a scale in int8; lowest cosine for the layers above the embeddings of
# all-MiniLM-L6-v2: .9992 with one scale per output channel (10.7 MB), .9995 with blocks of 128
# (10.8), .9997 with 32 (11.3), .9998 with 16 (11.9)
BLOCK = 32


def write_graph(path: Path, graph: onnx.ModelProto) -> None:
    """Write a graph; equal graphs give equal bytes."""
    path.write_bytes(graph.SerializeToString(deterministic=True))


def compress_weights(model: onnx.ModelProto, compression: Compression) -> onnx.ModelProto:
    """Copy a float32 graph with its weights stored in fewer bits.

    ``fp16`` halves the file (relative error 2^-11). ``int8`` quarters it by symmetric codes with a
    float16 scale per :data:`BLOCK` values, which lie along a row of an embedding table, or along
    the inputs of an output channel. ``mixed`` stores tables in int8 and matrices in fp16. ``none``
    only copies. Lowest cosine to float32 on all-MiniLM-L6-v2: fp16 .999999 (46 MB), mixed .99995
    (34), int8 .9997 (24).
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    if compression == "none":
        return copy
    graph = copy.graph
    nodes: list[onnx.NodeProto] = []
    for weight in [w for w in graph.initializer if _is_compressible(w)]:
        values = numpy_helper.to_array(weight)
        graph.initializer.remove(weight)
        if compression != "fp16" and values.ndim == 2 and _is_table(graph, weight.name):
            _quantise_table(graph, weight.name, values)
        elif compression == "int8" and values.ndim == 2:
            nodes += _quantise_matrix(graph, weight.name, values)
        else:
            half = _add_constant(graph, f"{weight.name}.fp16", values.astype(np.float16))
            nodes.append(_cast(half, weight.name))
    # nodes must be in topological order: the expansions, which read only initializers, come first
    graph_nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *graph_nodes])
    onnx.checker.check_model(copy)
    return copy


def expand_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Copy a compressed graph with its matrices as float32 constants again.

    Embedding tables keep their codes, because their rows are expanded at each look-up.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph = copy.graph
    constants = {weight.name: weight for weight in graph.initializer}
    values: dict[str, npt.NDArray[np.generic]] = {}
    nodes: list[onnx.NodeProto] = []

    def constant(name: str) -> npt.NDArray[np.generic]:
        return values[name] if name in values else numpy_helper.to_array(constants[name])

    for node in graph.node:
        if not all(name in constants or name in values for name in node.input):
            nodes.append(node)
        elif node.op_type == "Cast" and node.attribute[0].i == onnx.TensorProto.FLOAT:
            values[node.output[0]] = constant(node.input[0]).astype(np.float32)
        elif node.op_type == "Mul":
            values[node.output[0]] = np.multiply(*map(constant, node.input))
        elif node.op_type == "Reshape":
            source, shape = map(constant, node.input)
            values[node.output[0]] = source.reshape(shape.tolist())
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    remaining = [weight for weight in graph.initializer if weight.name in used]
    del graph.initializer[:]
    graph.initializer.extend(remaining)
    for name in [name for name in values if name in used]:
        _add_constant(graph, name, values[name])
    onnx.checker.check_model(copy)
    return copy


def quantise(
    values: npt.NDArray[np.float32], axis: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Make int8 codes and float16 scales shared along ``axis``: ``values ~ codes * scales``.

    An all-zero group gets scale 1, so that nothing is divided by zero.
    """
    peak = np.abs(values).max(axis=axis, keepdims=True)
    scales = np.where(peak > 0, peak / 127, 1).astype(np.float16)
    # a peak below float16's smallest number would round its scale to zero
    scales = np.maximum(scales, np.finfo(np.float16).smallest_subnormal)
    codes = np.clip(np.rint(values / scales.astype(np.float32)), -127, 127)
    return codes.astype(np.int8), scales


def _is_compressible(weight: onnx.TensorProto) -> bool:
    size = int(np.prod(weight.dims)) if weight.dims else 1
    return weight.data_type == onnx.TensorProto.FLOAT and size >= MIN_ELEMENTS


def _is_table(graph: onnx.GraphProto, name: str) -> bool:
    """Whether a weight is only ever looked up by row, as embeddings are."""
    return all(
        node.op_type == "Gather"
        and node.input[0] == name
        and all(a.i == 0 for a in node.attribute if a.name == "axis")
        for node in graph.node
        if name in node.input
    )


def _add_constant(graph: onnx.GraphProto, name: str, values: npt.NDArray[np.generic]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    return name


def _cast(source: str, target: str) -> onnx.NodeProto:
    return helper.make_node("Cast", [source], [target], to=onnx.TensorProto.FLOAT)


def _quantise_matrix(
    graph: onnx.GraphProto, name: str, values: npt.NDArray[np.float32]
) -> list[onnx.NodeProto]:
    """Add codes of shape (inputs / block, block, outputs); return the nodes that expand them."""
    inputs = values.shape[0]
    width = BLOCK if inputs % BLOCK == 0 else inputs
    codes, scales = quantise(values.reshape(inputs // width, width, -1), axis=1)
    shape = _add_constant(graph, f"{name}.shape", np.asarray(values.shape, dtype=np.int64))
    parts = [
        _add_constant(graph, f"{name}.codes", codes),
        _add_constant(graph, f"{name}.scales", scales),
    ]
    return _expand(parts, shape, name)


def _quantise_table(graph: onnx.GraphProto, name: str, values: npt.NDArray[np.float32]) -> None:
    """Make the graph look up codes and scales, so that it expands only the rows that it reads.

    Codes have shape (rows, width / block, block); a look-up joins a row's blocks again.
    """
    rows, dimension = values.shape
    width = BLOCK if dimension % BLOCK == 0 else dimension
    codes, scales = quantise(values.reshape(rows, dimension // width, width), axis=2)
    tables = [
        _add_constant(graph, f"{name}.codes", codes),
        _add_constant(graph, f"{name}.scales", scales),
    ]
    row = _add_constant(graph, f"{name}.row", np.asarray([dimension], dtype=np.int64))
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if name not in node.input:
            nodes.append(node)
            continue
        ids, out = node.input[1], node.output[0]
        parts = [f"{out}.codes", f"{out}.scales"]
        nodes += [
            helper.make_node("Gather", [table, ids], [part], axis=0)
            for table, part in zip(tables, parts, strict=True)
        ]
        nodes.append(helper.make_node("Shape", [ids], [f"{out}.ids"]))
        nodes.append(helper.make_node("Concat", [f"{out}.ids", row], [f"{out}.shape"], axis=0))
        nodes += _expand(parts, f"{out}.shape", out)
    del graph.node[:]
    graph.node.extend(nodes)


def _expand(parts: list[str], shape: str, target: str) -> list[onnx.NodeProto]:
    return [
        *(_cast(part, f"{part}.f32") for part in parts),
        helper.make_node("Mul", [f"{part}.f32" for part in parts], [f"{target}.blocks"]),
        helper.make_node("Reshape", [f"{target}.blocks", shape], [target]),
    ]
