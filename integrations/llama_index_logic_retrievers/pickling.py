"""A cleaner in another process: where its collection and its ledger are, and how it is pickled."""

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
_NOT_FOR_OPENING = frozenset({"location", "tenant", "api_key", "client", "async_client", "create"})
"""Settings of an index that are the cleaner's own, or that it decides."""


def check_place(
    index: PassageIndex | None,
    location: str | os.PathLike[str] | None,
    collection: str | None,
    tenant: str | None,
    opening: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Where the collection is, for this process and for others, as fields of the cleaner.

    Args:
        index: the collection, open.
        location: as the user gave it to the cleaner, and the following too.
        collection: its name.
        tenant: whose nodes.
        opening: further settings.

    Raises:
        ConfigurationError: an index of another collection, a collection that is nowhere, or a
            setting that there is not.
    """
    place = None if location is None else os.fspath(location)
    if place == MEMORY:
        raise ConfigurationError("A collection in memory cannot be opened again: pass its index=.")
    unknown = sorted(set(opening or ()) - (Settings.__annotations__.keys() - _NOT_FOR_OPENING))
    if unknown:
        raise ConfigurationError(f"opening= has no setting {unknown[0]!r} of PassageIndex.open.")
    if index is not None:
        for name, value, own in (
            ("collection", collection, index.collection),
            ("tenant", tenant, index.tenant),
        ):
            if value not in (None, own):
                raise ConfigurationError(f"{name}= is {value!r}, and that of the index {own!r}.")
        collection, tenant = index.collection, index.tenant
        place = place or _place_of(index)
    elif place is None and (collection is not None or tenant is not None or opening):
        raise ConfigurationError("Say where the collection is: index= or location=.")
    return {
        "location": place,
        "collection": collection,
        "tenant": tenant,
        "opening": dict(opening or {}),
    }


def open_existing(
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
    opening = {**settings, "create": False}
    if api_key is not None:
        opening["api_key"] = api_key
    try:
        return PassageIndex.open(name, encoder, location=location, **opening)
    except CollectionNotFoundError:
        return None


def why_unreachable(index: PassageIndex | None, location: str | None) -> str:
    """Why another process cannot open the collection; empty where it may."""
    if index is None or location is not None:
        return ""
    return (
        "a worker process cannot reach the collection of an index in memory or over a ready"
        " client; give the cleaner location= too, or the pipeline one worker"
    )


def check_ledger(ledger: Any) -> Any:
    """A ledger, the path of one, or None.

    Raises:
        ConfigurationError: none of them.
    """
    if ledger is not None and not isinstance(ledger, Ledger | str | os.PathLike):
        raise ConfigurationError(f"ledger= is a Ledger or a path, not {type(ledger).__name__}.")
    return ledger


def ledger_path(ledger: Any) -> str | None:
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


def reduce_part(kind: type[T], settings: dict[str, Any], problem: str) -> tuple[Any, ...]:
    """For ``__reduce__``: a part that arrives in another process whatever happens.

    A worker of a process pool that fails to unpickle its task never answers, and the pipeline waits
    for ever. So the settings are pickled by themselves, and unpickled in :func:`rebuild_part`,
    which catches what is raised.

    Args:
        kind: class of the part.
        settings: of the part.
        problem: why it cannot work there; empty where it can.
    """
    content = b""
    if not problem:
        try:
            content = pickle.dumps(settings)
        except Exception as error:
            problem = f"the cleaner cannot go to a worker process: {error}"
    return rebuild_part, (kind, content, problem)


def rebuild_part(kind: Any, content: bytes, problem: str) -> Any:
    """The part in another process; one with nothing but the problem where there is one."""
    if not problem:
        try:
            return kind(**pickle.loads(content))
        except Exception as error:
            problem = f"the cleaner could not be made in a worker process ({type(error).__name__})"
    part = kind.model_construct()
    part._problem = problem
    return part


def _place_of(index: PassageIndex) -> str | None:
    """Where another process finds the collection of an index; None where it does not."""
    place = index.connection.place
    if place.startswith(("http://", "https://")):
        return place
    return place if index.embedded and Path(place).is_dir() else None
