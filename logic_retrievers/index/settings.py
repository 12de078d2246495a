"""Settings of :meth:`PassageIndex.open`: documented, checked and split."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from types import UnionType
from typing import TYPE_CHECKING, Any, TypedDict, get_args, get_origin, get_type_hints

from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient, QdrantClient, models

from logic_retrievers.checks import check_type
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.http import check_address, check_key, is_number
from logic_retrievers.validation import is_encodable

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

MEMORY = ":memory:"
CONSISTENCIES = ("majority", "quorum", "all")
ORDERINGS = ("weak", "medium", "strong")
# Client methods that take a consistency, then methods that take an ordering.
CONSISTENT_READS = ("query_batch_points", "retrieve", "scroll")
_WRITES = ("upsert", "update_vectors", "delete_vectors", "delete", "set_payload", "delete_payload")

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|https?:", re.IGNORECASE)
_HOST_AND_PORT = re.compile(
    r"(?P<user>[^/\s]*@)?(?:[\w.-]+|\[[0-9a-f:.]+\]):\d+(?:/.*)?", re.IGNORECASE
)
_SECRET_HEADER = re.compile("auth|cookie|key|secret|token", re.IGNORECASE)


class ConnectionSettings(TypedDict, total=False):
    """How to reach Qdrant.

    Args:
        location: ``None`` (default) or ``":memory:"`` (a temporary folder that is deleted with the
            index), ``http(s)://...`` (a server; without user name, password or query), a list of
            such addresses (the nodes of one cluster), or a folder (the embedded engine). A request
            that cannot reach a node goes to the next, and the unreachable node rests ten seconds.
            Only one process at a time can open a folder, and 32 MiB of its disk must stay free. On
            tmpfs a folder needs 32 MiB more for each vector.
        client, async_client: ready clients instead of a location; the index does not close them.
            Another index's ``client`` shares that index's folder. A client keeps its ``timeout``.
        api_key: for a server; visible ASCII without white space.
        prefer_grpc: use gRPC with a server, on ``grpc_port`` (6334).
        timeout: seconds that one request to a server may take, from its beginning to the last byte
            of the answer (30; at most a day). The request is ended a fraction of a second later.
            For an embedded collection: seconds to wait while another process has it open.
        retries: how often a request is repeated after a transport fault (3). Pauses grow, or are as
            long as the server asks for. All attempts and pauses of a request take at most ``timeout
            * (retries + 1)`` seconds. A pause that would end later is not begun.
        consistency: number of copies of a shard that must agree when a cluster is read; or
            "majority", "quorum" or "all". By default one copy answers.
        ordering: how a cluster orders writes: "weak" (the default, by any node), "medium" or
            "strong" (by a leader; strong fails while there is none).
        read_only: refuse every write. An embedded collection is copied into a temporary folder
            on opening, and only the copy is read. So the folder need not be writable, and
            may have several readers at once.
    """

    location: str | os.PathLike[str] | Sequence[str] | None
    client: QdrantClient | EdgeClient | None
    async_client: AsyncQdrantClient | None
    api_key: str | None
    prefer_grpc: bool
    grpc_port: int
    timeout: float
    retries: int
    consistency: int | str | None
    ordering: str | None
    read_only: bool


class CollectionSettings(TypedDict, total=False):
    """How the collection is created, checked and read.

    Args:
        vectors: names of the encoder's vectors that the collection must have. By default an
            existing collection keeps its vectors, and a new one gets all that the encoder makes
            except ``contradiction``. Only searches for contradictions use that vector, and it costs
            as much as any other. Name ``contradiction`` here, or back-fill it later.
        lexical: the sparse vector of words. By default a new collection gets one, stemmed as
            English, and an existing one is opened as it is. With True or a language ("german") the
            collection must have one. With False a new collection gets none.
        tenant: the tenant whose passages are read and written. Without one, a collection with
            tenants is refused, unless ``all_tenants`` is True, which reads the passages of all.
        vector_names: our name of a vector -> the collection's name, for collections of other
            stores. A single dense vector is used as the topical one.
        text_key, metadata_key: payload keys of text and metadata, if another store uses keys other
            than ``page_content`` and ``metadata``. With the metadata key "" everything beside the
            text is metadata, for stores with flat payloads.
        quantized: if True, a new collection also keeps each dense vector as int8. HNSW
            searches use these copies, and score the results by the original vectors. An existing
            collection must have such copies already.
        collection_options: keyword arguments of qdrant-client's ``create_collection`` for a new
            collection: ``replication_factor``, ``shard_number``, ``hnsw_config``, ...; ``on_disk``
            puts the dense vectors on the disk. An existing collection is opened as it is.
            Options are for servers; the embedded engine knows only ``quantization_config``.
        indexed_fields: metadata field that filters use -> its type ("keyword", "integer", "float",
            "bool", "datetime", "text", ...) or qdrant-client's parameters. Missing payload indexes
            are created; servers in strict mode require one for each field.
        create: create the collection if it does not exist (True).
        show_quarantined: search quarantined passages too (False).
    """

    vectors: Sequence[str] | None
    lexical: bool | str | None
    tenant: str | None
    all_tenants: bool
    vector_names: Mapping[str, str] | None
    text_key: str | None
    metadata_key: str | None
    quantized: bool
    collection_options: Mapping[str, Any] | None
    indexed_fields: Mapping[str, Any] | None
    create: bool
    show_quarantined: bool


class Settings(ConnectionSettings, CollectionSettings, total=False):
    """All settings of :meth:`PassageIndex.open`."""


def check_name(collection: str) -> str:
    """Check the name of a collection."""
    check_type("collection", collection, str)
    if not collection or not is_encodable(collection):
        raise ConfigurationError("collection= is a name that is not empty, in proper characters.")
    return collection


def split_settings(
    collection: str, settings: Settings, encoder: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split settings into connection settings and collection settings."""
    check_name(collection)
    if unknown := sorted(settings.keys() - Settings.__annotations__.keys()):
        raise ConfigurationError(
            f"Unknown setting {unknown[0]!r}. A server's URL or a folder is location=, the name is"
            f" collection=; the others are {', '.join(sorted(Settings.__annotations__))}."
        )
    if encoder is not None and not isinstance(encoder, Encoder):
        raise ConfigurationError(
            f"The second argument is an encoder, not {shown(encoder)}; a place is location=."
        )
    for name, hint in get_type_hints(CollectionSettings).items():
        if name in settings:
            kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
            kinds = tuple(get_origin(kind) or kind for kind in kinds)
            check_type(f"{name}=", settings.get(name), *kinds)
    of_connection = ConnectionSettings.__annotations__
    return (
        {key: value for key, value in settings.items() if key in of_connection},
        {key: value for key, value in settings.items() if key not in of_connection},
    )


def check_location(location: object) -> str:
    """Return a server's address, ``:memory:``, or the path of a folder."""
    where = os.fspath(location) if isinstance(location, str | os.PathLike) else None
    try:
        usable = isinstance(where, str) and where.strip() and b"\0" not in os.fsencode(where)
    except UnicodeEncodeError:
        usable = False
    if not isinstance(where, str) or not usable:
        raise ConfigurationError(
            "location= is a server's address, the path of a folder, or None; it is not empty, no"
            " bytes, and holds no null character or half a character."
        )
    match = _HOST_AND_PORT.fullmatch(where)
    if is_address(where) or (match and match["user"]):
        return check_address(where, "location=", "http://127.0.0.1:6333")
    if match:
        raise ConfigurationError(f"Write a server's address as a URL: http://{where}")
    return where


def is_address(location: str) -> bool:
    """Tell whether a location is meant as a server's address, valid or not."""
    return _ADDRESS.match(location) is not None


def keys_of(options: Mapping[str, Any]) -> list[SecretStr]:
    """Return the keys in the ``init_options`` of a user's client, and in its headers."""
    key = options.get("api_key")
    keys = [] if key is None else [check_key(key, "The client's api_key")]
    for name, value in dict(options.get("headers") or {}).items():
        if _SECRET_HEADER.search(name):
            keys += [
                check_key(word, f"The client's header {name}") for word in str(value).split(" ")
            ]
    return [SecretStr(key) for key in keys]


def guaranteed(consistency: int | str | None, ordering: str | None) -> dict[str, dict[str, Any]]:
    """Map each client method to its arguments for consistency and ordering in a cluster.

    Counts take no consistency.
    """
    arguments: dict[str, dict[str, Any]] = {}
    if consistency is not None:
        is_count = is_number(consistency, Integral) and consistency > 0  # type: ignore[operator]
        if not is_count and consistency not in CONSISTENCIES:
            raise ConfigurationError(
                f"consistency= is a number of copies or one of {CONSISTENCIES}, not"
                f" {shown(consistency)}."
            )
        agreeing = consistency if is_count else models.ReadConsistencyType(consistency)
        arguments |= {method: {"consistency": agreeing} for method in CONSISTENT_READS}
    if ordering is not None:
        if ordering not in ORDERINGS:
            raise ConfigurationError(f"ordering= is one of {ORDERINGS}, not {shown(ordering)}.")
        arguments |= {method: {"ordering": models.WriteOrdering(ordering)} for method in _WRITES}
    return arguments


def is_local_mode(options: Mapping[str, Any]) -> bool:
    """Tell whether a qdrant-client with these ``init_options`` is its own database."""
    return options.get("location") == MEMORY or options.get("path") is not None
