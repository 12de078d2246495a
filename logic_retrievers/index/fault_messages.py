"""What this package says where Qdrant fails: an error of its own tree for each kind of failure."""

from __future__ import annotations

from collections.abc import Callable

from logic_retrievers.errors import (
    AuthenticationError,
    CollectionError,
    CollectionLockedError,
    CollectionMismatchError,
    CollectionNotFoundError,
    LogicRetrieversError,
    MissingVectorError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.index.faults import Fault, classify, retry_after
from logic_retrievers.index.strict_limits import refusal

MAX_DETAIL = 300


def translate(
    error: BaseException,
    place: str,
    collection: str | None,
    mask: Callable[[str], str] = str,
) -> LogicRetrieversError | None:
    """The package's own error for a failure of Qdrant; None where the failure is not Qdrant's.

    Args:
        error: what the client raised.
        place: where Qdrant is, for the message; without secrets.
        collection: the collection that the call was about.
        mask: takes secrets out of what others say.
    """
    classified = classify(error)
    if classified is None:
        return None
    fault, detail = classified[0], mask(classified[1])[:MAX_DETAIL]
    lowered = detail.lower()
    pause = retry_after(error)
    wish = f" It asks for a pause of {pause:.0f} seconds." if pause else ""
    match fault:
        case Fault.BUSY:
            return ServerUnavailableError(
                f"Qdrant at {place} has too much to do ({detail}).{wish} Try later, or ask for"
                " less."
            )
        case Fault.UNAVAILABLE:
            return ServerUnavailableError(
                f"No answer from Qdrant at {place} ({detail}).{wish} Is it running, is this its"
                " address?"
            )
        case Fault.NODE_DOWN:
            return ServerUnavailableError(
                f"A node of the cluster at {place} does not answer the others, or too few are up"
                f" for a majority ({detail}). Start it, or keep a copy of each shard on another"
                " node (replication_factor)."
            )
        case Fault.INTERNAL:
            return ServerUnavailableError(
                f"Qdrant at {place} failed while it answered ({detail}). Try later; if it goes on,"
                " its log says why."
            )
        case Fault.REFUSED if (message := refusal(detail, collection, place)) is not None:
            return ServerError(message)
        case Fault.TIMEOUT:
            return ServerTimeoutError(
                f"Qdrant at {place} gave no answer in time ({detail}). Raise timeout=."
            )
        case Fault.UNREADABLE:
            return ServerError(
                f"Qdrant at {place} gave an answer that cannot be read ({detail}). Is this address"
                " Qdrant's?"
            )
        case Fault.CLOSED:
            return closed_error(place)
        case Fault.AUTHENTICATION:
            return AuthenticationError(
                f"Qdrant at {place} refused the API key, or wants one ({detail}). Pass api_key=."
            )
        case Fault.STORAGE:
            return StorageError(
                f"Qdrant at {place} cannot write ({detail}). Make room there or give the right to"
                " write, then run again: what was stored stays."
            )
        case Fault.LOCKED:
            return CollectionLockedError(
                f"The folder {place} is open in another process, or twice in this one. Close the"
                " other (index.close()), open a second index with client=index.client, or run a"
                " Qdrant server (docker/compose.yml) to share it among processes."
            )
        case Fault.NOT_FOUND if "collection" in lowered:
            return CollectionNotFoundError(
                f"There is no collection {collection!r} at {place}. Index some passages first."
            )
        case Fault.NOT_FOUND | Fault.REFUSED if "not existing vector name" in lowered:
            return MissingVectorError(
                f"Collection {collection!r} lacks a named vector ({detail}). Back-fill it."
            )
        case Fault.REFUSED if "vector dimension error" in lowered:
            return CollectionMismatchError(
                f"Collection {collection!r} holds vectors of another dimension ({detail})."
            )
        case Fault.REFUSED if "index required" in lowered:
            return ServerError(
                f"Collection {collection!r} at {place} filters only by fields with an index"
                f" ({detail}). Open it with indexed_fields={{...}}: the field, without the key that"
                ' holds metadata, and its type ("city": "keyword").'
            )
        case Fault.REFUSED if isinstance(error, ValueError | KeyError | RuntimeError):
            return CollectionError(f"Qdrant at {place} refused: {detail}")
        case _:
            return ServerError(f"Qdrant at {place} refused or failed: {detail}")


def closed_error(place: str) -> CollectionError:
    """What every call of a closed index, or over a closed client, ends in."""
    return CollectionError(f"The index at {place}, or its client, is closed. Open it again.")


def read_only_error(place: object) -> StorageError:
    """The error for a write on an index that only reads."""
    return StorageError(
        f"The index at {place} only reads. Open it without read_only=True to write."
    )
