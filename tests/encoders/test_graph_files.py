"""Graphs that reference a further file are refused: no checksum covers that file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper
from tiny_bundles import rewrite_manifest, tiny_graph, write_tiny_bundle

from logic_retrievers.encoders import OnnxEncoder
from logic_retrievers.encoders.graph_files import MESSAGES, check_graph
from logic_retrievers.encoders.sessions import onnxruntime
from logic_retrievers.errors import BundleError


def external(tensor: TensorProto, location: str = "weights.bin") -> TensorProto:
    """The same tensor with its values in a separate file."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


def some_tensor() -> TensorProto:
    return helper.make_tensor("w", TensorProto.FLOAT, [2], np.zeros(2, np.float32).tobytes(), True)


def constant() -> onnx.NodeProto:
    return helper.make_node("Constant", [], ["c"], value=external(some_tensor()))


def in_initializer(model: ModelProto) -> None:
    external(next(t for t in model.graph.initializer if t.name == "table"))


def in_constant(model: ModelProto) -> None:
    model.graph.node.append(constant())


def in_nested_branch(model: ModelProto) -> None:
    branch = helper.make_graph([constant()], "inner", [], [])
    middle = helper.make_graph(
        [helper.make_node("If", ["a"], ["b"], then_branch=branch, else_branch=branch)], "m", [], []
    )
    model.graph.node.append(helper.make_node("Loop", ["a"], ["b"], body=middle))


@pytest.mark.parametrize(
    "place", [in_initializer, in_constant, in_nested_branch], ids=lambda place: place.__name__
)
def test_external_data_is_refused_anywhere(place: Callable[[ModelProto], None]):
    """One unchecked place lets a file change weights under the same fingerprint."""
    model = tiny_graph()
    check_graph(model.SerializeToString())
    place(model)
    with pytest.raises(ValueError, match="in another file, which no checksum covers"):
        check_graph(model.SerializeToString())


def test_every_place_of_a_tensor_is_known():
    """Fails if a later ONNX version adds a field that the check would skip."""

    def inner(message) -> dict:
        return {f.number: f.message_type for f in message.fields if f.message_type is not None}

    messages, remaining = {}, [onnx.ModelProto.DESCRIPTOR]
    while remaining:
        message = remaining.pop()
        if message.name not in messages:
            messages[message.name] = inner(message)
            remaining += inner(message).values()
    holders = {"TensorProto"}
    for _ in messages:
        holders |= {n for n, m in messages.items() if any(t.name in holders for t in m.values())}
    assert {
        name: {number: t.name for number, t in messages[name].items() if t.name in holders}
        for name in holders
    } == MESSAGES


def test_a_bundle_does_not_read_from_the_working_directory(tmp_path: Path, monkeypatch):
    """A writer there could change the weights although every checksum matches."""
    folder = write_tiny_bundle(tmp_path / "bundle")
    model = tiny_graph()
    table = next(t for t in model.graph.initializer if t.name == "table")
    for place in (folder, tmp_path):
        (place / "weights.bin").write_bytes(table.raw_data)
    external(table)
    monkeypatch.chdir(tmp_path)
    options = onnxruntime.SessionOptions()
    onnxruntime.InferenceSession(model.SerializeToString(), options)  # loading would read the file
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    rewrite_manifest(folder)
    with pytest.raises(BundleError, match=r"'model\.onnx'.*no checksum covers.*weights inside"):
        OnnxEncoder(folder)


def varint(value: int) -> bytes:
    """Encode a number as protobuf does."""
    if value < 128:
        return bytes([value])
    return bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


@pytest.mark.parametrize(
    "tensor",
    [
        bytes([14 << 3, 0x81, 0x00]),  # EXTERNAL, in two bytes
        varint(14 << 3) + varint(2**32 + 1),  # EXTERNAL, once cut to 32 bits
        varint(2**32 + (13 << 3 | 2)) + b"\x00",  # external_data, likewise
        b"\xea\x00\x00",  # external_data, its number in two bytes
        b"\x6b\x6c",  # a group of that number
        bytes([14 << 3, 1, 14 << 3, 0]),  # EXTERNAL, then the default again
    ],
)
def test_no_way_of_writing_hides_it(tensor: bytes):
    """A file that this reader skips but the C++ reader loads stays unchecked."""
    with pytest.raises(ValueError, match=r"no checksum covers|no ONNX file"):
        check_graph(field(7, field(5, tensor)))
    check_graph(field(7, field(5, bytes([14 << 3, 0]))))


def test_a_format_that_the_check_does_not_read_is_refused(tmp_path: Path):
    """ONNX Runtime loads its own format as a graph under any file name."""
    folder = write_tiny_bundle(tmp_path / "bundle")
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(folder / "model.onnx")
    options.add_session_config_entry("session.save_model_format", "ORT")
    options.log_severity_level = 4
    onnxruntime.InferenceSession(tiny_graph().SerializeToString(), options)
    onnxruntime.InferenceSession((folder / "model.onnx").read_bytes())
    rewrite_manifest(folder)
    with pytest.raises(BundleError, match=r"'model\.onnx' cannot be loaded"):
        OnnxEncoder(folder)


def test_a_graph_compiled_for_a_device_is_refused():
    """The graph's only operator names the file that the device runs."""
    model = tiny_graph()
    node = helper.make_node("EPContext", [], ["x"], domain="com.microsoft", ep_cache_context="f")
    model.graph.node.append(node)
    with pytest.raises(ValueError, match="compiled for a device"):
        check_graph(model.SerializeToString())


@pytest.mark.parametrize("graphs", [30, 5000])
def test_nested_graphs(graphs: int):
    """Protobuf stops at 100 nested messages; Python's stack somewhat later."""
    attribute = b""
    for _ in range(graphs):
        attribute = field(6, field(1, field(5, attribute)))
    model = field(7, field(1, field(5, attribute)))
    if graphs < 32:
        assert check_graph(model) == {}
    else:
        with pytest.raises(ValueError, match="nested more than 100 deep"):
            check_graph(model)


@pytest.mark.parametrize("content", [b"\x08", b"\xff" * 12, b"\x3a\x05\x00"])
def test_what_is_no_message_is_refused(content: bytes):
    with pytest.raises(ValueError, match="no ONNX file"):
        check_graph(content)
