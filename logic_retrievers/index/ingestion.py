"""Ingestion: streaming, resumable by content hash; a source's stale passages are deleted last."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, repeat
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import (
    CollectionError,
    DuplicateIdError,
    EncoderError,
    InputError,
    ServerError,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.collection import Collection, StoredVector
from logic_retrievers.index.point_format import (
    HASH,
    content_hash,
    is_quarantined,
    point_id,
    stored_hash,
    to_payload,
)
from logic_retrievers.index.points import delete_stale
from logic_retrievers.index.requests import retrieve, upserts
from logic_retrievers.index.schema import check_vector
from logic_retrievers.index.vectors import encode_for_storage
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.settings import check_count, check_type
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_passage, check_stream

BATCH_SIZE = 256
"""Passages that are sorted by length, and at most sent, together. On real texts padding is then .5
to 1.8 % of the encoder's tokens; with four times as many it would be .1 to .6 %."""
FIRST_BATCH = 16
SMALLEST_PART = 64
"""Fewer texts are encoded like a query's: one after the other, each on all cores."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """How many passages of one call were added, updated and left alone.

    ``removed`` counts stale passages of their sources.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A checked passage with its point id and content hash."""

    passage: Passage
    point: str
    digest: str


@dataclass(slots=True)
class _Done:
    """What one call has read and stored so far; grows by some 200 bytes per passage."""

    digests: dict[str, str] = field(default_factory=dict)
    sources: dict[str, set[str]] = field(default_factory=dict)
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    part_size: int = SMALLEST_PART

    def parts(self, batch: Sequence[_Prepared]) -> Iterator[Sequence[_Prepared]]:
        """The batch in parts, longest texts first; a part is what the last second allowed."""
        ordered = sorted(batch, key=lambda prepared: -len(prepared.passage.text_to_embed))
        start = 0
        while start < len(ordered):
            begun = time.monotonic()
            yield (part := ordered[start : start + self.part_size])
            start += len(part)
            self.part_size = next_part_size(len(part), begun)


def add(
    collection: Collection,
    encoder: Encoder,
    passages: Iterable[Passage],
    *,
    replace_sources: bool = True,
    keep_sources: Container[str] = (),
    progress: ProgressCallback | None = None,
    batch_size: int = BATCH_SIZE,
    postponed: Container[str] = (),
    mark_postponed: Callable[[], Operation[None]] | None = None,
) -> Operation[IngestReport]:
    """Stores passages; see :meth:`PassageIndex.add`.

    The encoder makes every named vector that the collection has, in one pass, but for those that
    are ``postponed`` to a back-fill: ``mark_postponed`` marks them as incomplete before points are
    written without them. A passage's content hash does not depend on these: who adds it again after
    the back-fill finds it unchanged.
    """
    check_count("batch_size", batch_size)
    check_stream(passages)
    check_type("keep_sources", keep_sources, Container)
    vectors = _vectors_to_write(collection, encoder)
    fingerprints = written_fingerprints(collection, encoder)
    written = [v for v in vectors if v.name not in postponed]
    done = _Done()
    meter = ProgressMeter(progress, len(passages) if isinstance(passages, Sized) else None)
    stream = iter(passages)
    try:
        for size in chain([min(FIRST_BATCH, batch_size)], repeat(batch_size)):
            prepare = partial(_prepare_batch, stream, size, collection.tenant, fingerprints, done)
            batch = yield Compute(prepare)
            if batch is None:
                break
            points, keys = [prepared.point for prepared in batch], [HASH, *collection.flags]
            records = yield retrieve(collection.name, points, payload=keys)
            stored = {str(record.id): record.payload for record in records}
            changed = [p for p in batch if _differs(collection, p, stored)]
            done.unchanged += len(batch) - len(changed)
            if not changed:
                meter.report(done.read)
                continue
            if mark_postponed is not None:
                yield from mark_postponed()
            changed = yield from _keep_quarantine(collection, changed, stored)
            left = len(changed)
            for part in done.parts(changed):
                yield from _store_part(collection, encoder, written, part, stored, done)
                left -= len(part)
                meter.report(done.read - left, done.read)
        removed = 0
        if replace_sources:
            whole = {s: points for s, points in done.sources.items() if s not in keep_sources}
            removed = yield from delete_stale(collection, whole)
    except (InputError, EncoderError, CollectionError, ServerError) as error:
        before = done.added + done.updated
        raise type(error)(
            f"{error} ({before} passages of this call were stored before; run it again when this is"
            " mended, and it goes on from there.)"
        ) from error
    return IngestReport(done.added, done.updated, done.unchanged, removed)


def next_part_size(count: int, begun: float) -> int:
    """How many passages to encode and store together, so that progress shows every second.

    As many as were finished in a second by the last part, of ``count`` passages, begun at
    ``time.monotonic()``.
    """
    return max(SMALLEST_PART, int(count / max(time.monotonic() - begun, 1e-3)))


def written_fingerprints(collection: Collection, encoder: Encoder) -> list[tuple[str, str]]:
    """(vector name, fingerprint) of what a passage gets, as its content hash has it."""
    vectors = _vectors_to_write(collection, encoder)
    return [(v.name, v.fingerprint or encoder.specs[v.name].fingerprint) for v in vectors]


def _vectors_to_write(collection: Collection, encoder: Encoder) -> list[StoredVector]:
    """The vectors of a whole point: an upsert replaces the point, so none may be missing."""
    vectors: dict[str, StoredVector] = {}
    for name, vector in collection.vectors.items():
        if name in encoder.specs:
            check_vector(collection.name, vector, encoder.specs[name])
        elif lexical.language_of(vector.fingerprint) is None:
            if collection.has_own_metadata:
                raise CollectionError(
                    f"Collection {collection.name!r} also holds {name!r} vectors, and this encoder"
                    f" makes only {sorted(encoder.specs)}. Writing would lose them: use an encoder"
                    " that makes them too."
                )
            continue
        vectors[vector.stored_name] = vector
    return list(vectors.values())


def _prepare_batch(
    stream: Iterator[Passage],
    size: int,
    tenant: str | None,
    fingerprints: Sequence[tuple[str, str]],
    done: _Done,
) -> list[_Prepared] | None:
    """The next batch, checked and hashed; None at the end. Repeated passages are left out."""
    passages = list(islice(stream, size))
    done.read += len(passages)
    batch: list[_Prepared] = []
    for passage in passages:
        check_passage(passage)
        point = point_id(passage.id, tenant)
        digest = content_hash(passage, fingerprints)
        if point in done.digests:
            if done.digests[point] != digest:
                raise DuplicateIdError(
                    f"Two different passages carry the id {passage.id!r}. Give each its own."
                )
            continue
        done.digests[point] = digest
        batch.append(_Prepared(passage, point, digest))
        if passage.source is not None:
            done.sources.setdefault(passage.source, set()).add(point)
    return batch if passages else None


def _store_part(
    collection: Collection,
    encoder: Encoder,
    vectors: Sequence[StoredVector],
    part: Sequence[_Prepared],
    stored: Container[str],
    done: _Done,
) -> Operation[None]:
    points = yield Compute(lambda: _encode_points(collection, encoder, vectors, part))
    for call in upserts(collection.name, points, collection.limits.upsert_max_batchsize):
        yield call
        group = call.arguments["points"]
        updated = sum(point.id in stored for point in group)
        done.updated += updated
        done.added += len(group) - updated


def _differs(collection: Collection, prepared: _Prepared, stored: Mapping[str, Any]) -> bool:
    """Whether a passage has to be written."""
    payload = stored.get(prepared.point)
    if stored_hash(payload) != prepared.digest:
        return True
    return prepared.passage.quarantined and not is_quarantined(payload, collection.flags)


def _keep_quarantine(
    collection: Collection, batch: Sequence[_Prepared], stored: Mapping[str, Any]
) -> Operation[list[_Prepared]]:
    """Sets the quarantine flag of passages that are stored quarantined with the same text."""
    hidden = [
        prepared.point
        for prepared in batch
        if is_quarantined(stored.get(prepared.point), collection.flags)
    ]
    if not hidden:
        return list(batch)
    records = yield retrieve(collection.name, hidden)
    stored_text = {str(record.id): collection.passage(record).text for record in records}
    return [
        replace(prepared, passage=replace(prepared.passage, quarantined=True))
        if stored_text.get(prepared.point) == prepared.passage.text
        else prepared
        for prepared in batch
    ]


def _encode_points(
    collection: Collection,
    encoder: Encoder,
    vectors: Sequence[StoredVector],
    batch: Sequence[_Prepared],
) -> list[models.PointStruct]:
    encoded = encode_for_storage(encoder, [prepared.passage for prepared in batch], vectors)
    return [
        models.PointStruct(
            id=prepared.point,
            payload=to_payload(
                prepared.passage, prepared.digest, collection.tenant, collection.keys
            ),
            vector=point_vectors,
        )
        for prepared, point_vectors in zip(batch, encoded, strict=True)
    ]
