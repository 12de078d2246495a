"""An index over a vector store that is there already."""

from __future__ import annotations

from typing import Any, Unpack

from langchain_core.vectorstores import VectorStore

from langchain_logic_retrievers.embeddings import TOPICAL, completed
from langchain_logic_retrievers.store import LogicVectorStore
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, Settings

_THE_STORES = frozenset(
    {
        *("location", "client", "api_key", "prefer_grpc", "grpc_port"),
        *("text_key", "metadata_key", "create"),
    }
)
_NEEDED = (
    *("client", "collection_name", "embeddings", "vector_name"),
    *("content_payload_key", "metadata_payload_key"),
)


def open_index_over(
    store: VectorStore,
    *,
    encoder: Encoder | None = None,
    identity: str | None = None,
    **settings: Unpack[Settings],
) -> PassageIndex:
    """The index over an existing store's collection, through the store's own client.

    The collection has the store's vectors alone at first. Until ``index.backfill()`` has added the
    compatibility vectors, ``auto`` works without them, and a policy that needs them raises
    ``MissingVectorError``. The store can go on reading and writing; what it writes gets its
    compatibility vectors from the next ``backfill(["compatibility"])``.

    Args:
        store: a ``QdrantVectorStore`` of langchain-qdrant with dense vectors (dense or hybrid), or
            a :class:`LogicVectorStore`, whose index it is then.
        encoder: makes the vectors; by default the store's embeddings make the topical ones, and the
            bundle that comes with the package makes the compatibility ones.
        identity: says which model the store's embeddings are; see :func:`encoder_of`.
        **settings: of :meth:`PassageIndex.open`, but for those that say where the collection is.
            The store's client is synchronous, so that asynchronous calls use it in threads, unless
            there is an ``async_client`` too.

    Raises:
        ConfigurationError: no such store, one without dense vectors, or settings that it decides.
        CollectionError: its subclasses say how the collection differs from what is needed.
        ServerError: its subclasses say why a server gave no answer.
    """
    if isinstance(store, LogicVectorStore):
        if encoder is not None or identity is not None or settings:
            raise ConfigurationError("A LogicVectorStore has its index; open it as you need it.")
        return store.index
    theirs = _checked(store, settings)
    if encoder is None:
        encoder = completed(theirs.embeddings, identity=identity)
    decided: Settings = {
        "client": theirs.client,
        "vector_names": {TOPICAL: theirs.vector_name, **(settings.get("vector_names") or {})},
        "text_key": theirs.content_payload_key,
        "metadata_key": theirs.metadata_payload_key,
        "create": False,
    }
    settings.update(decided)
    return PassageIndex.open(theirs.collection_name, encoder, **settings)


def _checked(store: Any, settings: Settings) -> Any:
    """The store, judged by what it has and not by its class: langchain-qdrant need not be there."""
    if lacking := [name for name in _NEEDED if not hasattr(store, name)]:
        raise ConfigurationError(
            f"{type(store).__name__} has no {lacking[0]!r}. Pass a QdrantVectorStore of "
            "langchain-qdrant, or open the collection with PassageIndex.open."
        )
    if taken := sorted(_THE_STORES & settings.keys()):
        raise ConfigurationError(f"Leave {taken[0]}= out: the store decides it.")
    if store.embeddings is None:
        raise ConfigurationError(
            "The store has sparse vectors alone. Open one with dense vectors, or index its texts "
            "into a LogicVectorStore."
        )
    return store
