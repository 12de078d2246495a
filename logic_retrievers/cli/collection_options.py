"""Options that say how Qdrant keeps a new collection."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from logic_retrievers.errors import ReadError


@dataclass(frozen=True)
class NewCollection:
    """How Qdrant keeps a new collection."""

    shards: Annotated[
        int | None, typer.Option(min=1, help="Of a new collection on a cluster of Qdrant's nodes.")
    ] = None
    replicas: Annotated[
        int | None,
        typer.Option(min=1, help="Copies of each shard, on as many nodes: with two, one may die."),
    ] = None
    quantize: Annotated[
        Literal["int8"] | None,
        typer.Option(help="Keep small vectors too; HNSW indexes of large collections use these."),
    ] = None
    collection_options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON: how Qdrant keeps a new collection, by names of create_collection "
            "(hnsw_config, on_disk, strict_mode_config, ...).",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """The options of the file, with those that the command line names in their place."""
        file = self.collection_options
        try:
            options = {} if file is None else json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ReadError(
                f"--collection-options: {file} cannot be read as JSON: {error}"
            ) from error
        if not isinstance(options, dict):
            raise ReadError(f"--collection-options: {file} holds no JSON object")
        named = {
            "shard_number": self.shards,
            "replication_factor": self.replicas,
            "quantization_config": self.quantize and {"scalar": {"type": self.quantize}},
        }
        return {**options, **{name: value for name, value in named.items() if value is not None}}
