"""Ingestion: streaming, resumable by content hash, and a source's stale passages go last."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import (
    CollectionError,
    DuplicateIdError,
    EncoderError,
    InputError,
    ServerError,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.encoding import encode_passages
from logic_retrievers.index.ids import content_hash, point_id
from logic_retrievers.index.payloads import (
    HASH,
    QUARANTINED,
    Keys,
    hash_of,
    is_quarantined,
    to_passage,
    to_payload,
)
from logic_retrievers.index.schema import Collection, StoredVector, check
from logic_retrievers.index.stale import remove_stale
from logic_retrievers.index.validation import check_passage
from logic_retrievers.procedures import Call, Procedure, Work
from logic_retrievers.types import Passage

Progress = Callable[[int], None]

BATCH = 256
BYTES_A_CALL = 8 * 1024 * 1024
"""A server takes 32 MiB by default; the estimate below is a rough one."""
BYTES_A_COORDINATE = 21
"""A float32 written as the decimal digits of a float64."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of the passages of one call; ``removed`` are stale ones of their sources."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A passage on its way, with its point id and content hash."""

    passage: Passage
    point: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What is stored under a passage's point id."""

    digest: str | None
    quarantined: bool


@dataclass(slots=True)
class _Tally:
    """What one call has seen so far; grows by some 200 bytes a passage."""

    digests: dict[str, str] = field(default_factory=dict)
    sources: dict[str, set[str]] = field(default_factory=dict)
    added: int = 0
    updated: int = 0
    unchanged: int = 0


def add(
    collection: Collection,
    encoder: Encoder,
    passages: Iterable[Passage],
    *,
    replace_sources: bool = True,
    keep_sources: Container[str] = (),
    progress: Progress | None = None,
    batch_size: int = BATCH,
) -> Procedure[IngestReport]:
    """Stores passages; those that are stored unchanged are neither encoded nor sent again.

    A call that was cut off, even by ``kill -9``, is finished by running it again.

    Args:
        collection: where to.
        encoder: makes every named vector that the collection has, in one pass.
        passages: read as a stream, ``batch_size`` at a time.
        replace_sources: once all is in, remove what the collection still holds of the sources of
            this call and this call did not bring.
        keep_sources: sources that this call may have brought in part only (a file with a row that
            could not be read): nothing of theirs is removed. Looked at when ``passages`` has ended.
        progress: called after each batch with the number of passages seen so far.
        batch_size: passages that are encoded, and at most sent, together.

    Raises:
        EmptyTextError, DuplicateIdError, InputError: a passage that cannot be stored; nothing of
            its batch is.
        CollectionError, ServerError: Qdrant refused or failed. The message says how many passages
            of this call are stored.
    """
    if batch_size < 1:
        raise InputError("batch_size must be 1 or more.")
    vectors = _written(collection, encoder)
    fingerprints = [(v.name, v.fingerprint or encoder.specs[v.name].fingerprint) for v in vectors]
    tally = _Tally()
    stream = iter(passages)
    try:
        while True:
            batch = yield Work(
                lambda: _prepare(stream, batch_size, collection.tenant, fingerprints, tally)
            )
            if batch is None:
                break
            yield from _store(collection, encoder, vectors, batch, tally)
            if progress is not None:
                progress(tally.added + tally.updated + tally.unchanged)
        removed = 0
        if replace_sources:
            whole = {s: ids for s, ids in tally.sources.items() if s not in keep_sources}
            removed = yield from remove_stale(collection, whole)
    except (InputError, EncoderError, CollectionError, ServerError) as error:
        stored = tally.added + tally.updated
        raise type(error)(
            f"{error} ({stored} passages of this call were stored before; run it again when this is"
            " mended, and it goes on from there.)"
        ) from error
    return IngestReport(tally.added, tally.updated, tally.unchanged, removed)


def _written(collection: Collection, encoder: Encoder) -> list[StoredVector]:
    """The vectors that a whole point needs: an upsert replaces the point, so none may lack."""
    written: dict[str, StoredVector] = {}
    for name, vector in collection.vectors.items():
        if name in encoder.specs:
            check(collection.name, vector, encoder.specs[name])
        elif vector.fingerprint != lexical.FINGERPRINT:
            if collection.ours:
                raise CollectionError(
                    f"Collection {collection.name!r} also holds {name!r} vectors, and this encoder"
                    f" makes only {sorted(encoder.specs)}. Writing would lose them: use an encoder"
                    " that makes them too."
                )
            continue
        written[vector.stored] = vector
    return list(written.values())


def _prepare(
    stream: Iterator[Passage],
    size: int,
    tenant: str | None,
    fingerprints: Sequence[tuple[str, str]],
    tally: _Tally,
) -> list[_Prepared] | None:
    """The next batch, checked and hashed; None at the end. Repeated passages are left out."""
    batch: list[_Prepared] = []
    seen = False
    for passage in islice(stream, size):
        seen = True
        check_passage(passage)
        point = point_id(passage.id, tenant)
        digest = content_hash(passage, fingerprints)
        if point in tally.digests:
            if tally.digests[point] != digest:
                raise DuplicateIdError(
                    f"Two different passages carry the id {passage.id!r}. Give each its own."
                )
            continue
        tally.digests[point] = digest
        batch.append(_Prepared(passage, point, digest))
        if passage.source is not None:
            tally.sources.setdefault(passage.source, set()).add(point)
    return batch if seen else None


def _store(
    collection: Collection,
    encoder: Encoder,
    vectors: Sequence[StoredVector],
    batch: Sequence[_Prepared],
    tally: _Tally,
) -> Procedure[None]:
    known = yield from _known(collection, [one.point for one in batch])
    changed = [one for one in batch if _is_news(one, known.get(one.point))]
    tally.unchanged += len(batch) - len(changed)
    if not changed:
        return
    hidden = [one for one in changed if one.point in known and known[one.point].quarantined]
    changed = yield from _still_hidden(collection, changed, hidden)
    points = yield Work(
        lambda: _points(encoder, vectors, changed, collection.tenant, collection.keys)
    )
    for some in _by_bytes(points):
        yield Call(
            "upsert", {"collection_name": collection.name, "points": list(some), "wait": True}
        )
        old = sum(point.id in known for point in some)
        tally.updated += old
        tally.added += len(some) - old


def _known(collection: Collection, points: Sequence[str]) -> Procedure[Mapping[str, _Known]]:
    records = yield Call(
        "retrieve",
        {
            "collection_name": collection.name,
            "ids": list(points),
            "with_payload": [HASH, QUARANTINED],
            "with_vectors": False,
        },
    )
    return {
        str(record.id): _Known(hash_of(record.payload), is_quarantined(record.payload))
        for record in records
    }


def _is_news(one: _Prepared, known: _Known | None) -> bool:
    """Whether a passage is stored otherwise than it came, or not at all."""
    if known is None or known.digest != one.digest:
        return True
    return one.passage.quarantined and not known.quarantined


def _still_hidden(
    collection: Collection, batch: Sequence[_Prepared], hidden: Sequence[_Prepared]
) -> Procedure[list[_Prepared]]:
    """The batch, with the flag on those that say what a quarantined one has said before."""
    if not hidden:
        return list(batch)
    records = yield Call(
        "retrieve",
        {
            "collection_name": collection.name,
            "ids": [one.point for one in hidden],
            "with_payload": True,
            "with_vectors": False,
        },
    )
    said = {
        str(record.id): to_passage(record.id, record.payload, collection.keys).text
        for record in records
    }
    return [
        replace(one, passage=replace(one.passage, quarantined=True))
        if said.get(one.point) == one.passage.text
        else one
        for one in batch
    ]


def _points(
    encoder: Encoder,
    vectors: Sequence[StoredVector],
    batch: Sequence[_Prepared],
    tenant: str | None,
    keys: Keys,
) -> list[models.PointStruct]:
    columns = encode(encoder, [one.passage for one in batch], vectors)
    return [
        models.PointStruct(
            id=one.point,
            payload=to_payload(one.passage, one.digest, tenant, keys),
            vector={stored: column[row] for stored, column in columns.items()},
        )
        for row, one in enumerate(batch)
    ]


def encode(
    encoder: Encoder,
    passages: Sequence[Passage],
    vectors: Sequence[StoredVector],
) -> dict[str, list[Any]]:
    """Stored vector name -> one vector a passage, as Qdrant takes them.

    Raises:
        EncoderError: a vector with a coordinate that is not finite.
    """
    dense = [vector.name for vector in vectors if not vector.sparse]
    made = encode_passages(encoder, passages, dense)
    return {
        vector.stored: [lexical.term_vector(passage.embedded) for passage in passages]
        if vector.sparse
        else made[vector.name].tolist()
        for vector in vectors
    }


def _by_bytes(points: Sequence[models.PointStruct]) -> Iterator[list[models.PointStruct]]:
    group: list[models.PointStruct] = []
    size = 0
    for point in points:
        weight = _weight(point)
        if group and size + weight > BYTES_A_CALL:
            yield group
            group, size = [], 0
        group.append(point)
        size += weight
    if group:
        yield group


def _weight(point: models.PointStruct) -> int:
    vectors: Iterable[Any] = point.vector.values() if isinstance(point.vector, dict) else ()
    coordinates = sum(
        2 * len(vector.indices) if isinstance(vector, models.SparseVector) else len(vector)
        for vector in vectors
    )
    return coordinates * BYTES_A_COORDINATE + len(json.dumps(point.payload))
