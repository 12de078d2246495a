"""What a user may say when an index is opened, written once for :meth:`open` and :meth:`aopen`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from qdrant_client import AsyncQdrantClient, QdrantClient


class ConnectionSettings(TypedDict, total=False):
    """How to reach Qdrant.

    Args:
        location: ``None`` (default) or ``":memory:"`` (nothing is kept), ``http(s)://...`` (a
            server), or a folder (embedded mode: one process at a time).
        client, async_client: ready clients instead of a location; they stay open at closing.
        api_key: for a server.
        prefer_grpc: talk gRPC to a server, on ``grpc_port`` (6334).
        timeout: seconds that one request to a server may take (30).
        retries: repetitions of a request after a transport fault, with growing pauses (3).
    """

    location: str | os.PathLike[str] | None
    client: QdrantClient | None
    async_client: AsyncQdrantClient | None
    api_key: str | None
    prefer_grpc: bool
    grpc_port: int
    timeout: float
    retries: int


class CollectionSettings(TypedDict, total=False):
    """What the collection must be.

    Args:
        vectors: names of the encoder's vectors that must be there. By default those that are there
            in an existing collection; a new one gets all that the encoder makes but
            ``contradiction``, which costs as much as another and is used by searches for
            contradictions alone. Name it to have it made, or back-fill it later.
        lexical: also a sparse vector of words (False).
        tenant: whose passages to read and write. Without one, everybody's are read.
        vector_names: our name -> the collection's name of a vector, for collections of other
            stores; a single dense vector is taken for the topical one.
        text_key, metadata_key: where the payload has text and metadata, if a store of
            langchain-qdrant's was told other keys than ``page_content`` and ``metadata``.
        create: make the collection where there is none (True).
        show_quarantined: search quarantined passages too (False).
    """

    vectors: Sequence[str] | None
    lexical: bool
    tenant: str | None
    vector_names: Mapping[str, str] | None
    text_key: str | None
    metadata_key: str | None
    create: bool
    show_quarantined: bool


class Settings(ConnectionSettings, CollectionSettings, total=False):
    """All of them."""
