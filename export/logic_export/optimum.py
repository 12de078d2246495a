"""The optimum road to the same graph, beside sentence-transformers 5 (extra ``optimum``)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx

from logic_export.onnx import OPSET, OUTPUT
from logic_retrievers.errors import ConfigurationError, MissingExtraError


def export_with_optimum(model: str) -> onnx.ModelProto:
    """The whole model as a float32 graph, as :func:`logic_export.onnx.export_graph` gives it.

    Args:
        model: a sentence-transformers folder or hub name.

    Raises:
        MissingExtraError: optimum is not installed. It cannot stand beside the extra ``train``,
            whose transformers is too new for it.
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
    wanted = [value for value in graph.graph.output if value.name == OUTPUT]
    if not wanted or not inputs <= {"input_ids", "attention_mask"}:
        raise ConfigurationError(
            f"optimum's graph of {model!r} reads {', '.join(sorted(inputs))} and gives "
            f"{', '.join(value.name for value in graph.graph.output)}; wanted is one that reads "
            f"input_ids and attention_mask and gives {OUTPUT}"
        )
    del graph.graph.output[:]
    graph.graph.output.extend(wanted)
    return graph
