"""The index over a collection that LlamaIndex's ``QdrantVectorStore`` made, on its own clients."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from llama_index.core.base.embeddings.base import BaseEmbedding

from llama_index_logic_retrievers.models import encoder_part
from llama_index_logic_retrievers.store import LogicVectorStore
from logic_retrievers.adapters.settings import refuse_store_settings
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder, with_compatibility
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.clients import is_local_mode
from logic_retrievers.index.settings import Settings

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
    """The index over an existing ``QdrantVectorStore``, or that of a :class:`LogicVectorStore`.

    Its dense vector is the topical one. The others are missing until ``index.backfill()`` has made
    them; before, a policy that needs them raises MissingVectorError, and ``auto`` does without.

    Args:
        store: the store; its clients are shared, and stay open when the index is closed. A
            :class:`LogicVectorStore` has an index, and takes none of the other settings.
        embed_model: the model that embedded the nodes. The store does not know it.
        encoder: makes all vectors; by default the topical one comes from ``embed_model``, and the
            compatibility one from the bundle that comes with the package.
        identity: says which model ``embed_model`` is, where it has no name.
        **settings: as for :meth:`PassageIndex.open`.

    Raises:
        ConfigurationError: no such store, or neither model nor encoder.
        CollectionNotFoundError: the store has written nothing yet.
        CollectionError: the collection is not one that these vectors fit.
        ServerError: Qdrant failed or could not be reached.
    """
    if isinstance(store, LogicVectorStore):
        return _index_of(store, embed_model, encoder, identity, settings)
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
    """The asynchronous twin of :func:`open_index_over`; works where the store has only aclient."""
    if isinstance(store, LogicVectorStore):
        return _index_of(store, embed_model, encoder, identity, settings)
    name, opening = _opening_of(store, settings)
    chosen = await encoder_threads.submit(partial(_encoder, embed_model, encoder, identity))
    return await PassageIndex.aopen(name, chosen, **opening)


def _index_of(store: LogicVectorStore, *options: Any) -> PassageIndex:
    if any(options):
        raise ConfigurationError(
            "A LogicVectorStore is open already: embed_model, encoder, identity and the settings of"
            " an index are for LlamaIndex's QdrantVectorStore."
        )
    return store.index


def _opening_of(store: Any, settings: Settings) -> tuple[str, Settings]:
    """The collection's name, and what to open the index with."""
    try:
        name, dense = store.collection_name, store.dense_vector_name
        client, async_client = store.client, store._aclient
    except AttributeError:
        raise ConfigurationError(
            f"LlamaIndex's QdrantVectorStore is needed, not {type(store).__name__}."
        ) from None
    shared: Settings = {"client": client, "create": False}
    # two clients in local mode are two databases: the index calls the one from threads
    if client is None or not is_local_mode(client.init_options):
        shared["async_client"] = async_client
    # with no synchronous client the store has not looked yet, and the name may be its first guess
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
