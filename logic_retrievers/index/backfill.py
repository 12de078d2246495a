"""Back-fill: give every point of a collection a vector that it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from qdrant_client import models

from logic_retrievers.checks import check_type
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import BlankTextWarning, ConfigurationError, ServerError, shown, warn
from logic_retrievers.index import lexical
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.collection import Collection, StoredVector
from logic_retrievers.index.points import count_points, each_page
from logic_retrievers.index.schema import default_specs, new_lexical_vector, new_vector
from logic_retrievers.index.vectors import encode_for_storage
from logic_retrievers.progress import ProgressCallback, ProgressMeter

# Points read at a time; progress is reported after each page.
PAGE_SIZE = 128


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """Result of a back-fill.

    Args:
        collection: name of the collection.
        vectors: names of the vectors that were made.
        filled: number of points that got a vector in this call.
    """

    collection: str
    vectors: tuple[str, ...]
    filled: int


def backfill(
    collection: Collection,
    encoder: Encoder,
    names: Sequence[str] | None = None,
    progress: ProgressCallback | None = None,
) -> Operation[BackfillReport]:
    """Make missing named vectors, and replace vectors that a different encoder made.

    If interrupted, repeat the call: it continues where it stopped. The vectors can be searched
    once all are complete.

    By default ``names`` are all vectors that the encoder makes and the collection lacks, except a
    ``contradiction`` that does not exist yet. Name an existing vector to complete it for points
    that another store has written since. If its encoder is unknown, the vector is replaced in all
    points. ``progress`` is called after each batch of points.

    Raises:
        ConfigurationError: a name that the encoder does not make.
        ServerError: Qdrant refused or failed, or is older than 1.18 and cannot add a vector.
    """
    missing = _missing_vectors(collection, encoder, [names] if isinstance(names, str) else names)
    if not missing:
        return BackfillReport(collection.name, (), 0)
    yield from _add_vector_names(collection, missing)
    # marked as incomplete first, so that after an interruption no search uses them
    metadata = collection.notes(missing).metadata
    yield client_call("update_collection", collection.name, metadata=metadata)
    outdated = [
        vector.stored_name
        for name, vector in missing.items()
        if name in collection.vectors and collection.vectors[name].fingerprint != vector.fingerprint
    ]
    if outdated:
        having = models.Filter(should=[models.HasVectorCondition(has_vector=n) for n in outdated])
        yield client_call(
            "delete_vectors", collection.name, vectors=outdated, points=having, wait=True
        )
    filled = yield from _fill(collection, encoder, list(missing.values()), progress)
    done = {name: replace(vector, incomplete=False) for name, vector in missing.items()}
    # vectors of another store get this encoder's fingerprint, because the user vouches for them
    signed = {
        name: replace(vector, fingerprint=encoder.specs[name].fingerprint)
        for name, vector in collection.vectors.items()
        if vector.fingerprint is None and name in collection.searchable and name in encoder.specs
    }
    metadata = collection.notes({**signed, **done}).metadata
    yield client_call("update_collection", collection.name, metadata=metadata)
    return BackfillReport(collection.name, tuple(missing), filled)


def _missing_vectors(
    collection: Collection, encoder: Encoder, names: Sequence[str] | None
) -> dict[str, StoredVector]:
    """Choose the vectors to make, as they will be stored."""
    possible = {*encoder.specs, lexical.NAME}
    check_type("names", names, Sequence, type(None))
    unknown = [n for n in names or () if not isinstance(n, str) or n not in possible]
    if unknown:
        raise ConfigurationError(
            f"Only {sorted(possible)} can be back-filled with this encoder, not {shown(unknown)}."
        )
    default = {*default_specs(encoder.specs), *collection.vectors}
    candidates = [name for name in encoder.specs if name in default] if names is None else names
    missing: dict[str, StoredVector] = {}
    for name in dict.fromkeys(candidates):
        new = (
            new_lexical_vector(collection.language, incomplete=True)
            if name == lexical.NAME
            else new_vector(encoder.specs[name], incomplete=True)
        )
        old = collection.vectors.get(name)
        if old is None:
            missing[name] = new
            continue
        if old.dimension != new.dimension:
            raise ConfigurationError(
                f"The stored {name!r} has dimension {old.dimension}, the encoder's"
                f" {new.dimension}. Index into another collection."
            )
        outdated = old.fingerprint != new.fingerprint
        if names is not None or old.incomplete or (outdated and old.fingerprint is not None):
            missing[name] = replace(
                new, stored_name=old.stored_name, incomplete=old.incomplete or outdated
            )
    return missing


def _add_vector_names(
    collection: Collection, missing: Mapping[str, StoredVector]
) -> Operation[None]:
    for name, vector in missing.items():
        if name in collection.vectors:
            continue
        config: models.DenseVectorNameConfig | models.SparseVectorNameConfig
        if vector.dimension is None:
            words = models.SparseVectorConfig(modifier=models.Modifier.IDF)
            config = models.SparseVectorNameConfig(sparse=words)
        else:
            dense = models.DenseVectorConfig(size=vector.dimension, distance=models.Distance.COSINE)
            config = models.DenseVectorNameConfig(dense=dense)
        added = {"vector_name": vector.stored_name, "vector_name_config": config}
        try:
            yield client_call("create_vector_name", collection.name, **added)
        except ServerError as error:
            if type(error) is not ServerError:  # no answer, or a wrong key
                raise
            raise ServerError(
                f"The server does not add vector {name!r} to collection {collection.name!r}; Qdrant"
                f" can since version 1.18. Update it, or reindex into another one. ({error})"
            ) from error


def _fill(
    collection: Collection,
    encoder: Encoder,
    vectors: Sequence[StoredVector],
    progress: ProgressCallback | None,
) -> Operation[int]:
    """Write all these vectors to each point that lacks any; return the number of points."""
    has_vector = [models.HasVectorCondition(has_vector=vector.stored_name) for vector in vectors]
    condition = models.Filter(should=[models.Filter(must_not=[has]) for has in has_vector])
    meter = ProgressMeter(progress, (yield from count_points(collection, condition)))
    filled = blank = 0

    def fill_page(records: Sequence[models.Record]) -> Operation[None]:
        nonlocal filled, blank
        passages = [collection.passage(record) for record in records]
        encoded = yield Compute(partial(encode_for_storage, encoder, passages, vectors))
        updates = [
            models.PointVectors(id=record.id, vector=vector)
            for record, vector in zip(records, encoded, strict=True)
            if vector is not None  # the encoder finds no text
        ]
        if updates:
            yield client_call("update_vectors", collection.name, points=updates, wait=True)
        filled += len(updates)
        blank += len(records) - len(updates)
        meter.report(filled)

    size = min(PAGE_SIZE, collection.limits.upsert_max_batchsize or PAGE_SIZE)
    before = -1
    while filled > before:  # others may add passages without the vectors meanwhile
        before, blank = filled, 0
        yield from each_page(collection, fill_page, condition, size=size)
    if blank:
        warn(BlankTextWarning, f"{blank} passages hold no text, and got no vector.")
    return filled
