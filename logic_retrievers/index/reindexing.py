"""Reindexing: every passage into a second collection of another encoder or shape, then an alias.

Passes over the original follow each other until little has changed since the one before; then what
is gone is deleted, the alias switched, and one more pass brings what was written meanwhile. Nothing
but the second collection and the alias is written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import ClientCall, Compute, Operation
from logic_retrievers.encoders.base import Encoder, check_names
from logic_retrievers.errors import CollectionError, CollectionNotFoundError, ConfigurationError
from logic_retrievers.index import ingestion, lexical
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.collection_copy import copy_payload_indexes
from logic_retrievers.index.collection_options import CollectionOptions
from logic_retrievers.index.opening import open_collection, prepare_writing
from logic_retrievers.index.point_format import content_hash, point_id, stored_hash, stored_tenant
from logic_retrievers.index.points import count_points, delete_others, delete_points
from logic_retrievers.index.quarantine_flag import unhide_points
from logic_retrievers.index.requests import batches, client_call, retrieve, scroll
from logic_retrievers.index.schema import new_vector
from logic_retrievers.index.vectors import encode_for_storage
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.types import Passage

PAGE_SIZE = 256
FEW = 256
"""Passages that a pass may have written for the alias to be switched after it."""
_ORIGIN = "logic_reindexed_from"
"""Key of a second collection's metadata: the name of the original."""
SAMPLE = 64
"""Passages that an estimate encodes."""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What one call did, or what a whole one would take.

    Args:
        collection: the second one.
        passages: in it; of an estimate, in the original.
        written: encoded and stored by this call; of an estimate, those to encode.
        removed: deleted from the second collection, since the original has them no more.
        seconds: that it took, or would take on this machine.
        bytes: of an estimate: vectors and payloads on the disk, without an HNSW index. None: not
            estimated.
        alias: that is the second collection's name from now on.
    """

    collection: str
    passages: int
    written: int
    removed: int = 0
    seconds: float = 0.0
    bytes: int | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class _Content:
    """What decides a passage's point in the second collection."""

    digest: str
    quarantined: bool


def reindex(
    source: Collection,
    into: str,
    encoder: Encoder,
    settings: Mapping[str, Any],
    alias: str | None,
    progress: ProgressCallback | None,
    *,
    embedded: bool,
) -> Operation[ReindexReport]:
    """Fills a second collection from the first, and switches an alias to it.

    See :meth:`PassageIndex.reindex`; the settings are those of :func:`opening.open_collection`.
    """
    begun = time.monotonic()
    source, switched = yield from _resolve(source, into, alias, embedded)
    target = yield from _open_target(source, into, encoder, settings, embedded)
    meter = ProgressMeter(progress, (yield from count_points(source, None)))
    if switched:  # an earlier call was cut off after that; what is there may be newer by now
        _, written = yield from _pass(source, target, encoder, {}, meter, only_ours=True)
        removed = 0
    else:
        written, removed = yield from _fill(source, target, encoder, alias, meter)
    stored = yield from count_points(target, None)
    seconds = time.monotonic() - begun
    return ReindexReport(into, stored, written, removed, seconds, alias=alias)


def _fill(
    source: Collection,
    target: Collection,
    encoder: Encoder,
    alias: str | None,
    meter: ProgressMeter,
) -> Operation[tuple[int, int]]:
    """How many passages were written, and how many deleted."""
    seen, written = yield from _pass(source, target, encoder, {}, meter)
    last = written
    while last > FEW:
        seen, last = yield from _pass(source, target, encoder, seen)
        written += last
    removed = yield from delete_others(target, seen)
    # and shows what was restored while an earlier call was at work
    active = {point for point, content in seen.items() if not content.quarantined}
    yield from unhide_points(target, active)
    stored = yield from count_points(target, None)
    if stored != len(seen):
        raise CollectionError(
            f"{target.name!r} has {stored} passages, and {source.name!r} gave {len(seen)}: somebody"
            f" else writes to {target.name!r}. Stop that, and run this again."
        )
    if alias is not None:
        yield from switch_alias(alias, target.name)
        later, last = yield from _pass(source, target, encoder, seen, only_ours=True)
        written += last
        # what went from the original during the switch, unless others wrote it anew
        gone = yield from _ours(target, [point for point in seen if point not in later], seen)
        yield from delete_points(target, gone)
        removed += len(gone)
    return written, removed


def estimate(
    source: Collection,
    into: str,
    encoder: Encoder,
    settings: Mapping[str, Any],
    *,
    embedded: bool,
) -> Operation[ReindexReport]:
    """What :func:`reindex` would take, from the first passages of the collection."""
    source, _ = yield from _resolve(source, into, None, embedded)
    total = yield from count_points(source, None)
    names = check_names(settings.get("vectors") or _vector_names(source, encoder), encoder.specs)
    records, _ = yield scroll(source.name, limit=source.limits.results(SAMPLE))
    if not records:
        return ReindexReport(into, 0, 0, bytes=0)
    passages = [source.passage(record) for record in records]
    made = [new_vector(encoder.specs[name]) for name in names]
    begun = time.monotonic()
    yield Compute(partial(encode_for_storage, encoder, passages, made))
    seconds = (time.monotonic() - begun) / len(records) * total
    payload = sum(len(json.dumps(record.payload)) for record in records) / len(records)
    vectors = 4 * sum(encoder.specs[name].dimension for name in names)
    return ReindexReport(
        into, total, total, seconds=seconds, bytes=int(total * (payload + vectors))
    )


def _resolve(
    source: Collection, into: str, alias: str | None, embedded: bool
) -> Operation[tuple[Collection, bool]]:
    """The original under its own name, and whether the alias leads to the second one already.

    An alias by which the original was opened would change on the way.

    Raises:
        ConfigurationError: names that cannot be.
    """
    if source.tenant is not None:
        raise ConfigurationError(
            "A collection is reindexed as a whole. Open it with all_tenants=True, not with tenant=."
        )
    if embedded and alias is not None:
        raise ConfigurationError(
            "An alias is for a server. In a folder, open the new collection by its own name."
        )
    aliases = {} if embedded else (yield from read_aliases())
    name = aliases.get(source.name, source.name)
    if into in {name, alias} or into in aliases:
        raise ConfigurationError(
            f"The second collection needs a name beside {name!r} that is no alias; {into!r} is not"
            " one."
        )
    live = sorted(name for name, collection in aliases.items() if collection == into)
    if live and alias not in live:
        raise ConfigurationError(
            f"{into!r} is in use: the alias {live[0]!r} leads to it. Choose another name."
        )
    if alias is not None and alias not in aliases:
        try:
            yield client_call("get_collection", alias)
        except CollectionNotFoundError:
            pass
        else:
            raise ConfigurationError(
                f"{alias!r} is a collection's own name. Choose another alias, and open that one in"
                " your programs from now on; at the next reindexing they notice nothing."
            )
    return replace(source, name=name), alias in live


def read_aliases() -> Operation[dict[str, str]]:
    """Alias -> the collection that it leads to."""
    answer = yield ClientCall("get_aliases", {})
    return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def switch_alias(alias: str, into: str) -> Operation[None]:
    """Lets an alias lead to a collection, in one step for whoever searches it."""
    create = models.CreateAlias(collection_name=into, alias_name=alias)
    operations: list[models.AliasOperations] = [models.CreateAliasOperation(create_alias=create)]
    if alias in (yield from read_aliases()):
        old = models.DeleteAlias(alias_name=alias)
        operations.insert(0, models.DeleteAliasOperation(delete_alias=old))
    yield ClientCall("update_collection_aliases", {"change_aliases_operations": operations})


def _open_target(
    source: Collection, into: str, encoder: Encoder, settings: Mapping[str, Any], embedded: bool
) -> Operation[Collection]:
    """Opens or makes the second collection, like the first where nothing else is wanted."""
    info = yield client_call("get_collection", source.name)
    words = source.vectors.get(lexical.NAME)
    wanted = {
        "vectors": _vector_names(source, encoder),
        "lexical": False if words is None else words.language,
        "text_key": source.keys.text,
        "metadata_key": source.keys.metadata,
        "quantized": embedded and info.config.quantization_config is not None,
        "local_mode": source.local_mode,
        "embedded": embedded,
        "all_tenants": True,
        "show_quarantined": True,
        **settings,
    }
    try:
        existing = yield client_call("get_collection", into)
    except CollectionNotFoundError:
        existing = None
    else:
        yield from _check_ours(source, into, existing)
    if not embedded and not source.local_mode:
        options = settings.get("collection_options") or {}
        if existing is None:
            options = {**CollectionOptions.of(info.config).given, **options}
            if settings.get("quantized"):
                options["quantization_config"] = None
        wanted["collection_options"] = options
    target = yield from open_collection(into, encoder.specs, **wanted)
    yield client_call("update_collection", into, metadata={_ORIGIN: source.name})
    yield from copy_payload_indexes(info, into, (yield client_call("get_collection", into)))
    return (yield from prepare_writing(target, encoder.specs))


def _check_ours(source: Collection, into: str, existing: models.CollectionInfo) -> Operation[None]:
    """Refuses a collection that no earlier call made: what the original lacks would be deleted.

    Raises:
        CollectionError: it has points, and is not noted to come from this original.
    """
    if (existing.config.metadata or {}).get(_ORIGIN) != source.name:
        points, _ = yield scroll(into, limit=1, payload=False)
        if points:
            raise CollectionError(
                f"{into!r} exists already, and was not made from {source.name!r}: what it holds"
                " would be deleted. Choose another name, or delete it first."
            )


def _vector_names(source: Collection, encoder: Encoder) -> list[str]:
    """The vectors of the original that the encoder makes, or all that it makes."""
    return [name for name in source.vectors if name in encoder.specs] or list(encoder.specs)


def _pass(
    source: Collection,
    target: Collection,
    encoder: Encoder,
    before: Mapping[str, _Content],
    meter: ProgressMeter | None = None,
    *,
    only_ours: bool = False,
) -> Operation[tuple[dict[str, _Content], int]]:
    """Stores what differs from the pass before; the contents seen, and how many were written.

    Args:
        source: is read.
        target: is written.
        encoder: of the target.
        before: point id -> content, as the pass before saw it and left it in the target.
        meter: is told how many have been read.
        only_ours: leave passages alone that others have written to the target meanwhile.
    """
    fingerprints = ingestion.written_fingerprints(target, encoder)
    seen: dict[str, _Content] = {}
    written, limit, offset = 0, source.limits.results(PAGE_SIZE), None
    while True:
        records, offset = yield scroll(source.name, limit=limit, offset=offset)
        changed: dict[str | None, dict[str, Passage]] = {}
        for record in records:
            passage, tenant = source.passage(record), stored_tenant(record.payload)
            point = point_id(passage.id, tenant)
            seen[point] = _Content(content_hash(passage, fingerprints), passage.quarantined)
            if seen[point] != before.get(point):
                changed.setdefault(tenant, {})[point] = passage
        for tenant, passages in changed.items():
            if only_ours:
                ours = yield from _ours(target, list(passages), before)
                passages = {point: passages[point] for point in ours}
            of_tenant, stored = replace(target, tenant=tenant), list(passages.values())
            report = yield from ingestion.add(of_tenant, encoder, stored)
            written += report.added + report.updated
            if report.blank:  # left out, so that the second collection is not to have them
                records = yield retrieve(target.name, list(passages), payload=True)
                there = {str(record.id): stored_hash(record.payload) for record in records}
                for point in passages:
                    if there.get(point) != seen[point].digest:
                        del seen[point]
        if meter is not None:
            meter.report(len(seen))
        if offset is None:
            return seen, written


def _ours(
    target: Collection, points: list[str], before: Mapping[str, _Content]
) -> Operation[list[str]]:
    """Those of the points that are in the target as this call left them, or not at all."""
    stored: dict[str, str | None] = {}
    for batch in batches(points, PAGE_SIZE):
        for record in (yield retrieve(target.name, list(batch), payload=True)):
            stored[str(record.id)] = stored_hash(record.payload)
    return [
        point
        for point in points
        if point not in stored or (point in before and before[point].digest == stored[point])
    ]
