"""A model as low-rank changes to the bundle's judge, whose graph takes them as optional inputs.

LoRA (Hu et al. 2021): ``W + down @ up``, where the two are of a small rank. The judge's weights are
stored once, in four bits as ever, and multiplied in int8; the changes are float32.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from logic_export.judge.from_bundle import graph_weights, quantised_products
from logic_retrievers.errors import ConfigurationError

Changes: TypeAlias = dict[str, npt.NDArray[np.float16]]
"""Name of an optional input -> its value."""

OUTPUT = "pair_kinds"
"""The output of the second classifier, beside the judge's."""
_CLASSIFIER = "classifier"
_ROUNDING = 1e-5
"""Up to here a parameter is the same."""


def find_changes(graph: onnx.ModelProto, model: torch.nn.Module, rank: int) -> Changes:
    """What makes the judge of a graph into a model: factors of each matrix, and a classifier.

    Args:
        graph: of :func:`logic_export.bundles.integer_graphs.quantise_products`.
        model: of the same layers; matrices differ, biases and norms do not.
        rank: of the factors: those of the largest singular values, in half precision.

    Raises:
        ConfigurationError: the model has other layers, or differs in more than its matrices.
    """
    base = graph_weights(graph)
    changes: Changes = {}
    for name, values in model.state_dict().items():
        if name.startswith(_CLASSIFIER):
            changes[f"{OUTPUT}.{name}"] = _half(values.mT if values.ndim == 2 else values)
            continue
        if "embeddings" in name:
            continue
        if name not in base or base[name].shape != values.shape:
            raise ConfigurationError(f"the bundle's judge has no {name!r} of this shape")
        difference = values - base[name]
        if difference.abs().max() <= _ROUNDING:
            continue
        if values.ndim != 2:
            raise ConfigurationError(
                f"{name!r} is not that of the bundle's judge: train from it with model.rank"
            )
        left, strengths, right = torch.linalg.svd(difference.mT, full_matrices=False)
        root = strengths[:rank].sqrt()
        changes[f"{name}.down"] = _half(left[:, :rank] * root)
        changes[f"{name}.up"] = _half(root[:, None] * right[:rank])
    return changes


def with_optional_inputs(graph: onnx.ModelProto, changes: Changes) -> onnx.ModelProto:
    """The graph with an input for each change; the judge says what it said where none is given.

    Defaults are of rank 0. Inputs that the graph has already stay.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(graph)
    body = copy.graph
    have = {entry.name for entry in body.input}
    sources = {n.output[0]: n.input[0] for n in body.node if n.op_type == "DynamicQuantizeLinear"}
    for name, product, added in list(quantised_products(body)):
        source, result = sources[product.input[0]], added.output[0]
        down, up = f"{name}.down", f"{name}.up"
        if down in changes and down not in have:
            _add_input(body, down, (changes[down].shape[0], 0))
            _add_input(body, up, (0, changes[up].shape[1]))
            added.output[0] = f"{name}.unchanged"
            _insert_after(
                body,
                added,
                helper.make_node("MatMul", [source, down], [f"{name}.low"]),
                helper.make_node("MatMul", [f"{name}.low", up], [f"{name}.change"]),
                helper.make_node("Add", [added.output[0], f"{name}.change"], [result]),
            )
        if name == f"{_CLASSIFIER}.weight" and OUTPUT not in {o.name for o in body.output}:
            weight, bias = f"{OUTPUT}.{name}", f"{OUTPUT}.{_CLASSIFIER}.bias"
            _add_input(body, weight, (changes[weight].shape[0], 0))
            _add_input(body, bias, (0,))
            body.node.extend(
                (
                    helper.make_node("MatMul", [source, weight], [f"{OUTPUT}.product"]),
                    helper.make_node("Add", [f"{OUTPUT}.product", bias], [OUTPUT]),
                )
            )
            shape = ["batch", "kinds"]
            body.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, shape))
    onnx.checker.check_model(copy)
    return copy


def _add_input(graph: onnx.GraphProto, name: str, shape: tuple[int, ...]) -> None:
    """An input of rank 0, or of any other, with a default."""
    graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), name))
    dimensions = [size or f"{name}.size" for size in shape]
    graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dimensions))


def _insert_after(graph: onnx.GraphProto, node: onnx.NodeProto, *new: onnx.NodeProto) -> None:
    place = next(i for i, other in enumerate(graph.node) if other.output[0] == node.output[0])
    for offset, added in enumerate(new, 1):
        graph.node.insert(place + offset, added)


def _half(values: torch.Tensor) -> npt.NDArray[np.float16]:
    return np.ascontiguousarray(values.numpy().astype(np.float16))
