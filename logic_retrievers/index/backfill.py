"""Giving every point of a collection a named vector that it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from qdrant_client import models

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.index import lexical, schema
from logic_retrievers.index.copying import copy_into
from logic_retrievers.index.filling import fill
from logic_retrievers.index.schema import Collection, StoredVector
from logic_retrievers.index.writes import Progress
from logic_retrievers.procedures import Call, Procedure


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """What a back-fill did.

    Args:
        collection: where all vectors are now: the same collection, or its copy.
        vectors: the names that were asked for and lacked.
        filled: points that got a vector in this call.
    """

    collection: str
    vectors: tuple[str, ...]
    filled: int


def backfill(
    collection: Collection,
    encoder: Encoder,
    names: Sequence[str] | None = None,
    *,
    into: str | None = None,
    progress: Progress | None = None,
) -> Procedure[BackfillReport]:
    """Makes missing named vectors, and makes anew those that another encoder made.

    In place where the server can add a named vector to a collection; else, or with ``into``, into a
    copy of the collection, which is to be opened afterwards. Running it again after an
    interruption goes on where it stopped. The vectors are searched once all are there.

    Args:
        collection: what to complete.
        encoder: makes the vectors.
        names: which ones; by default all that the encoder makes and the collection lacks, but no
            ``contradiction`` that is not there yet. Name a vector that is there to complete it, for
            points that another store has written since; it is made anew where it is unknown who
            made it.
        into: name of a new collection to copy into.
        progress: called after each batch with the number of points filled.

    Raises:
        ConfigurationError: a name that the encoder does not make.
        CollectionError, ServerError: Qdrant refused or failed.
    """
    lacking = _lacking(collection, encoder, [names] if isinstance(names, str) else names)
    if not lacking:
        return BackfillReport(collection.name, (), 0)
    target = into
    if target is None and not (yield from _extended(collection, lacking)):
        target = f"{collection.name}-{'-'.join(lacking)}"
    if target is None:
        yield from _forget_outdated(collection, lacking)
        filled = 0
        # again, until none is left: others may add passages meanwhile, without the new vectors
        while more := (yield from fill(collection, encoder, lacking, filled, progress)):
            filled += more
        done = {name: replace(vector, filling=False) for name, vector in lacking.items()}
        yield from _describe(collection, {**_vouched(collection, encoder), **done})
        return BackfillReport(collection.name, tuple(lacking), filled)
    signed = replace(collection, vectors={**collection.vectors, **_vouched(collection, encoder)})
    filled = yield from copy_into(signed, encoder, lacking, target, progress)
    return BackfillReport(target, tuple(lacking), filled)


def _lacking(
    collection: Collection, encoder: Encoder, names: Sequence[str] | None
) -> dict[str, StoredVector]:
    """The vectors to make, as they will be stored."""
    possible = {*encoder.specs, lexical.NAME}
    unknown = set(names or ()) - possible
    if unknown:
        raise ConfigurationError(
            f"Only {sorted(possible)} can be back-filled with this encoder, not {sorted(unknown)}."
        )
    found: dict[str, StoredVector] = {}
    usual = [
        name
        for name in encoder.specs
        if name in schema.usual_specs(encoder.specs) or name in collection.vectors
    ]
    for name in dict.fromkeys(usual if names is None else names):
        new = (
            schema.new_lexical(filling=True)
            if name == lexical.NAME
            else schema.new_vector(encoder.specs[name], filling=True)
        )
        old = collection.vectors.get(name)
        if old is None:
            found[name] = new
            continue
        if old.dimension != new.dimension:
            raise ConfigurationError(
                f"The stored {name!r} has dimension {old.dimension}, the encoder's"
                f" {new.dimension}. Index anew into another collection."
            )
        outdated = old.fingerprint != new.fingerprint
        if names is not None or old.filling or (outdated and old.fingerprint is not None):
            found[name] = replace(new, stored=old.stored, filling=old.filling or outdated)
    return found


def _extended(collection: Collection, lacking: Mapping[str, StoredVector]) -> Procedure[bool]:
    """Adds the empty named vectors to the collection; False where the server cannot."""
    try:
        for name, vector in lacking.items():
            if name not in collection.vectors:
                yield Call(
                    "create_vector_name",
                    {
                        "collection_name": collection.name,
                        "vector_name": vector.stored,
                        "vector_name_config": _config(vector),
                    },
                )
    except (ServerUnavailableError, ServerTimeoutError, AuthenticationError, StorageError):
        raise
    except ServerError:
        return False
    return True


def _vouched(collection: Collection, encoder: Encoder) -> dict[str, StoredVector]:
    """Vectors of another store, signed: who completes them says that this encoder made them."""
    return {
        name: replace(vector, fingerprint=encoder.specs[name].fingerprint)
        for name, vector in collection.vectors.items()
        if vector.fingerprint is None and name in collection.readable and name in encoder.specs
    }


def _config(vector: StoredVector) -> models.DenseVectorNameConfig | models.SparseVectorNameConfig:
    if vector.dimension is None:
        return models.SparseVectorNameConfig(
            sparse=models.SparseVectorConfig(modifier=models.Modifier.IDF)
        )
    return models.DenseVectorNameConfig(
        dense=models.DenseVectorConfig(size=vector.dimension, distance=models.Distance.COSINE)
    )


def _forget_outdated(
    collection: Collection, lacking: Mapping[str, StoredVector]
) -> Procedure[None]:
    """Marks the vectors as being filled, and removes those that another encoder made.

    The mark comes first: an interruption in between leaves nothing that could be searched.
    """
    outdated = [
        vector.stored
        for name, vector in lacking.items()
        if name in collection.vectors and collection.vectors[name].fingerprint != vector.fingerprint
    ]
    yield from _describe(collection, lacking)
    if outdated:
        yield Call(
            "delete_vectors",
            {
                "collection_name": collection.name,
                "vectors": outdated,
                "points": models.Filter(
                    should=[models.HasVectorCondition(has_vector=stored) for stored in outdated]
                ),
                "wait": True,
            },
        )


def _describe(collection: Collection, vectors: Mapping[str, StoredVector]) -> Procedure[None]:
    yield Call(
        "update_collection",
        {
            "collection_name": collection.name,
            "metadata": schema.described(collection, vectors),
        },
    )
