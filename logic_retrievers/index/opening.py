"""Opening a collection: it is made where there is none, and checked where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import (
    CollectionError,
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
    MissingVectorError,
)
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.payloads import (
    LOGIC,
    METADATA,
    NODE,
    QUARANTINED,
    TEXT,
    USUAL,
    Keys,
    quarantine_keys,
)
from logic_retrievers.index.schema import (
    PAYLOAD_INDEXES,
    Collection,
    StoredVector,
    check,
    creation,
    described,
    own_metadata,
    stored_vectors,
    usual_specs,
    wanted_specs,
)
from logic_retrievers.procedures import Call, Procedure


def open_collection(
    name: str,
    specs: Mapping[str, VectorSpec],
    *,
    embedded: bool,
    vectors: Sequence[str] | None = None,
    lexical: bool = False,
    tenant: str | None = None,
    vector_names: Mapping[str, str] | None = None,
    text_key: str | None = None,
    metadata_key: str | None = None,
    create: bool = True,
    show_quarantined: bool = False,
) -> Procedure[Collection]:
    """Finds or makes a collection and checks that the encoder fits it.

    Vectors that ``vectors`` (or ``lexical``) names must be there. Without names, those that
    are there are opened: the collection of another store has the topical one alone. A new
    collection gets those that are named, or else the usual ones (:func:`schema.usual_specs`).

    Raises:
        CollectionNotFoundError: there is none, and ``create`` is False.
        CollectionMismatchError, FingerprintMismatchError, MissingVectorError: it does not fit.
        ConfigurationError: names that the encoder does not make.
    """
    asked = (text_key or TEXT, metadata_key or METADATA)
    if len({*asked, LOGIC, NODE}) < 4:
        raise ConfigurationError(
            f"text_key= and metadata_key= must differ, and be neither {LOGIC!r} nor {NODE!r}; they"
            f" are {asked[0]!r} and {asked[1]!r}."
        )
    wanted = wanted_specs(specs, vectors)
    info = yield from _found(name)
    if info is None:
        if not create:
            raise CollectionNotFoundError(
                f"There is no collection {name!r}. Index some passages first, or pass create=True."
            )
        made = usual_specs(specs) if vectors is None else wanted
        info = yield from _created(name, made, lexical, Keys(*asked))
    stored = stored_vectors(name, info, vector_names)
    ours = own_metadata(info)
    required = [] if vectors is None else list(wanted)
    if lexical:
        required.append(LEXICAL)
    for missing in (one for one in required if one not in stored or stored[one].filling):
        raise MissingVectorError(
            f"Collection {name!r} has no vector {missing!r}, or it is still being filled (it has:"
            f" {', '.join(stored) or 'none'}). Open it without, and run backfill([{missing!r}])."
        )
    noted = Keys(*ours.get("keys", USUAL))
    keys = Keys(text_key or noted.text, metadata_key or noted.metadata)
    if ours and keys != noted:
        raise CollectionMismatchError(
            f"Collection {name!r} keeps text and metadata under {noted.text!r} and"
            f" {noted.metadata!r}. Leave text_key= and metadata_key= out."
        )
    prefixes = tuple(ours["prefixes"]) if ours else (yield from _prefixes(name, keys))
    flags = tuple(ours.get("flags", (QUARANTINED,))) if ours else quarantine_keys(prefixes)
    found = Collection(
        name=name,
        vectors=stored,
        readable=_readable(name, stored, wanted),
        tenant=tenant,
        embedded=embedded,
        allows_exact=_allows_exact(info),
        prefixes=prefixes,
        keys=keys,
        ours=bool(ours),
        missing_indexes=_missing_indexes(info, embedded),
        flags=flags,
        shows_quarantined=show_quarantined,
    )
    return replace(found, findable=_findable(found, info))


def prepare_writing(
    collection: Collection, specs: Mapping[str, VectorSpec]
) -> Procedure[Collection]:
    """Makes the payload indexes that our filters need where a server is strict.

    An empty collection that somebody made by hand is also given our metadata, so that the next
    encoder is compared with this one.
    """
    for key in collection.missing_indexes:
        yield Call(
            "create_payload_index",
            {
                "collection_name": collection.name,
                "field_name": key,
                "field_schema": PAYLOAD_INDEXES[key],
                "wait": True,
            },
        )
    made = collection.missing_indexes
    if QUARANTINED in {*made} - {*collection.findable}:
        collection = replace(collection, findable=(QUARANTINED, *collection.findable))
    if collection.ours:
        return replace(collection, missing_indexes=())
    points, _ = yield Call("scroll", {"collection_name": collection.name, "limit": 1})
    if points:
        return replace(collection, missing_indexes=())
    signed = {
        name: replace(collection.vectors[name], fingerprint=specs[name].fingerprint)
        for name in collection.readable
        if name in specs
    }
    yield Call(
        "update_collection",
        {"collection_name": collection.name, "metadata": described(collection, signed)},
    )
    return replace(
        collection,
        vectors=signed,
        ours=True,
        missing_indexes=(),
    )


def _found(name: str) -> Procedure[models.CollectionInfo | None]:
    try:
        info: models.CollectionInfo = yield Call("get_collection", {"collection_name": name})
    except CollectionNotFoundError:
        return None
    return info


def _created(
    name: str, specs: Mapping[str, VectorSpec], lexical: bool, keys: Keys
) -> Procedure[models.CollectionInfo]:
    try:
        yield Call("create_collection", {"collection_name": name, **creation(specs, lexical, keys)})
    except Exception:
        # Somebody else was faster, or the answer to our own first attempt was lost.
        info = yield from _found(name)
        if info is None:
            raise
        return info
    info = yield from _found(name)
    if info is None:
        raise CollectionError(f"Collection {name!r} was made and is gone again. Who deletes it?")
    return info


def _readable(
    collection: str, stored: Mapping[str, StoredVector], wanted: Mapping[str, VectorSpec]
) -> tuple[str, ...]:
    readable = []
    for name, spec in wanted.items():
        if name in stored and not stored[name].filling:
            check(collection, stored[name], spec)
            readable.append(name)
    if not readable:
        raise CollectionMismatchError(
            f"Collection {collection!r} has none of the vectors {list(wanted)}; it has"
            f" {list(stored) or 'none'}. Say which is which with vector_names=."
        )
    tokens = stored.get(LEXICAL)
    if tokens is not None and tokens.sparse and tokens.fingerprint and not tokens.filling:
        readable.append(LEXICAL)
    return tuple(readable)


def _prefixes(name: str, keys: Keys) -> Procedure[tuple[str, ...]]:
    """Where another store keeps its metadata: one point tells."""
    points, _ = yield Call(
        "scroll",
        {"collection_name": name, "limit": 1, "with_payload": [NODE], "with_vectors": False},
    )
    payload: Mapping[str, Any] = (points[0].payload if points else None) or {}
    return ("", keys.metadata) if NODE in payload else (keys.metadata,)


def _allows_exact(info: models.CollectionInfo) -> bool:
    strict = info.config.strict_mode_config
    return strict is None or not strict.enabled or strict.search_allow_exact is not False


def _findable(collection: Collection, info: models.CollectionInfo) -> tuple[str, ...]:
    """The flags that a request may filter by; strict mode wants an index for each."""
    strict = info.config.strict_mode_config
    if collection.embedded or strict is None or strict.unindexed_filtering_retrieve is not False:
        return collection.flags
    return tuple(key for key in collection.flags if key in (info.payload_schema or {}))


def _missing_indexes(info: models.CollectionInfo, embedded: bool) -> tuple[str, ...]:
    if embedded:  # it has none, and warns when asked for one
        return ()
    return tuple(key for key in PAYLOAD_INDEXES if key not in (info.payload_schema or {}))
