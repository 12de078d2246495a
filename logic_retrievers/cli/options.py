"""Options that several commands share, and what they open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from logic_retrievers.encoders import CachedEncoder, Encoder, OnnxEncoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies.registry import POLICIES

DEFAULT_LOCATION = ".logic-retrievers"

Location = Annotated[
    str,
    typer.Option(
        "--location",
        "-l",
        envvar="LOGIC_RETRIEVERS_LOCATION",
        help="A folder (embedded Qdrant), or the URL of a Qdrant server.",
    ),
]
Collection = Annotated[
    str,
    typer.Option(
        "--collection", "-c", envvar="LOGIC_RETRIEVERS_COLLECTION", help="Name of the collection."
    ),
]
ApiKey = Annotated[
    str | None,
    typer.Option(envvar="QDRANT_API_KEY", show_envvar=True, help="Key of the server."),
]
Bundle = Annotated[
    Path | None,
    typer.Option(help="Folder of an encoder bundle.", show_default="the one that is shipped"),
]
QueryEncoders = Annotated[
    list[Path] | None,
    typer.Option(
        "--query-encoder", metavar="FILE", help="Reads the queries; repeat for another vector's."
    ),
]
Tenant = Annotated[str | None, typer.Option(help="Only this tenant's passages.")]
PolicyName = Annotated[
    str,
    typer.Option("--policy", "-p", help=f"One of {', '.join(POLICIES)}."),
]


def open_encoder(bundle: Path | None, cache: Path | None = None) -> Encoder:
    """The ONNX encoder of a bundle, behind a cache where one is named."""
    encoder = OnnxEncoder(bundle)
    return encoder if cache is None else CachedEncoder(encoder, cache)


def open_index(
    encoder: Encoder,
    location: str,
    collection: str,
    api_key: str | None,
    tenant: str | None,
    *,
    create: bool,
    vectors: Sequence[str] | None = None,
) -> PassageIndex:
    """The index that the options name; a key for a server is no use to a folder."""
    server = location.startswith(("http://", "https://"))
    return PassageIndex.open(
        collection,
        encoder,
        location=location,
        api_key=api_key if server else None,
        tenant=tenant,
        create=create,
        vectors=vectors,
    )


def parse_filter(conditions: list[str]) -> dict[str, Any] | None:
    """``["city=Oslo", "year=2020"]`` as a filter; a value that reads as JSON is taken as such.

    Raises:
        ConfigurationError: a condition without ``=``.
    """
    import json

    found: dict[str, Any] = {}
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals or not key.strip():
            raise ConfigurationError(f"a filter reads KEY=VALUE, not {condition!r}")
        try:
            found[key.strip()] = json.loads(value)
        except json.JSONDecodeError:
            found[key.strip()] = value
    return found or None
