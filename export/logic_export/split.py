"""One graph cut in two: the lowest layers, which all heads share, and what each head adds."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from logic_retrievers.encoders.manifest import HIDDEN
from logic_retrievers.errors import ConfigurationError


def split_graph(
    model: onnx.ModelProto, shared_layers: int
) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """The trunk, from tokens to ``hidden``, and the rest, from ``hidden`` to the vector.

    Nodes and weights are only dealt out, so that the two in a row compute what the one did.

    Args:
        model: an exported BERT-like encoder; left as it is.
        shared_layers: 0 cuts above the embeddings, n above the n-th layer.

    Raises:
        ConfigurationError: the graph has no such place.
    """
    place = _output_of_layer(model.graph, shared_layers)
    trunk = _part(model, [place], stops=[])
    head = _part(model, [output.name for output in model.graph.output], stops=[place])
    if any(value.name == "input_ids" for value in head.graph.input):
        raise ConfigurationError("the layers above the trunk read token ids, so it cannot be cut")
    for part in (trunk, head):
        _rename(part.graph, place, HIDDEN)
        onnx.checker.check_model(part)
    return trunk, head


def _output_of_layer(graph: onnx.GraphProto, shared_layers: int) -> str:
    """The tensor that the last shared layer's normalisation gives.

    BERT normalises after the embeddings and twice in every layer; by their order, since equal
    weights may have one name in the graph.
    """
    found: list[str] = [
        node.output[0] for node in graph.node if node.op_type == "LayerNormalization"
    ]
    layers, odd = divmod(len(found) - 1, 2)
    if odd or not 0 <= shared_layers < layers:
        raise ConfigurationError(
            f"no trunk of {shared_layers} layers: the graph has {len(found)} normalisations, where "
            "a BERT-like encoder has one, and two more for each of its layers, of which at least "
            "one must stay above the trunk"
        )
    return found[2 * shared_layers]


def _part(model: onnx.ModelProto, outputs: list[str], stops: list[str]) -> onnx.ModelProto:
    """The nodes that the outputs need, back to the model's inputs or the stops."""
    graph = model.graph
    maker = {name: node for node in graph.node for name in node.output}
    needed, waiting = set(stops), list(outputs)
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in maker:
            waiting += [source for source in maker[name].input if source]
    inner = needed - set(stops)
    known = {value.name: value for value in (*graph.input, *graph.output)}
    part = helper.make_graph(
        [node for node in graph.node if inner.intersection(node.output)],
        graph.name,
        [value for value in graph.input if value.name in inner] + [_hidden(name) for name in stops],
        [known.get(name) or _hidden(name) for name in outputs],
        [weight for weight in graph.initializer if weight.name in inner],
    )
    made = helper.make_model(part, opset_imports=model.opset_import)
    made.ir_version = model.ir_version
    return made


def _hidden(name: str) -> onnx.ValueInfoProto:
    shape = ["batch", "sequence", "width"]
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _rename(graph: onnx.GraphProto, name: str, new: str) -> None:
    for node in graph.node:
        for names in (node.input, node.output):
            for index, one in enumerate(names):
                if one == name:
                    names[index] = new
    for value in (*graph.input, *graph.output):
        if value.name == name:
            value.name = new
