"""The pair judge of a bundle as a PyTorch model, from which a training can go on.

The weights are those of the bundle: rounded to four bits where it stores them so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from logic_export.models import find_model
from logic_export.training.run_folder import CARD, MODEL, TrainingSet
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS

_Weights = Mapping[str, npt.NDArray[Any]]
_WRAPPER = "model."
"""The exported module holds the model under this name."""


def unpack_judge(bundle: Path | None, base: str, out: Path) -> None:
    """Writes the judge as the folder of a finished run, ``model`` and ``card.json``.

    Args:
        bundle: with a judge of int4 weights; the one that comes with the package where None.
        base: the encoder whose embeddings it shares: its configuration, embeddings and tokenizer.
        out: a new folder.

    Raises:
        ConfigurationError: ``out`` exists, or the judge has other weights or another base.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    loaded = load_bundle(bundle)
    judge = loaded.manifest.judge
    if judge is None:
        raise ConfigurationError(f"{loaded.path} has no pair judge")
    weights: dict[str, torch.Tensor] = {}
    for name in judge.graphs[1:]:
        weights |= graph_weights(onnx.load_from_string(loaded.read(name)))
    folder = find_model(base)
    config = AutoConfig.from_pretrained(folder, num_labels=len(LABELS))
    model = AutoModelForSequenceClassification.from_pretrained(folder, config=config)
    found = model.load_state_dict(weights, strict=False)
    if found.unexpected_keys or any("embeddings" not in key for key in found.missing_keys):
        raise ConfigurationError(
            f"the judge of {loaded.path} has other layers than {base!r}, or weights that are not"
            " stored in four bits"
        )
    model.save_pretrained(out / MODEL)
    AutoTokenizer.from_pretrained(folder).save_pretrained(out / MODEL)
    sets = [TrainingSet(row.name, row.licence, True, row.rows) for row in judge.training]
    card = {
        "name": judge.origin,
        "ships": True,  # else no bundle would have it
        "sets": [asdict(row) for row in sets],
        "recipe": None,
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def graph_weights(graph: onnx.ModelProto) -> dict[str, torch.Tensor]:
    """Parameter name -> value in float32, of a graph of :func:`quantise_products`.

    A matrix has the name of the bias that is added to its product.
    """
    stored: _Weights = {i.name: numpy_helper.to_array(i) for i in graph.graph.initializer}
    found = {
        name.removeprefix(_WRAPPER): torch.from_numpy(values.copy())
        for name, values in stored.items()
        if name.startswith(_WRAPPER)
        and values.dtype == np.float32
        and name.endswith((".bias", "Norm.weight"))
    }
    for name, product, _ in quantised_products(graph.graph):
        matrix = _matrix(stored, product.input[1])
        found[name] = torch.from_numpy(np.ascontiguousarray(matrix.T))
    return found


def quantised_products(
    graph: onnx.GraphProto,
) -> Iterator[tuple[str, onnx.NodeProto, onnx.NodeProto]]:
    """Each matrix of a quantised graph: its name, the product, and where its bias is added."""
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
    """Shape (in, out), from codes of four bits, or of eight, and scales."""
    scale = stored[f"{name.removesuffix('_quantized')}_scale"].astype(np.float32)
    if name in stored:
        return stored[name].astype(np.float32) * scale
    packed = stored[f"{name}.packed"]
    codes = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    values = codes * stored[f"{name}.scales"].astype(np.float32)
    integers: npt.NDArray[np.float32] = np.clip(np.rint(values), -128, 127)
    return integers.reshape(-1, values.shape[-1]) * scale
