"""A query encoder's file as it is written: the graph, and behind it what describes it."""

from __future__ import annotations

from pathlib import Path

import onnx

from logic_retrievers.encoders.query_encoder import (
    CARD_KEY,
    CHECKSUM_KEY,
    QueryEncoderCard,
    checksum,
)


def write_query_encoder(path: Path, graph: onnx.ModelProto, card: QueryEncoderCard) -> None:
    """Writes a graph with its description, whole or not at all.

    The description is a message of its own behind the graph's: protobuf reads two messages in a
    row as one. So the graph's bytes stand together, and their checksum can be taken by whoever
    does not know the format.

    Args:
        path: of the file; what was there is replaced.
        graph: without metadata of its own.
        card: ``graph_bytes`` is filled in here.
    """
    content = graph.SerializeToString(deterministic=True)
    text = card.model_copy(update={"graph_bytes": len(content)}).model_dump_json()
    described = onnx.ModelProto()
    for key, value in ((CARD_KEY, text), (CHECKSUM_KEY, checksum(content, text))):
        described.metadata_props.add(key=key, value=value)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(content + described.SerializeToString(deterministic=True))
    partial.replace(path)
