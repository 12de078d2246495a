"""Reindexing: write every passage to a second collection, with a different encoder or settings.

Passes over the original repeat until one finds few changes. Then passages that the original no
longer has are deleted from the second collection, and the alias is switched. A last pass adds the
passages written meanwhile. The original is never changed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import ClientCall, Compute, Operation
from logic_retrievers.encoders.base import Encoder, check_names
from logic_retrievers.errors import CollectionError, ConfigurationError
from logic_retrievers.index import ingestion, lexical
from logic_retrievers.index.client_calls import batches, client_call, retrieve, scroll
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.collection_copy import copy_payload_indexes
from logic_retrievers.index.opening import get_info, open_collection, prepare_writing
from logic_retrievers.index.point_format import content_hash, point_id, stored_hash, stored_tenant
from logic_retrievers.index.points import (
    count_points,
    delete_others,
    delete_points,
    each_page,
    unhide_points,
)
from logic_retrievers.index.schema import new_vector, options_of
from logic_retrievers.index.settings import ConnectionSettings, check_name, split_settings
from logic_retrievers.index.vectors import encode_for_storage
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.types import Passage

PAGE_SIZE = 256
# The alias is switched after a pass that wrote at most this many passages.
FEW = 256
# Number of passages that an estimate encodes.
SAMPLE = 64
# Key in the second collection's metadata that holds the name of the original.
_ORIGIN = "logic_reindexed_from"
# Settings that the second collection shares with the first.
_FIXED = (
    *ConnectionSettings.__annotations__,
    *("tenant", "all_tenants", "create", "show_quarantined", "vector_names"),
)
# (content hash, whether quarantined); a passage is written again if either has changed
_Content = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """Result of one call, or the estimate of a whole reindexing.

    Args:
        collection: name of the second collection.
        passages: number of passages in the second collection; in an estimate, in the original.
        written: number encoded and stored by this call; in an estimate, number to encode.
        removed: number deleted from the second collection because the original lacks them.
        seconds: duration; in an estimate, expected duration on this machine.
        bytes: in an estimate, size of vectors and payloads on the disk, without an HNSW index;
            otherwise None.
        alias: the alias that now points to the second collection.
    """

    collection: str
    passages: int
    written: int
    removed: int = 0
    seconds: float = 0.0
    bytes: int | None = None
    alias: str | None = None


class Reindexing:
    """One reindexing of ``source``; see :meth:`PassageIndex.reindex`."""

    def __init__(
        self,
        source: Collection,
        into: str,
        encoder: Encoder,
        settings: Any,
        alias: str | None,
        embedded: bool,
    ) -> None:
        if wrong := sorted(settings.keys() & {*_FIXED}):
            raise ConfigurationError(
                f"{wrong[0]}= is no setting of a reindexing, which takes all passages and stays at"
                " the place of the first collection. copy_to copies to another place."
            )
        _, self._settings = split_settings(into, settings, encoder)
        if alias is not None:
            check_name(alias)
        if source.tenant is not None:
            raise ConfigurationError(
                "A collection is reindexed as a whole, not for one tenant.",
                "Open it with all_tenants=True, not with tenant=.",
                names=["all_tenants"],
            )
        if embedded and alias is not None:
            raise ConfigurationError(
                "An alias is for a server. In a folder, open the new collection by its own name."
            )
        self._source, self._into, self._encoder = source, into, encoder
        self._alias, self._embedded = alias, embedded
        self._names = [v for v in source.vectors if v in encoder.specs] or list(encoder.specs)

    def run(self, progress: ProgressCallback | None) -> Operation[ReindexReport]:
        """Fill the second collection, and switch the alias to it."""
        begun = time.monotonic()
        switched = yield from self._check_aliases()
        target = yield from self._open_target()
        meter = ProgressMeter(progress, (yield from count_points(self._source, None)))
        if switched:
            # an earlier call ended after the switch, so passages there may be newer by now
            _, written = yield from self._pass(target, {}, meter, only_ours=True)
            removed = 0
        else:
            written, removed = yield from self._fill(target, meter)
        stored = yield from count_points(target, None)
        seconds = time.monotonic() - begun
        return ReindexReport(self._into, stored, written, removed, seconds, alias=self._alias)

    def estimate(self) -> Operation[ReindexReport]:
        """Estimate time and space from the first passages of the collection."""
        yield from self._check_aliases()
        total = yield from count_points(self._source, None)
        names = check_names(self._settings.get("vectors") or self._names, self._encoder.specs)
        limit = self._source.limits.results(SAMPLE)
        records, _ = yield scroll(self._source.name, limit=limit)
        if not records:
            return ReindexReport(self._into, 0, 0, bytes=0)
        passages = [self._source.passage(record) for record in records]
        made = [new_vector(self._encoder.specs[name]) for name in names]
        begun = time.monotonic()
        yield Compute(partial(encode_for_storage, self._encoder, passages, made))
        seconds = (time.monotonic() - begun) / len(records) * total
        payload = sum(len(json.dumps(record.payload)) for record in records) / len(records)
        vectors = 4 * sum(vector.dimension or 0 for vector in made)
        size = int(total * (payload + vectors))
        return ReindexReport(self._into, total, total, seconds=seconds, bytes=size)

    def _check_aliases(self) -> Operation[bool]:
        """Check the names, and tell whether the alias points to the second collection already."""
        aliases = {} if self._embedded else (yield from read_aliases())
        # use the original's own name, since the switch may move an alias that it was opened by
        self._source = replace(self._source, name=aliases.get(self._source.name, self._source.name))
        name, into, alias = self._source.name, self._into, self._alias
        if into in {name, alias} or into in aliases:
            raise ConfigurationError(
                f"The second collection needs a name other than {name!r} that is no alias;"
                f" {into!r} is not one."
            )
        live = sorted(each for each, collection in aliases.items() if collection == into)
        if live and alias not in live:
            raise ConfigurationError(
                f"{into!r} is in use: the alias {live[0]!r} leads to it. Choose another name."
            )
        if alias is not None and alias not in aliases and (yield from get_info(alias)) is not None:
            raise ConfigurationError(
                f"{alias!r} is a collection's own name. Choose another alias, and open that one in"
                " your programs from now on; at the next reindexing they notice nothing."
            )
        return alias in live

    def _open_target(self) -> Operation[Collection]:
        """Open or make the second collection, by default with the first one's settings."""
        source, into = self._source, self._into
        info = yield client_call("get_collection", source.name)
        words = source.vectors.get(lexical.NAME)
        wanted = {
            "vectors": self._names,
            "lexical": False if words is None else words.language,
            "text_key": source.keys.text,
            "metadata_key": source.keys.metadata,
            "quantized": self._embedded and info.config.quantization_config is not None,
            "local_mode": source.local_mode,
            "embedded": self._embedded,
            "all_tenants": True,
            "show_quarantined": True,
            **self._settings,
        }
        existing = yield from get_info(into)
        if existing is not None:
            points, _ = yield scroll(into, limit=1, payload=False)
            if points and (existing.config.metadata or {}).get(_ORIGIN) != source.name:
                raise CollectionError(
                    f"{into!r} exists already, and was not made from {source.name!r}. Its passages"
                    " would be deleted. Choose another name, or delete it first."
                )
        elif not self._embedded and not source.local_mode:
            options = {**options_of(info.config), **(wanted.get("collection_options") or {})}
            if wanted["quantized"]:
                options["quantization_config"] = None
            wanted["collection_options"] = options
        target = yield from open_collection(into, self._encoder.specs, **wanted)
        yield client_call("update_collection", into, metadata={_ORIGIN: source.name})
        yield from copy_payload_indexes(info, into, (yield client_call("get_collection", into)))
        return (yield from prepare_writing(target, self._encoder.specs))

    def _fill(self, target: Collection, meter: ProgressMeter) -> Operation[tuple[int, int]]:
        """Fill the second collection; return the numbers of passages written and deleted."""
        seen, written = yield from self._pass(target, {}, meter)
        last = written
        while last > FEW:
            seen, last = yield from self._pass(target, seen)
            written += last
        removed = yield from delete_others(target, seen)
        # unhide passages that were restored in the original after they had been written here
        yield from unhide_points(
            target, {point for point, (_, hidden) in seen.items() if not hidden}
        )
        stored = yield from count_points(target, None)
        if stored != len(seen):
            raise CollectionError(
                f"{target.name!r} has {stored} passages, and {self._source.name!r} gave"
                f" {len(seen)}: another program writes to {target.name!r}. Stop it, and run this"
                " again."
            )
        if self._alias is not None:
            yield from switch_alias(self._alias, target.name)
            later, last = yield from self._pass(target, seen, only_ours=True)
            written += last
            # passages deleted from the original during the switch, except those written again
            gone = yield from _ours(target, [point for point in seen if point not in later], seen)
            yield from delete_points(target, gone)
            removed += len(gone)
        return written, removed

    def _pass(
        self,
        target: Collection,
        before: Mapping[str, _Content],
        meter: ProgressMeter | None = None,
        *,
        only_ours: bool = False,
    ) -> Operation[tuple[dict[str, _Content], int]]:
        """Store the passages that changed since the last pass; return all contents, and the number.

        ``before`` maps point ids to the contents that the last pass left in the target; the first
        result does so for this pass. With ``only_ours``, passages that others wrote there are kept.
        """
        fingerprints = ingestion.written_fingerprints(target, self._encoder)
        seen: dict[str, _Content] = {}
        written = 0

        def store_changed(records: Sequence[models.Record]) -> Operation[None]:
            nonlocal written
            changed: dict[str | None, dict[str, Passage]] = {}
            for record in records:
                passage, tenant = self._source.passage(record), stored_tenant(record.payload)
                point = point_id(passage.id, tenant)
                seen[point] = content_hash(passage, fingerprints), passage.quarantined
                if seen[point] != before.get(point):
                    changed.setdefault(tenant, {})[point] = passage
            for tenant, passages in changed.items():
                if only_ours:
                    ours = yield from _ours(target, list(passages), before)
                    passages = {point: passages[point] for point in ours}
                report = yield from ingestion.add(
                    replace(target, tenant=tenant), self._encoder, list(passages.values())
                )
                written += report.added + report.updated
                if report.blank:  # blank passages are not stored, so do not count them as seen
                    there = yield from _hashes(target, list(passages))
                    for point in passages:
                        if there.get(point) != seen[point][0]:
                            del seen[point]
            if meter is not None:
                meter.report(len(seen))

        yield from each_page(self._source, store_changed, size=PAGE_SIZE)
        return seen, written


def read_aliases() -> Operation[dict[str, str]]:
    """Read all aliases: alias -> name of its collection."""
    answer = yield ClientCall("get_aliases", {})
    return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def switch_alias(alias: str, into: str) -> Operation[None]:
    """Make an alias point to a collection, in one atomic step."""
    create = models.CreateAlias(collection_name=into, alias_name=alias)
    operations: list[models.AliasOperations] = [models.CreateAliasOperation(create_alias=create)]
    if alias in (yield from read_aliases()):
        old = models.DeleteAlias(alias_name=alias)
        operations.insert(0, models.DeleteAliasOperation(delete_alias=old))
    yield ClientCall("update_collection_aliases", {"change_aliases_operations": operations})


def _hashes(target: Collection, points: Sequence[str]) -> Operation[dict[str, str | None]]:
    hashes: dict[str, str | None] = {}
    for batch in batches(points, PAGE_SIZE):
        for record in (yield retrieve(target.name, list(batch), payload=True)):
            hashes[str(record.id)] = stored_hash(record.payload)
    return hashes


def _ours(
    target: Collection, points: list[str], before: Mapping[str, _Content]
) -> Operation[list[str]]:
    """Choose the points that the target lacks, or still has as this call left them."""
    stored = yield from _hashes(target, points)
    return [
        point
        for point in points
        if point not in stored or (point in before and before[point][0] == stored[point])
    ]
