"""ONNX graphs of sentence-transformers models, and their split into a shared trunk and a head."""

from __future__ import annotations

import inspect
import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import TensorProto, helper
from sentence_transformers import SentenceTransformer

from logic_export.models import open_model
from logic_retrievers.encoders.manifest import HIDDEN
from logic_retrievers.errors import ConfigurationError, MissingExtraError

OUTPUT = "sentence_embedding"
# the first opset with a Gelu operator, which is plain ONNX and as fast as a fused one
OPSET = 20


def load_model(name_or_path: str) -> SentenceTransformer:
    """Load a model on the CPU, with attention in plain operators; errors of :func:`open_model`."""
    return open_model(name_or_path, device="cpu", model_kwargs={"attn_implementation": "eager"})


def export_graph(model: SentenceTransformer) -> onnx.ModelProto:
    """Export the whole model as a float32 graph.

    Inputs are ``input_ids`` and ``attention_mask``, int64 of shape (batch, sequence), both axes
    dynamic. The output is ``sentence_embedding``, float32 of shape (batch, dimension). A model that
    reads something other than text tokens is a :class:`ConfigurationError`.
    """
    transformer = model[0]
    if not hasattr(transformer, "auto_model") or model.max_seq_length is None:
        raise ConfigurationError(
            "Only models whose first module is a Transformer with a max_seq_length can be exported."
        )
    return export_module(_EmbeddingModule(model), int(model.max_seq_length), OUTPUT)


def export_module(module: torch.nn.Module, max_tokens: int, output: str) -> onnx.ModelProto:
    """Export a module over ``input_ids`` and ``attention_mask`` with one output.

    The graph is in float32, with both axes dynamic.
    """
    # two texts of different length, since a batch of 1 or no padding could be traced as a constant
    ids = torch.randint(5, 100, (2, 7))
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    batch = torch.export.Dim("batch")
    sequence = torch.export.Dim("sequence", max=max_tokens)
    # PyTorch warns about axis names that two inputs share, and about missing torchvision
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*axis name.*will not be used.*")
        warnings.filterwarnings("ignore", message=".*isinstance.treespec, LeafSpec.*")
        program = torch.onnx.export(
            module.eval(),
            (ids, mask),
            dynamo=True,
            verbose=False,
            dynamic_shapes=({0: batch, 1: sequence}, {0: batch, 1: sequence}),
            input_names=["input_ids", "attention_mask"],
            output_names=[output],
            opset_version=OPSET,
        )
    if program is None:  # only older exporters return nothing
        raise ConfigurationError("torch.onnx.export gave no program. Upgrade PyTorch.")
    return _strip_metadata(program.model_proto)


class _EmbeddingModule(torch.nn.Module):
    """Takes two tensors instead of sentence-transformers' dictionary of features."""

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


def _strip_metadata(model: onnx.ModelProto) -> onnx.ModelProto:
    """Removes the stack traces and source paths that PyTorch attaches to every node."""
    model.graph.ClearField("metadata_props")
    model.ClearField("metadata_props")
    for part in (model.graph.node, model.graph.initializer, model.graph.value_info):
        for item in part:
            item.ClearField("metadata_props")
            item.ClearField("doc_string")
    del model.graph.value_info[:]
    return model


def export_with_optimum(model: str) -> onnx.ModelProto:
    """Export a folder or hub name with optimum; the result is like that of :func:`export_graph`.

    Raises:
        MissingExtraError: optimum is not installed. It cannot be installed next to the extra
            ``train``, whose transformers version is too new for it.
        ConfigurationError: the model gives no sentence embedding, or reads more than text tokens.
    """
    try:
        from optimum.exporters.onnx import main_export
    except ImportError as error:
        raise MissingExtraError("optimum", "optimum") from error
    with tempfile.TemporaryDirectory() as folder:
        main_export(
            model,
            folder,
            task="feature-extraction",
            library_name="sentence_transformers",
            opset=OPSET,
            do_validation=False,  # the bundle's gate compares more than optimum does
        )
        graph = onnx.load(Path(folder) / "model.onnx")
    inputs = {value.name for value in graph.graph.input}
    outputs = [value for value in graph.graph.output if value.name == OUTPUT]
    if not outputs or not inputs <= {"input_ids", "attention_mask"}:
        raise ConfigurationError(
            f"optimum's graph of {model!r} reads {', '.join(sorted(inputs))} and gives "
            f"{', '.join(value.name for value in graph.graph.output)}; it must read input_ids and "
            f"attention_mask and give {OUTPUT}"
        )
    del graph.graph.output[:]
    graph.graph.output.extend(outputs)
    return graph


def split_graph(
    model: onnx.ModelProto, shared_layers: int
) -> tuple[list[onnx.ModelProto], onnx.ModelProto]:
    """Split a graph into the graphs of a trunk, and the rest, up to the vector.

    The trunk has the embeddings, which cross-encoders read too, and above them the first
    ``shared_layers`` layers of a BERT-like encoder, if that is not 0. Nodes and weights are only
    divided, so the parts in sequence compute the same as ``model``, which is not changed. Raises
    :class:`ConfigurationError` if there is no such boundary.
    """
    cuts = [_layer_output(model.graph, layers) for layers in dict.fromkeys((0, shared_layers))]
    outputs = [*([cut] for cut in cuts), [output.name for output in model.graph.output]]
    parts = []
    for below, wanted in zip([None, *cuts], outputs, strict=True):
        part = _subgraph(model, wanted, stops=[] if below is None else [below])
        if below is not None:
            if any(value.name == "input_ids" for value in part.graph.input):
                raise ConfigurationError("the layers above the trunk read token ids: no cut")
            _rename_tensor(part.graph, below, HIDDEN)
        if wanted == cuts[:1]:
            _rename_tensor(part.graph, cuts[0], HIDDEN)
        onnx.checker.check_model(part)
        parts.append(part)
    return parts[:-1], parts[-1]


def _layer_output(graph: onnx.GraphProto, shared_layers: int) -> str:
    """Name the tensor that the last shared layer's normalisation produces.

    BERT normalises after the embeddings and twice in every layer. Normalisations are counted, not
    looked up by name, because equal weights may share one name in the graph.
    """
    normalisations: list[str] = [
        node.output[0] for node in graph.node if node.op_type == "LayerNormalization"
    ]
    layers, odd = divmod(len(normalisations) - 1, 2)
    if odd or not 0 <= shared_layers < layers:
        raise ConfigurationError(
            f"no trunk of {shared_layers} layers: the graph has {len(normalisations)} "
            "normalisations, where a BERT-like encoder has one, and two more for each of its "
            "layers, of which at least one must stay above the trunk"
        )
    return normalisations[2 * shared_layers]


def _subgraph(model: onnx.ModelProto, outputs: list[str], stops: list[str]) -> onnx.ModelProto:
    """Copy the nodes that the outputs depend on, back to the model's inputs or the stops."""
    graph = model.graph
    producer = {name: node for node in graph.node for name in node.output}
    needed, pending = set(stops), list(outputs)
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in producer:
            pending += [source for source in producer[name].input if source]
    inner = needed - set(stops)
    known = {value.name: value for value in (*graph.input, *graph.output)}
    subgraph = helper.make_graph(
        [node for node in graph.node if inner.intersection(node.output)],
        graph.name,
        [value for value in graph.input if value.name in inner]
        + [_hidden_value_info(name) for name in stops],
        [known.get(name) or _hidden_value_info(name) for name in outputs],
        [weight for weight in graph.initializer if weight.name in inner],
    )
    submodel = helper.make_model(subgraph, opset_imports=model.opset_import)
    submodel.ir_version = model.ir_version
    return submodel


def _hidden_value_info(name: str) -> onnx.ValueInfoProto:
    shape = ["batch", "sequence", "width"]
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _rename_tensor(graph: onnx.GraphProto, name: str, new: str) -> None:
    for node in graph.node:
        for names in (node.input, node.output):
            for index, tensor in enumerate(names):
                if tensor == name:
                    names[index] = new
    for value in (*graph.input, *graph.output):
        if value.name == name:
            value.name = new
