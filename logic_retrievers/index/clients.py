"""Clients of Qdrant: where they connect, which settings can work, and how they are made."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient, QdrantClient, models

from logic_retrievers.errors import ConfigurationError, StorageError, shown
from logic_retrievers.http import check_address, check_key, is_number
from logic_retrievers.index.faults import translate

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

Client = TypeVar("Client", QdrantClient, AsyncQdrantClient)

MEMORY = ":memory:"
CONSISTENCIES = ("majority", "quorum", "all")
ORDERINGS = ("weak", "medium", "strong")
_CONSISTENT = ("query_batch_points", "retrieve", "scroll")
# the calls that change nothing
READS = frozenset(
    {
        *_CONSISTENT,
        *("count", "get_aliases", "get_collection", "get_collections", "info", "unindexed_points"),
    }
)
_WRITES = ("upsert", "update_vectors", "delete_vectors", "delete", "set_payload", "delete_payload")

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|https?:", re.IGNORECASE)
_HOST_AND_PORT = re.compile(
    r"(?P<user>[^/\s]*@)?(?:[\w.-]+|\[[0-9a-f:.]+\]):\d+(?:/.*)?", re.IGNORECASE
)
_SECRET_HEADER = re.compile("auth|cookie|key|secret|token", re.IGNORECASE)


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
    """Whether a location is meant as a server's address, valid or not."""
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

    Counts have no consistency.
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
        arguments |= {method: {"consistency": agreeing} for method in _CONSISTENT}
    if ordering is not None:
        if ordering not in ORDERINGS:
            raise ConfigurationError(f"ordering= is one of {ORDERINGS}, not {shown(ordering)}.")
        arguments |= {method: {"ordering": models.WriteOrdering(ordering)} for method in _WRITES}
    return arguments


def embedded_client(where: str, timeout: float, read_only: bool) -> EdgeClient:
    """Open a client of the embedded engine."""
    from logic_retrievers.index.edge import EdgeClient  # 35 MB that a server's client does without

    try:
        place = None if where == MEMORY else where
        return EdgeClient(place, timeout=timeout, read_only=read_only)
    except OSError as error:
        place = where if len(where) <= 200 else f"{where[:200]}..."
        raise StorageError(
            f"The folder {place} cannot be used ({error.strerror}). Name another one, or give the"
            " right to write there."
        ) from error
    except Exception as error:
        translated = translate(error, where, None)
        if translated is None:
            raise
        raise translated from error


def is_local_mode(options: Mapping[str, Any]) -> bool:
    """Whether a qdrant-client with these ``init_options`` is its own database."""
    return options.get("location") == MEMORY or options.get("path") is not None


def server_client(kind: type[Client], settings: Mapping[str, Any]) -> Client:
    """Make a client of a server; it warns of a key that travels unencrypted to another machine.

    An asynchronous client does not warn, because the synchronous one has warned already.
    """
    here = urlsplit(settings["url"]).hostname in {"localhost", "127.0.0.1", "::1"}
    with warnings.catch_warnings():
        if here or kind is not QdrantClient:
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
        return kind(**settings)
