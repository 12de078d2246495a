"""Open a collection: create it, or read and check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import ClientCall, Operation
from logic_retrievers.encoders.base import VectorSpec, check_names
from logic_retrievers.errors import (
    CollectionLockedError,
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
    MissingVectorError,
    ServerError,
)
from logic_retrievers.index import schema
from logic_retrievers.index.client_calls import client_call, create_index, scroll
from logic_retrievers.index.collection import Collection, StoredVector, read_notes, read_vectors
from logic_retrievers.index.lexical import ENGLISH, term_vector
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.point_format import (
    DEFAULT_KEYS,
    LOGIC,
    METADATA,
    NODE,
    QUARANTINED,
    TENANT,
    TEXT,
    PayloadKeys,
    quarantine_keys,
)
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.validation import MAX_ID, is_encodable

# Maximum collections that an error names.
_MOST_NAMES = 5


def open_collection(
    name: str,
    specs: Mapping[str, VectorSpec],
    *,
    local_mode: bool = False,
    embedded: bool = False,
    vectors: Sequence[str] | None = None,
    lexical: bool | str | None = None,
    tenant: str | None = None,
    all_tenants: bool = False,
    vector_names: Mapping[str, str] | None = None,
    text_key: str | None = None,
    metadata_key: str | None = None,
    quantized: bool = False,
    collection_options: Mapping[str, Any] | None = None,
    indexed_fields: Mapping[str, Any] | None = None,
    create: bool = True,
    show_quarantined: bool = False,
) -> Operation[Collection]:
    """Read or create a collection, and check that the encoder fits it.

    Vectors named by ``vectors`` (or ``lexical``) must exist. Without names, the existing vectors
    are opened; in another store's collection, only the topical one. A new collection gets the
    named vectors, or else the default ones (:func:`schema.default_specs`).
    """
    if tenant is not None and not (0 < len(tenant) <= MAX_ID and is_encodable(tenant)):
        raise ConfigurationError(f"A tenant is a text of 1 to {MAX_ID:,} proper characters.")
    if tenant is not None and all_tenants:
        raise ConfigurationError("Choose either one tenant or all tenants.")
    new_keys = PayloadKeys(text_key or TEXT, METADATA if metadata_key is None else metadata_key)
    if len({*new_keys, LOGIC, NODE}) < 4:
        raise ConfigurationError(
            f"text_key= and metadata_key= must differ, and be neither {LOGIC!r} nor {NODE!r}; they"
            f" are {new_keys.text!r} and {new_keys.metadata!r}."
        )
    options = schema.read_options(collection_options, embedded=embedded or local_mode)
    fields = schema.check_fields(indexed_fields)
    if quantized and "quantization_config" in options:
        raise ConfigurationError("Pass quantized=True or a quantization_config, not both.")
    requested = {name: specs[name] for name in check_names(vectors, specs)}
    if not requested:
        raise ConfigurationError(f"vectors= names nothing; the encoder makes {sorted(specs)}.")
    language = ENGLISH if lexical is None or lexical is True else lexical or None
    info = yield from get_info(name)
    if info is None:
        if not create:
            others = yield from _other_collections(name)
            raise CollectionNotFoundError(
                f"There is no collection {name!r}{others}.",
                "Index some passages first, or pass create=True.",
            )
        created = schema.default_specs(specs) if vectors is None else requested
        arguments = schema.creation_arguments(created, language, new_keys, quantized, options)
        info = yield from _create(name, language, arguments)
    if quantized and info.config.quantization_config is None:
        raise CollectionMismatchError(
            f"Collection {name!r} has no int8 vectors. Leave quantized= out, or index into another."
        )
    if tenant is None and not all_tenants and (yield from has_tenants(name, info, local_mode)):
        raise ConfigurationError(
            f"Passages of collection {name!r} belong to tenants.",
            "Open it with tenant=, or with all_tenants=True to read the passages of all.",
            names=["tenant", "all_tenants"],
        )
    notes = read_notes(name, info)
    first: list[Any] = []
    if notes is None:  # one point shows which store fills the collection
        first, _ = yield scroll(name, limit=1, payload=[NODE])
    stored = read_vectors(name, info, vector_names)
    if LEXICAL in stored and not notes and not first and language is not None:
        # take over the lexical vector of an empty collection that was made by hand
        made = stored[LEXICAL].stored_name
        params = (info.config.params.sparse_vectors or {}).get(made)
        if params is None or params.modifier != models.Modifier.IDF:
            raise CollectionMismatchError(
                f"Vector {made!r} of collection {name!r} does not weigh words by their rarity. Make"
                " it as SparseVectorParams(modifier=Modifier.IDF), or pass lexical=False."
            )
        stored[LEXICAL] = replace(schema.new_lexical_vector(language), stored_name=made)
    required = [] if vectors is None else list(requested)
    if lexical:
        required.append(LEXICAL)
    for missing in (v for v in required if v not in stored or stored[v].incomplete):
        raise MissingVectorError(
            f"Collection {name!r} has no vector {missing!r}, or it is still being filled (it has:"
            f" {', '.join(stored) or 'none'}).",
            f"Open it without, and run backfill([{missing!r}]).",
            names=[missing],
        )
    if lexical and stored[LEXICAL].language != language:
        raise CollectionMismatchError(
            f"The words of collection {name!r} are stemmed as {stored[LEXICAL].language!r}, not as"
            f" {language!r}. Leave lexical= out."
        )
    noted_keys = notes.keys if notes else DEFAULT_KEYS
    keys = PayloadKeys(
        text_key or noted_keys.text, noted_keys.metadata if metadata_key is None else metadata_key
    )
    if notes is not None:
        if keys != noted_keys:
            raise CollectionMismatchError(
                f"Collection {name!r} keeps text and metadata under {noted_keys.text!r} and"
                f" {noted_keys.metadata!r}. Leave text_key= and metadata_key= out."
            )
        prefixes, flags = notes.prefixes, notes.flags
    else:
        of_llama_index = any(NODE in (point.payload or {}) for point in first)
        prefixes = tuple(dict.fromkeys(["", keys.metadata] if of_llama_index else [keys.metadata]))
        flags = quarantine_keys(prefixes)
    words = stored.get(LEXICAL)
    limits = StrictLimits.read(info.config.strict_mode_config)
    indexed = info.payload_schema or {}
    missing_indexes: tuple[str, ...] = ()
    if not local_mode:  # local mode has no payload indexes, and warns of each
        missing_indexes = tuple(key for key in schema.PAYLOAD_INDEXES if key not in indexed)
        yield from schema.index_fields(name, info, prefixes, fields)
    return Collection(
        name=name,
        vectors=stored,
        searchable=_searchable(name, stored, requested),
        tenant=tenant,
        all_tenants=all_tenants,
        local_mode=local_mode,
        prefixes=prefixes,
        keys=keys,
        has_own_metadata=notes is not None,
        missing_indexes=missing_indexes,
        flags=flags,
        filterable_flags=limits.filterable(flags, indexed),
        shows_quarantined=show_quarantined,
        limits=limits,
        language=(words and words.language) or ENGLISH,
    )


def reopen(collection: Collection, specs: Mapping[str, VectorSpec]) -> Operation[Collection]:
    """Read a collection again after its vectors have changed."""
    opened = yield from open_collection(
        collection.name,
        specs,
        local_mode=collection.local_mode,
        tenant=collection.tenant,
        all_tenants=collection.tenant is None,
        create=False,
        show_quarantined=collection.shows_quarantined,
    )
    return replace(opened, all_tenants=collection.all_tenants)


def prepare_writing(
    collection: Collection, specs: Mapping[str, VectorSpec]
) -> Operation[Collection]:
    """Create the payload indexes that this package's filters need on a strict server.

    An empty collection that was created by hand also gets this package's metadata, so that the next
    encoder is compared with this one. The metadata note which vectors are computed in int8.
    """
    for key in collection.missing_indexes:
        yield create_index(collection.name, key, schema.PAYLOAD_INDEXES[key])
    filterable = collection.filterable_flags
    if QUARANTINED in collection.missing_indexes and QUARANTINED not in filterable:
        filterable = (QUARANTINED, *filterable)
    prepared = replace(collection, filterable_flags=filterable, missing_indexes=())
    int8 = {
        name: replace(collection.vectors[name], int8=True)
        for name, spec in specs.items()
        if spec.precision == "int8" and name in collection.searchable
    }
    if collection.has_own_metadata:
        if all(collection.vectors[name].int8 for name in int8):
            return prepared
        metadata = collection.notes(int8).metadata
        yield client_call("update_collection", collection.name, metadata=metadata)
        return replace(prepared, vectors={**collection.vectors, **int8})
    points, _ = yield scroll(collection.name, limit=1)
    if points:
        return prepared
    signed = {name: collection.vectors[name] for name in collection.searchable} | int8
    for name in signed.keys() & specs.keys():
        signed[name] = replace(signed[name], fingerprint=specs[name].fingerprint)
    metadata = collection.notes(signed).metadata
    yield client_call("update_collection", collection.name, metadata=metadata)
    return replace(prepared, vectors=signed, has_own_metadata=True)


def get_info(name: str) -> Operation[models.CollectionInfo | None]:
    """Get a collection's description, or None if it does not exist."""
    try:
        return (yield client_call("get_collection", name))  # type: ignore[no-any-return]
    except CollectionNotFoundError:
        return None


def _other_collections(name: str) -> Operation[str]:
    """Return the end of a sentence: the names of other collections, the most similar first."""
    try:
        answer = yield ClientCall("get_collections", {})
    except ServerError:  # the key may be for one collection only
        return ""
    names = [collection.name for collection in answer.collections]
    if not names:
        return ""
    shown_names = get_close_matches(name, names, n=_MOST_NAMES, cutoff=0)
    are = "is" if len(names) == 1 else "are"
    others = " and others" * (len(names) > _MOST_NAMES)
    return f"; there {are} {', '.join(map(repr, shown_names))}{others}"


def _create(
    name: str, language: str | None, arguments: Mapping[str, Any]
) -> Operation[models.CollectionInfo]:
    if language is not None:
        term_vector("", language)  # refuses an unknown language
    try:
        yield client_call("create_collection", name, **arguments)
    except CollectionLockedError:  # we have waited long enough
        raise
    except Exception:
        # another program was faster, or the answer to our own first attempt was lost
        if (yield from get_info(name)) is None:
            raise
    return (yield client_call("get_collection", name))  # type: ignore[no-any-return]


def _searchable(
    collection: str, stored: Mapping[str, StoredVector], requested: Mapping[str, VectorSpec]
) -> tuple[str, ...]:
    searchable = []
    for name, spec in requested.items():
        if name in stored and not stored[name].incomplete:
            schema.check_vector(collection, stored[name], spec)
            searchable.append(name)
    if not searchable:
        raise CollectionMismatchError(
            f"Collection {collection!r} has none of the vectors {list(requested)}; it has"
            f" {list(stored) or 'none'}. Say which is which with vector_names=."
        )
    words = stored.get(LEXICAL)
    if words is not None and words.sparse and words.language and not words.incomplete:
        searchable.append(LEXICAL)
    return tuple(searchable)


def has_tenants(name: str, info: models.CollectionInfo, local_mode: bool) -> Operation[bool]:
    """Tell whether passages of the collection belong to tenants."""
    # the payload index is made before a tenant's first passage; without it there are no tenants
    index = (info.payload_schema or {}).get(TENANT)
    if not local_mode and (index is None or not index.points):
        return False
    without = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    condition = models.Filter(must_not=[without])
    points, _ = yield scroll(name, condition, limit=1, payload=False)
    return bool(points)
