"""Refuse ONNX graphs whose weights lie in other files, and read a graph's metadata.

ONNX Runtime loads weights from any file that a graph names, even from the working directory. No
checksum covers such files, and no option of ONNX Runtime refuses them. This module reads graphs as
protobuf messages, because the ``onnx`` package is not a run-time dependency.
"""

from __future__ import annotations

from collections.abc import Iterator

METADATA = 14  # field number of a model's metadata_props

# Message type -> field number -> the field's message type, for fields that may contain a tensor.
MESSAGES: dict[str, dict[int, str]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "GraphProto": {1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "NodeProto": {5: "AttributeProto"},
    "AttributeProto": {
        **{5: "TensorProto", 6: "GraphProto", 10: "TensorProto", 11: "GraphProto"},
        **{22: "SparseTensorProto", 23: "SparseTensorProto"},
    },
    "SparseTensorProto": {1: "TensorProto", 2: "TensorProto"},
    "TensorProto": {},
}

_OPERATOR = 4  # field of a NodeProto
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14  # fields of a TensorProto
_COMPILED = b"EPContext"  # an operator that runs code compiled for one device

_VARINT, _BYTES = 0, 2
_FIXED_SIZES = {1: 8, 5: 4}
_DAMAGED = "it is no ONNX file, or a damaged one. Copy or export it again."
_MAX_DEPTH = 100  # protobuf's own limit


def check_graph(content: bytes) -> dict[str, str]:
    """Check that a graph needs no other file, and return its metadata.

    Raises:
        ValueError: the graph names other files, or it is not an ONNX file.
    """
    _check_message(content, 0, len(content), "ModelProto", 0)
    metadata = {}
    for number, kind, start, end in fields(content):
        if (number, kind) == (METADATA, _BYTES):
            entry = {part: content[a:b] for part, _, a, b in fields(content, start, end)}
            key, value = (entry.get(part, b"").decode(errors="replace") for part in (1, 2))
            metadata[key] = value
    return metadata


def fields(
    content: bytes, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (number, wire type, start and end of the value) of a protobuf message's fields."""
    end = len(content) if end is None else end
    while start < end:
        tag, start = _read_varint(content, start, end)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value_end = _read_varint(content, start, end)[1]
        elif kind == _BYTES:
            size, start = _read_varint(content, start, end)
            value_end = start + size
        else:
            value_end = start + _FIXED_SIZES.get(kind, end)  # ONNX uses no groups
        if value_end > end or not 0 < number < 2**29:
            raise ValueError(_DAMAGED)
        yield number, kind, start, value_end
        start = value_end


def _check_message(content: bytes, start: int, end: int, message: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(f"its parts are nested more than {_MAX_DEPTH} deep.")
    for number, kind, first, last in fields(content, start, end):
        if kind == _BYTES and (inner := MESSAGES[message].get(number)):
            _check_message(content, first, last, inner, depth + 1)
        elif message == "TensorProto" and (
            number == _EXTERNAL_DATA
            or (number == _DATA_LOCATION and any(byte & 0x7F for byte in content[first:last]))
        ):
            raise ValueError(
                "its weights lie in another file, which no checksum covers. Export it with all "
                "weights inside."
            )
        elif message == "NodeProto" and number == _OPERATOR and content[first:last] == _COMPILED:
            raise ValueError("it was compiled for a device. Export it before it is compiled.")


def _read_varint(content: bytes, start: int, end: int) -> tuple[int, int]:
    """Read a number stored in groups of seven bits; return it and the position after it."""
    value = 0
    for position in range(start, min(start + 10, end)):
        byte = content[position]
        value |= (byte & 0x7F) << 7 * (position - start)
        if byte < 0x80:
            return value, position + 1
    raise ValueError(_DAMAGED)
