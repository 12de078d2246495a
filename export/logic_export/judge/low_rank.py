"""Stores further judges as low-rank changes to a bundle's judge; unpacks a judge as a model.

The changes are LoRA's (Hu et al. 2021): ``W + down @ up``, with factors of a small rank. The graph
stores the judge's weights once, in four bits, multiplies in int8, and takes the changes as optional
float32 inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from logic_export.bundles.manifests import require_new
from logic_export.models import find_model
from logic_export.training.run_folder import CARD, MODEL, TrainingSet
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS

Changes: TypeAlias = dict[str, npt.NDArray[np.float16]]
_Weights: TypeAlias = Mapping[str, npt.NDArray[Any]]

# outputs of added classifiers; the judge keeps its own output
PAIRS = "pair_kinds"  # reads the pooled pair, (batch, labels); the name is in shipped graphs
TOKENS = "constraint"  # reads every token, (batch, tokens, labels)

_CLASSIFIER = "classifier"
# name of the model within the exported module
_WRAPPER = "model."
# parameters that differ by less count as equal
_ROUNDING = 1e-5


def unpack_judge(bundle: Path | None, base: str, out: Path) -> None:
    """Write the judge of a bundle as the folder of a finished run, ``model`` and ``card.json``.

    The bundle (None: the packaged one) must store its judge in int4; the result keeps that
    rounding. ``base`` gives configuration, embeddings and tokenizer. Raises
    :class:`ConfigurationError` if the weights are not in int4, the judge has a different base, or
    ``out`` exists.
    """
    require_new(out)
    loaded = load_bundle(bundle)
    judge = loaded.manifest.judge
    if judge is None:
        raise ConfigurationError(f"{loaded.path} has no pair judge")
    weights: dict[str, torch.Tensor] = {}
    for name in judge.graphs[1:]:
        weights |= _graph_weights(onnx.load_from_string(loaded.read(name)))
    folder = find_model(base)
    config = AutoConfig.from_pretrained(folder, num_labels=len(LABELS))
    model = AutoModelForSequenceClassification.from_pretrained(folder, config=config)
    found = model.load_state_dict(weights, strict=False)
    if found.unexpected_keys or any("embeddings" not in key for key in found.missing_keys):
        raise ConfigurationError(
            f"the judge of {loaded.path} has other layers than {base!r}, or weights that are not "
            "stored in four bits"
        )
    model.save_pretrained(out / MODEL)
    AutoTokenizer.from_pretrained(folder).save_pretrained(out / MODEL)
    # no recipe, since the judge's run is not here; ships, since bundles hold only such judges
    card = {
        "name": judge.origin,
        "ships": True,
        "sets": [
            asdict(TrainingSet(row.name, row.licence, row.rows, ships=True))
            for row in judge.training
        ],
        "recipe": None,
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def find_changes(
    graph: onnx.ModelProto, model: torch.nn.Module, rank: int, output: str = PAIRS
) -> Changes:
    """Find the changes that turn the judge of a graph into a model.

    Each matrix's difference keeps ``rank`` singular values. The result maps the names of optional
    inputs to values: two factors for each changed matrix, and the weights of the classifier whose
    output is ``output``. Embeddings are skipped, even if they differ. A model with different
    layers, or with other differences than in matrices, is a :class:`ConfigurationError`.
    """
    base = _graph_weights(graph)
    changes: Changes = {}
    for name, values in model.state_dict().items():
        if name.startswith(_CLASSIFIER):
            changes[f"{output}.{name}"] = _half(values.mT if values.ndim == 2 else values)
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


def with_optional_inputs(
    graph: onnx.ModelProto, changes: Changes, output: str = PAIRS
) -> onnx.ModelProto:
    """Copy the graph with an input for each change, and an output for the classifier.

    Inputs default to rank 0, with which the judge computes the same. Existing inputs stay.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(graph)
    body = copy.graph
    have = {entry.name for entry in body.input}
    sources = {n.output[0]: n.input[0] for n in body.node if n.op_type == "DynamicQuantizeLinear"}
    pooled = ""
    for name, product, added in list(_quantised_products(body)):
        source, result = sources[product.input[0]], added.output[0]
        down, up = f"{name}.down", f"{name}.up"
        if down in changes and down not in have:
            _add_input(body, down, (changes[down].shape[0], 0))
            _add_input(body, up, (0, changes[up].shape[1]))
            added.output[0] = f"{name}.unchanged"
            place = next(i for i, node in enumerate(body.node) if node.output[0] == added.output[0])
            new = (
                helper.make_node("MatMul", [source, down], [f"{name}.low"]),
                helper.make_node("MatMul", [f"{name}.low", up], [f"{name}.change"]),
                helper.make_node("Add", [added.output[0], f"{name}.change"], [result]),
            )
            for offset, node in enumerate(new, 1):
                body.node.insert(place + offset, node)
        if name == f"{_CLASSIFIER}.weight":
            pooled = source
    if output not in {entry.name for entry in body.output}:
        hidden = [n.output[0] for n in body.node if n.op_type == "LayerNormalization"][-1]
        _add_classifier(body, output, changes, hidden if output == TOKENS else pooled)
    onnx.checker.check_model(copy)
    return copy


def _graph_weights(graph: onnx.ModelProto) -> dict[str, torch.Tensor]:
    """Map names to float32 parameters; a matrix is named after the bias added to its product."""
    stored: _Weights = {i.name: numpy_helper.to_array(i) for i in graph.graph.initializer}
    found = {
        name.removeprefix(_WRAPPER): torch.from_numpy(values.copy())
        for name, values in stored.items()
        if name.startswith(_WRAPPER)
        and values.dtype == np.float32
        and name.endswith((".bias", "Norm.weight"))
    }
    for name, product, _ in _quantised_products(graph.graph):
        matrix = _matrix(stored, product.input[1])
        found[name] = torch.from_numpy(np.ascontiguousarray(matrix.T))
    return found


def _quantised_products(
    graph: onnx.GraphProto,
) -> Iterator[tuple[str, onnx.NodeProto, onnx.NodeProto]]:
    """Yield each matrix of a quantised graph: its name, its product, and the sum with its bias."""
    sums = {
        source: (node, other)
        for node in graph.node
        if node.op_type == "Add"
        for source, other in (node.input, reversed(node.input))
        if other.endswith(".bias")
    }
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            added, bias = sums[node.output[0].removesuffix("_output_quantized")]
            yield f"{bias.removeprefix(_WRAPPER).removesuffix('bias')}weight", node, added


def _matrix(stored: _Weights, name: str) -> npt.NDArray[np.float32]:
    """Expand codes of four or eight bits with their scales to shape (in, out)."""
    scale = stored[f"{name.removesuffix('_quantized')}_scale"].astype(np.float32)
    if name in stored:
        return stored[name].astype(np.float32) * scale
    packed = stored[f"{name}.packed"]
    codes = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    values = codes * stored[f"{name}.scales"].astype(np.float32)
    integers: npt.NDArray[np.float32] = np.clip(np.rint(values), -128, 127)
    return integers.reshape(-1, values.shape[-1]) * scale


def _add_classifier(graph: onnx.GraphProto, output: str, changes: Changes, source: str) -> None:
    """Add a linear layer over ``source``, whose weights are optional inputs."""
    weight, bias = (f"{output}.{_CLASSIFIER}.{part}" for part in ("weight", "bias"))
    _add_input(graph, weight, (changes[weight].shape[0], 0))
    _add_input(graph, bias, (0,))
    graph.node.append(helper.make_node("MatMul", [source, weight], [f"{output}.product"]))
    graph.node.append(helper.make_node("Add", [f"{output}.product", bias], [output]))
    shape = ["batch", "tokens", "labels"] if output == TOKENS else ["batch", "kinds"]
    graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, shape))


def _add_input(graph: onnx.GraphProto, name: str, shape: tuple[int, ...]) -> None:
    """Add an optional input; sizes of 0 in ``shape`` vary."""
    graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), name))
    dimensions = [size or f"{name}.size" for size in shape]
    graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dimensions))


def _half(values: torch.Tensor) -> npt.NDArray[np.float16]:
    return np.ascontiguousarray(values.numpy().astype(np.float16))
