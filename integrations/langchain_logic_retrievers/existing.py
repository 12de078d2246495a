"""Open an index over an existing vector store."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from langchain_core.vectorstores import VectorStore

from langchain_logic_retrievers.models import TOPICAL, encoder_with_compatibility
from langchain_logic_retrievers.store import LogicVectorStore
from logic_retrievers.adapters.settings import open_index_of, refuse_store_settings
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, Settings


def open_index_over(
    store: VectorStore,
    *,
    encoder: Encoder | None = None,
    identity: str | None = None,
    **settings: Unpack[Settings],
) -> PassageIndex:
    """Open an index over an existing store's collection, through the store's own client.

    At first the collection has only the store's vectors. Until ``index.backfill()`` has added the
    compatibility vectors, ``auto`` works without them, and a policy that needs them raises
    ``MissingVectorError``. The store can still read and write. After each write by the store, run
    ``backfill(["compatibility"])`` again.

    Args:
        store: a ``QdrantVectorStore`` of langchain-qdrant with dense vectors (dense or hybrid), or
            a :class:`LogicVectorStore`, whose own index is returned.
        encoder: makes the vectors. By default the store's embeddings make the topical vectors, and
            the package's own encoder makes the compatibility vectors.
        identity: name of the embeddings' model; see :func:`encoder_of`.
        **settings: settings of :meth:`PassageIndex.open`, except the collection's location. The
            store's client is synchronous, so asynchronous calls use it in threads unless
            ``async_client`` is given.

    Raises:
        ConfigurationError: a different kind of store, a store without dense vectors, or settings
            that the store decides.
        CollectionError: the collection does not fit; the subclasses say why.
        ServerError: a server did not answer; the subclasses say why.
    """
    if isinstance(store, LogicVectorStore):
        return open_index_of(store, encoder, identity, settings)
    name, embeddings, opening = _opening_of(store, settings)
    if encoder is None:
        encoder = encoder_with_compatibility(embeddings, identity)
    return PassageIndex.open(name, encoder, **opening)


async def aopen_index_over(
    store: VectorStore,
    *,
    encoder: Encoder | None = None,
    identity: str | None = None,
    **settings: Unpack[Settings],
) -> PassageIndex:
    """:func:`open_index_over` without blocking the event loop."""
    if isinstance(store, LogicVectorStore):
        return open_index_of(store, encoder, identity, settings)
    name, embeddings, opening = _opening_of(store, settings)
    if encoder is None:
        make = partial(encoder_with_compatibility, embeddings, identity)
        encoder = await encoder_threads.submit(make)
    return await PassageIndex.aopen(name, encoder, **opening)


def _opening_of(store: Any, settings: Settings) -> tuple[str, Any, Settings]:
    refuse_store_settings(settings, "text_key", "metadata_key")
    try:  # checks attributes, not the class, because langchain-qdrant may not be installed
        client, name, embeddings = store.client, store.collection_name, store.embeddings
        names = {TOPICAL: store.vector_name, **(settings.get("vector_names") or {})}
        text_key, metadata_key = store.content_payload_key, store.metadata_payload_key
    except AttributeError as error:
        raise ConfigurationError(
            f"{type(store).__name__} has no {error.name!r}. Pass a QdrantVectorStore of "
            "langchain-qdrant, or open the collection with PassageIndex.open."
        ) from None
    if embeddings is None:
        raise ConfigurationError(
            "The store has only sparse vectors. Open one with dense vectors, or index its texts "
            "into a LogicVectorStore."
        )
    opening: Settings = {
        **settings,
        "client": client,
        "vector_names": names,
        "text_key": text_key,
        "metadata_key": metadata_key,
        "create": False,
    }
    return name, embeddings, opening
