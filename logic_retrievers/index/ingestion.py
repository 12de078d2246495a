"""Ingestion: store a stream of passages, skip unchanged ones by hash, then delete stale ones."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from qdrant_client import models

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import (
    BlankTextWarning,
    CollectionError,
    ConfigurationError,
    DuplicateIdError,
    EncoderError,
    InputError,
    ServerError,
    warn,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.client_calls import retrieve, upserts
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
from logic_retrievers.index.schema import check_vector
from logic_retrievers.index.vectors import encode_for_storage
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.text import is_blank
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_stream, name_of, storable

# Passages read and sorted by length at a time; also the most sent in one request. Of the encoder's
# tokens for real texts, .5 to 1.8 % are then padding; with four times as many passages .1 to .6 %.
BATCH_SIZE = 256
FIRST_BATCH = 16
# Maximum passages that a warning or an error names.
MAX_NAMED = 5
# Minimum texts to encode at a time. Fewer are encoded like queries: singly, each on all cores.
SMALLEST_PART = 64


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of passages in one call.

    ``removed`` counts deleted stale passages, ``blank`` passages left out for lack of text.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    blank: int = 0


class _Prepared(NamedTuple):
    """A checked passage with its point id and content hash."""

    passage: Passage
    point: str
    digest: str


def add(
    collection: Collection,
    encoder: Encoder,
    passages: Iterable[Passage],
    *,
    replace_sources: bool = False,
    keep_sources: Container[str] = (),
    progress: ProgressCallback | None = None,
    batch_size: int = BATCH_SIZE,
) -> Operation[IngestReport]:
    """Store passages with every named vector of the collection; see :meth:`PassageIndex.add`."""
    check_count("batch_size", batch_size)
    check_stream(passages)
    check_type("keep_sources", keep_sources, Container)
    if keep_sources != () and not replace_sources:
        raise ConfigurationError("keep_sources= limits replace_sources=True; pass both.")
    work = _Ingestion(collection, encoder, passages)
    meter = ProgressMeter(progress, len(passages) if isinstance(passages, Sized) else None)
    try:
        for size in chain([min(FIRST_BATCH, batch_size)], repeat(batch_size)):
            batch = yield Compute(partial(work.next_batch, size))
            if batch is None:
                break
            changed = yield from work.changed(batch)
            if not changed:
                meter.report(work.read)
                continue
            left = len(changed)
            for part in work.parts(changed):
                yield from work.store(part)
                left -= len(part)
                meter.report(work.read - left, work.read)
        removed = 0
        if replace_sources and not work.refused:
            whole = {
                source: filled
                for source, points in work.sources.items()
                if (filled := points - work.blank_points) and source not in keep_sources
            }
            removed = yield from delete_stale(collection, whole)
        if work.refused:
            raise work.refusal()
    except (InputError, EncoderError, CollectionError, ServerError) as error:
        before = work.added + work.updated
        raise type(error)(
            f"{error} ({before} passages of this call were stored. Mend this and run it again: it"
            " continues from there.)"
        ) from error
    if work.blank:
        shown = ", ".join(work.blank[:MAX_NAMED])
        more = ", ..." if len(work.blank) > MAX_NAMED else ""
        warn(
            BlankTextWarning,
            f"{len(work.blank)} of {work.read} passages hold no text and were left out:"
            f" {shown}{more}. Passages stored under their ids stay, unless the rest of a source was"
            " replaced; delete them if they should go.",
        )
    return IngestReport(work.added, work.updated, work.unchanged, removed, len(work.blank))


class _Ingestion:
    """State of one call of :func:`add`; grows by some 200 bytes per passage."""

    def __init__(
        self, collection: Collection, encoder: Encoder, passages: Iterable[Passage]
    ) -> None:
        self._collection, self._encoder, self._stream = collection, encoder, iter(passages)
        self._vectors = _vectors_to_write(collection, encoder)
        self._fingerprints = written_fingerprints(collection, encoder)
        self._digests: dict[str, str] = {}
        self._stored: dict[str, Any] = {}
        self._part_size = SMALLEST_PART
        self.sources: dict[str, set[str]] = {}
        self.blank: list[str] = []
        self.blank_points: set[str] = set()
        self.refused: list[InputError] = []
        self.read = self.added = self.updated = self.unchanged = 0

    def next_batch(self, size: int) -> list[_Prepared] | None:
        """Read, check and hash the next batch; None at the end."""
        passages = list(islice(self._stream, size))
        self.read += len(passages)
        batch: list[_Prepared] = []
        for passage in passages:
            try:
                batch += self._prepare(passage)
            except InputError as error:
                self.refused.append(error.with_traceback(None))
        return batch if passages else None

    def _prepare(self, passage: Passage) -> list[_Prepared]:
        """Check and hash a passage; return [] if it is blank or came before in this call."""
        passage = storable(passage)
        point = point_id(passage.id, self._collection.tenant)
        prepared = _Prepared(passage, point, content_hash(passage, self._fingerprints))
        if is_blank(passage.text_to_embed):
            self._leave_out(prepared)
            return []
        if point in self._digests:
            if self._digests[point] != prepared.digest:
                raise DuplicateIdError(
                    f"Two different passages carry the id {passage.id!r}. Give each its own."
                )
            return []
        self._digests[point] = prepared.digest
        if passage.source is not None:
            self.sources.setdefault(passage.source, set()).add(point)
        return [prepared]

    def _leave_out(self, blank: _Prepared) -> None:
        # noted, so that a source is not emptied if all its passages are blank
        self.blank.append(name_of(blank.passage))
        self.blank_points.add(blank.point)

    def refusal(self) -> InputError:
        """Make one error for all passages that could not be stored."""
        first = self.refused[0]
        if len(self.refused) == 1:
            return first
        shown = " ".join(map(str, self.refused[:MAX_NAMED]))
        return type(first)(f"{len(self.refused)} passages cannot be stored: {shown}")

    def changed(self, batch: Sequence[_Prepared]) -> Operation[list[_Prepared]]:
        """Choose the passages to write; a hidden one stays hidden if its text is unchanged."""
        collection, points = self._collection, [prepared.point for prepared in batch]
        records = yield retrieve(collection.name, points, payload=[HASH, *collection.flags])
        self._stored = {str(record.id): record.payload for record in records}
        changed = [
            each
            for each in batch
            if stored_hash(self._stored.get(each.point)) != each.digest
            or (each.passage.quarantined and not self._is_hidden(each))
        ]
        self.unchanged += len(batch) - len(changed)
        hidden = [each.point for each in changed if self._is_hidden(each)]
        records = (yield retrieve(collection.name, hidden)) if hidden else ()
        texts = {str(record.id): collection.passage(record).text for record in records}
        return [
            each._replace(passage=replace(each.passage, quarantined=True))
            if texts.get(each.point) == each.passage.text
            else each
            for each in changed
        ]

    def _is_hidden(self, prepared: _Prepared) -> bool:
        return is_quarantined(self._stored.get(prepared.point), self._collection.flags)

    def parts(self, batch: Sequence[_Prepared]) -> Iterator[Sequence[_Prepared]]:
        """Cut the batch into parts of about a second each, longest texts first."""
        ordered = sorted(batch, key=lambda prepared: -len(prepared.passage.text_to_embed))
        start = 0
        while start < len(ordered):
            begun = time.monotonic()
            yield (part := ordered[start : start + self._part_size])
            start += len(part)
            per_second = len(part) / max(time.monotonic() - begun, 1e-3)
            self._part_size = max(SMALLEST_PART, int(per_second))

    def store(self, part: Sequence[_Prepared]) -> Operation[None]:
        collection = self._collection

        def encode() -> list[models.PointStruct]:
            passages = [each.passage for each in part]
            encoded = encode_for_storage(self._encoder, passages, self._vectors)
            points, written = [], datetime.now(UTC).isoformat()
            for each, vectors in zip(part, encoded, strict=True):
                if vectors is None:  # the encoder finds no text
                    self._leave_out(each)
                    continue
                payload = to_payload(
                    each.passage, each.digest, collection.tenant, collection.keys, written
                )
                points.append(models.PointStruct(id=each.point, payload=payload, vector=vectors))
            return points

        points = yield Compute(encode)
        for call in upserts(collection.name, points, collection.limits.upsert_max_batchsize):
            yield call
            group = call.arguments["points"]
            updated = sum(point.id in self._stored for point in group)
            self.updated += updated
            self.added += len(group) - updated


def written_fingerprints(collection: Collection, encoder: Encoder) -> list[tuple[str, str]]:
    """List (vector name, fingerprint) of the vectors that a passage gets, for its content hash."""
    vectors = _vectors_to_write(collection, encoder)
    return [(v.name, v.fingerprint or encoder.specs[v.name].fingerprint) for v in vectors]


def _vectors_to_write(collection: Collection, encoder: Encoder) -> list[StoredVector]:
    """List the vectors of a point: all, because an upsert replaces the whole point."""
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
