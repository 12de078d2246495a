"""A sentence-transformers model as one ONNX graph, pooling and normalisation inside."""

from __future__ import annotations

import inspect
import logging
import warnings
from typing import Any

import onnx
import torch
from sentence_transformers import SentenceTransformer

from logic_export.loading import open_model
from logic_retrievers.errors import ConfigurationError

OUTPUT = "sentence_embedding"
OPSET = 20
"""The first with a Gelu operator, which is as fast as a fused one and still plain ONNX."""


def load_model(name_or_path: str) -> SentenceTransformer:
    """A sentence-transformers model on the CPU, its attention written out in plain operators.

    Raises:
        ConfigurationError: no such folder or name, or it cannot be fetched.
    """
    return open_model(name_or_path, device="cpu", model_kwargs={"attn_implementation": "eager"})


def export_graph(model: SentenceTransformer) -> onnx.ModelProto:
    """The whole model as a float32 graph.

    Inputs ``input_ids`` and ``attention_mask``, int64 of shape (batch, sequence), both axes
    dynamic; output ``sentence_embedding``, float32 of shape (batch, dimension).

    Raises:
        ConfigurationError: the model reads something else than text tokens.
    """
    transformer = model[0]
    if not hasattr(transformer, "auto_model") or model.max_seq_length is None:
        raise ConfigurationError(
            "Only models whose first module is a Transformer with a max_seq_length can be exported."
        )
    wrapped = _Graph(model).eval()
    # two texts of unlike length: a batch of 1, or no padding, could be taken for a constant
    ids = torch.randint(5, 100, (2, 7))
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    batch = torch.export.Dim("batch")
    sequence = torch.export.Dim("sequence", max=int(model.max_seq_length))
    # PyTorch reports each axis name that two inputs share, and the absence of torchvision
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*axis name.*will not be used.*")
        warnings.filterwarnings("ignore", message=".*isinstance.treespec, LeafSpec.*")
        program = torch.onnx.export(
            wrapped,
            (ids, mask),
            dynamo=True,
            verbose=False,
            dynamic_shapes=({0: batch, 1: sequence}, {0: batch, 1: sequence}),
            input_names=["input_ids", "attention_mask"],
            output_names=[OUTPUT],
            opset_version=OPSET,
        )
    if program is None:  # only older exporters return nothing
        raise ConfigurationError("torch.onnx.export gave no program. Upgrade PyTorch.")
    return _without_origin(program.model_proto)


class _Graph(torch.nn.Module):
    """From two tensors to one, in place of sentence-transformers' dictionary of features."""

    def __init__(self, model: SentenceTransformer) -> None:
        super().__init__()
        self.model = model
        transformer: Any = model[0].auto_model
        parameters = inspect.signature(transformer.forward).parameters
        self.has_types = "token_type_ids" in parameters

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        features = {"input_ids": input_ids, "attention_mask": attention_mask}
        if self.has_types:
            features["token_type_ids"] = torch.zeros_like(input_ids)
        return self.model(features)[OUTPUT]


def _without_origin(model: onnx.ModelProto) -> onnx.ModelProto:
    """Drops stack traces and source paths, which PyTorch keeps beside every node."""
    model.graph.ClearField("metadata_props")
    model.ClearField("metadata_props")
    for part in (model.graph.node, model.graph.initializer, model.graph.value_info):
        for item in part:
            item.ClearField("metadata_props")
            item.ClearField("doc_string")
    del model.graph.value_info[:]
    return model
