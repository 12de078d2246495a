"""A cleaner in another process: what goes with it, and what becomes of what cannot."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from logic_retrievers.cleaning import Ledger
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import CollectionNotFoundError, ConfigurationError
from logic_retrievers.index import PassageIndex, Settings

T = TypeVar("T")

MEMORY = ":memory:"
_NAMED = frozenset({"location", "tenant", "api_key", "client", "async_client", "create"})
"""Settings of an index that are settings of the cleaner, or that it decides."""


def checked_place(
    index: PassageIndex | None,
    location: str | os.PathLike[str] | None,
    collection: str | None,
    tenant: str | None,
    opening: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Where the collection is, for this process and for others.

    Args:
        index: the collection, open.
        location: as the cleaner has it, and the following too.
        collection: its name.
        tenant: whose nodes.
        opening: further settings.

    Raises:
        ConfigurationError: an index of another collection, a collection that is nowhere, or a
            setting that there is not.
    """
    where = None if location is None else os.fspath(location)
    if where == MEMORY:
        raise ConfigurationError("A collection in memory cannot be opened again: pass its index=.")
    unknown = sorted(set(opening or ()) - (Settings.__annotations__.keys() - _NAMED))
    if unknown:
        raise ConfigurationError(f"opening= has no setting {unknown[0]!r} of PassageIndex.open.")
    if index is not None:
        for name, given, own in (
            ("collection", collection, index.collection),
            ("tenant", tenant, index.tenant),
        ):
            if given not in (None, own):
                raise ConfigurationError(f"{name}= is {given!r}, and that of the index {own!r}.")
        collection, tenant = index.collection, index.tenant
        where = where or _place_of(index)
    elif where is None and (collection is not None or tenant is not None or opening):
        raise ConfigurationError("Say where the collection is: index= or location=.")
    return {
        "location": where,
        "collection": collection,
        "tenant": tenant,
        "opening": dict(opening or {}),
    }


def opened(
    name: str,
    encoder: Encoder,
    location: str,
    settings: Mapping[str, Any],
    api_key: str | None,
) -> PassageIndex | None:
    """The collection at a location; None where nothing is stored yet: the store makes it.

    Args:
        name: of the collection.
        encoder: makes its vectors.
        location: where it is.
        settings: further ones of ``PassageIndex.open``.
        api_key: for its server.
    """
    asked = {**settings, "create": False}
    if api_key is not None:
        asked["api_key"] = api_key
    try:
        return PassageIndex.open(name, encoder, location=location, **asked)
    except CollectionNotFoundError:
        return None


def unreachable(index: PassageIndex | None, location: str | None) -> str:
    """Why another process cannot open the collection; empty where it may."""
    if index is None or location is not None:
        return ""
    return (
        "a worker process cannot reach the collection of an index in memory or over a ready"
        " client; give the cleaner location= too, or the pipeline one worker"
    )


def checked_ledger(ledger: Any) -> Any:
    """A ledger, the path of one, or None.

    Raises:
        ConfigurationError: none of them.
    """
    if ledger is not None and not isinstance(ledger, Ledger | str | os.PathLike):
        raise ConfigurationError(f"ledger= is a Ledger or a path, not {type(ledger).__name__}.")
    return ledger


def path_of(ledger: Any) -> str | None:
    """The path of a ledger; None where it is in memory alone."""
    if ledger is None:
        return None
    path = os.fspath(ledger.path if isinstance(ledger, Ledger) else ledger)
    return None if path == MEMORY else path


def without_credentials(location: str | None) -> str | None:
    """A location that may be written down."""
    if location is None or "://" not in location:
        return location
    host = urlsplit(location).netloc.rpartition("@")[2]
    return urlsplit(location)._replace(netloc=host, query="").geturl()


def packed(kind: type[T], chosen: dict[str, Any], lost: str) -> tuple[Any, ...]:
    """For ``__reduce__``: a part that arrives in another process whatever happens.

    A worker of a process pool that fails to unpickle its task never answers, and the pipeline
    waits for ever. So the settings are packed by themselves, and unpacked under our eyes.

    Args:
        kind: class of the part.
        chosen: its settings.
        lost: why it cannot work there; empty where it can.
    """
    content = b""
    if not lost:
        try:
            content = pickle.dumps(chosen)
        except Exception as error:
            lost = f"the cleaner cannot go to a worker process: {error}"
    return arrived, (kind, content, lost)


def arrived(kind: Any, content: bytes, lost: str) -> Any:
    """The part in another process; one that only says so where it could not be made there."""
    if not lost:
        try:
            return kind(**pickle.loads(content))
        except Exception as error:
            lost = f"the cleaner could not be made in a worker process ({type(error).__name__})"
    made = kind.model_construct()
    made._lost = lost
    return made


def _place_of(index: PassageIndex) -> str | None:
    """Where another process finds the collection of an index; None where it does not."""
    place = index.connection.place
    if place.startswith(("http://", "https://")):
        return place
    return place if index.embedded and Path(place).is_dir() else None
