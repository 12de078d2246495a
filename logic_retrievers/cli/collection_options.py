"""Options that say how Qdrant keeps a new collection."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from logic_retrievers.errors import ReadError


class Quantization(StrEnum):
    """Small forms of vectors."""

    INT8 = "int8"


Shards = Annotated[int | None, typer.Option(min=1, help="Of a new collection on a cluster.")]
Replicas = Annotated[
    int | None,
    typer.Option(min=1, help="Copies of each shard, on as many nodes: with two, one may die."),
]
Quantize = Annotated[
    Quantization | None,
    typer.Option(help="Keep small vectors too; HNSW indexes of large collections use these."),
]
OptionsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="JSON: how Qdrant keeps a new collection, by names of create_collection "
        "(hnsw_config, on_disk, strict_mode_config, ...).",
    ),
]


def read_collection_options(
    file: Path | None, shards: int | None, replicas: int | None, quantize: Quantization | None
) -> dict[str, Any]:
    """The options of a file, with those that the command line names in their place."""
    try:
        options = {} if file is None else json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ReadError(f"--collection-options: {file} cannot be read as JSON: {error}") from error
    if not isinstance(options, dict):
        raise ReadError(f"--collection-options: {file} holds no JSON object")
    named = {
        "shard_number": shards,
        "replication_factor": replicas,
        "quantization_config": quantize and {"scalar": {"type": quantize.value}},
    }
    return {**options, **{name: value for name, value in named.items() if value is not None}}
