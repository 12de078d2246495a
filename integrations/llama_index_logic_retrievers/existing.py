"""Open an index over an existing ``QdrantVectorStore`` of LlamaIndex, through its own clients."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from llama_index.core.base.embeddings.base import BaseEmbedding

from llama_index_logic_retrievers.models import encoder_part
from llama_index_logic_retrievers.store import LogicVectorStore
from logic_retrievers.adapters.settings import open_index_of, refuse_store_settings
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, with_compatibility
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.settings import Settings, is_local_mode

_DEFAULT_TEXT_KEY = "text"
_DEFAULT_VECTOR_NAME = "text-dense"


def open_index_over(
    store: Any,
    *,
    embed_model: BaseEmbedding | None = None,
    encoder: Encoder | None = None,
    identity: str | None = None,
    **settings: Unpack[Settings],
) -> PassageIndex:
    """Open an index over an existing ``QdrantVectorStore``, through the store's own clients.

    The store's dense vector becomes the topical one. Until ``index.backfill()`` has added the
    compatibility vectors, ``auto`` works without them, and a policy that needs them raises
    ``MissingVectorError``.

    Args:
        store: a ``QdrantVectorStore``, whose clients stay open when the index is closed; or a
            :class:`LogicVectorStore`, whose own index is returned.
        embed_model: the model that embedded the nodes; the store does not record it.
        encoder: makes all vectors. By default ``embed_model`` makes the topical vectors, and the
            package's own encoder makes the compatibility vectors.
        identity: name of ``embed_model``, if the model itself has none.
        **settings: as for :meth:`PassageIndex.open`.

    Raises:
        ConfigurationError: a different kind of store, or neither model nor encoder.
        CollectionNotFoundError: the store has written nothing yet.
        CollectionError: the vectors do not fit the collection.
        ServerError: Qdrant failed or could not be reached.
    """
    if isinstance(store, LogicVectorStore):
        return open_index_of(store, embed_model, encoder, identity, settings)
    name, opening = _opening_of(store, settings)
    return PassageIndex.open(name, _encoder(embed_model, encoder, identity), **opening)


async def aopen_index_over(
    store: Any,
    *,
    embed_model: BaseEmbedding | None = None,
    encoder: Encoder | None = None,
    identity: str | None = None,
    **settings: Unpack[Settings],
) -> PassageIndex:
    """Open the index without blocking, even if the store has only an asynchronous client."""
    if isinstance(store, LogicVectorStore):
        return open_index_of(store, embed_model, encoder, identity, settings)
    name, opening = _opening_of(store, settings)
    chosen = await encoder_threads.submit(partial(_encoder, embed_model, encoder, identity))
    return await PassageIndex.aopen(name, chosen, **opening)


def _opening_of(store: Any, settings: Settings) -> tuple[str, Settings]:
    try:
        name, dense = store.collection_name, store.dense_vector_name
        client, async_client = store.client, store._aclient
    except AttributeError:
        raise ConfigurationError(
            f"LlamaIndex's QdrantVectorStore is needed, not {type(store).__name__}."
        ) from None
    shared: Settings = {"client": client, "create": False}
    # in local mode each client is its own database, so the index uses only ``client``, in threads
    if client is None or not is_local_mode(client.init_options):
        shared["async_client"] = async_client
    # without a synchronous client the store has not read the collection and may guess ``dense``
    if client is not None or dense != _DEFAULT_VECTOR_NAME:
        shared["vector_names"] = {"topical": dense}
    if store.text_key not in (None, _DEFAULT_TEXT_KEY):
        shared["text_key"] = store.text_key
    refuse_store_settings(settings)
    names = {**(shared.get("vector_names") or {}), **(settings.get("vector_names") or {})}
    return name, {**shared, **settings, "vector_names": names or None}


def _encoder(
    embed_model: BaseEmbedding | None, encoder: Encoder | None, identity: str | None
) -> Encoder:
    if encoder is not None:
        return encoder
    if embed_model is None:
        raise ConfigurationError(
            "LlamaIndex's QdrantVectorStore does not know which model embedded its nodes. Pass it"
            " as embed_model= (Settings.embed_model, if it was that one), or pass encoder=."
        )
    return with_compatibility(encoder_part(embed_model, name="topical", identity=identity))
