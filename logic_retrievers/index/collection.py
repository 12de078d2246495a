"""Description of a collection: its vectors and payload keys, and this package's notes on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError
from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionMismatchError, MissingVectorError
from logic_retrievers.index import lexical
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.point_format import (
    DEFAULT_KEYS,
    LOGIC,
    METADATA,
    QUARANTINED,
    PayloadKeys,
    to_passage,
)
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.types import Passage

FORMAT = 1
TOPICAL = "topical"


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One named vector of a collection."""

    name: str  # our name, such as topical
    stored_name: str  # its name in the collection; "" for Qdrant's unnamed vector
    dimension: int | None  # None for a sparse vector
    fingerprint: str | None  # the encoder's fingerprint; None if another store made the vector
    incomplete: bool = False  # still being back-filled, so it cannot be searched yet
    int8: bool = False  # an encoder that computes in int8 has made some of the vectors

    @property
    def sparse(self) -> bool:
        return self.dimension is None

    @property
    def language(self) -> str | None:
        """Language of a lexical vector's stems; None for other vectors."""
        return lexical.language_of(self.fingerprint)


class VectorNote(BaseModel):
    """Note on one vector in the metadata of a collection; see :class:`StoredVector`."""

    stored: str
    fingerprint: str | None = None
    filling: bool = False
    int8: bool = False


class Notes(BaseModel):
    """This package's notes in the metadata of a collection, under the key ``logic``."""

    format: int = FORMAT
    prefixes: tuple[str, ...]
    vectors: dict[str, VectorNote]
    keys: PayloadKeys = DEFAULT_KEYS
    flags: tuple[str, ...] = (QUARANTINED,)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata for ``create_collection`` and ``update_collection``."""
        usual = {"keys": DEFAULT_KEYS, "flags": (QUARANTINED,)}
        left_out = {name for name, value in usual.items() if getattr(self, name) == value}
        return {LOGIC: self.model_dump(mode="json", exclude=left_out)}


@dataclass(frozen=True, slots=True)
class Collection:
    """Everything that operations need to know about a collection, as of its opening."""

    name: str
    vectors: Mapping[str, StoredVector]  # our name -> stored vector
    searchable: tuple[str, ...]  # our names of the vectors that may be searched
    # Tenant whose passages are read and written. With None, all passages are read, and new passages
    # belong to no tenant.
    tenant: str | None = None
    all_tenants: bool = False  # passages of all tenants are read, and adding is refused
    local_mode: bool = False  # qdrant-client stores the data itself, without payload indexes
    prefixes: tuple[str, ...] = (METADATA,)  # payload keys of metadata; "" for the top level
    keys: PayloadKeys = DEFAULT_KEYS  # payload keys of text and metadata in our layout
    has_own_metadata: bool = True  # this package has described the collection in its metadata
    missing_indexes: tuple[str, ...] = ()  # payload indexes to create before the first write
    flags: tuple[str, ...] = (QUARANTINED,)  # payload keys that may hold a quarantine flag
    # Flags that a filter may use. Strict mode may forbid filters by a key without an index.
    filterable_flags: tuple[str, ...] = (QUARANTINED,)
    shows_quarantined: bool = False  # searches find quarantined passages too
    limits: StrictLimits = field(default_factory=StrictLimits)
    language: str = lexical.ENGLISH  # language of the lexical vector's stems

    @property
    def hiding_flags(self) -> tuple[str, ...]:
        """Payload keys that hide a passage from retrieval where they are true."""
        return () if self.shows_quarantined else self.filterable_flags

    def condition(self, user: UserFilter) -> models.Filter | None:
        """Make the filter for the tenant's passages that meet the user's filter."""
        return to_qdrant_filter(user, tenant=self.tenant, prefixes=self.prefixes)

    def passage(self, record: models.Record) -> Passage:
        return to_passage(record.id, record.payload, self.keys, self.flags)

    def notes(self, changed: Mapping[str, StoredVector]) -> Notes:
        """Make the notes after some vectors have changed or been added."""
        known = self.vectors if self.has_own_metadata else self.searchable
        vectors = {name: self.vectors[name] for name in known} | dict(changed)
        return new_notes(vectors, self.prefixes, self.keys, self.flags)

    def vector(self, name: str) -> StoredVector:
        """Get a vector that can be searched.

        Raises:
            MissingVectorError: the vector is missing, or is still being back-filled.
        """
        if name in self.searchable:
            return self.vectors[name]
        have = ", ".join(self.searchable) or "none"
        why = "is still being back-filled" if str(name) in self.vectors else "is missing"
        raise MissingVectorError(
            f"The vector {name!r} {why} in collection {self.name!r} (it has: {have}).",
            f"Run backfill([{name!r}]), or choose a policy that does without.",
            names=[name],
        )


def new_notes(
    vectors: Mapping[str, StoredVector],
    prefixes: Sequence[str],
    keys: PayloadKeys,
    flags: Sequence[str] = (QUARANTINED,),
) -> Notes:
    """Make the notes of a collection with these vectors and payload keys."""
    noted = {
        each.name: VectorNote(
            stored=each.stored_name,
            fingerprint=each.fingerprint,
            filling=each.incomplete,
            int8=each.int8,
        )
        for each in vectors.values()
    }
    return Notes(prefixes=tuple(prefixes), vectors=noted, keys=keys, flags=tuple(flags))


def read_notes(name: str, info: models.CollectionInfo) -> Notes | None:
    """Read this package's notes in a collection's metadata; None if another store made it."""
    noted = (info.config.metadata or {}).get(LOGIC)
    if not noted:
        return None
    if isinstance(noted, Mapping) and noted.get("format") != FORMAT:
        raise CollectionMismatchError(
            f"Collection {name!r} has format {noted.get('format')!r}; this version reads {FORMAT}."
            " Install a newer logic-retrievers, or index into another collection."
        )
    try:
        return Notes.model_validate(noted)
    except ValidationError as error:
        raise CollectionMismatchError(
            f"The metadata of collection {name!r} are damaged: another program changed what this"
            " package notes in them. Index into another collection."
        ) from error


def read_vectors(
    name: str, info: models.CollectionInfo, vector_names: Mapping[str, str] | None
) -> dict[str, StoredVector]:
    """Read the vectors of a collection under our names.

    ``vector_names``: our name of a vector -> the collection's name, where they differ.
    """
    params = info.config.params
    dense = by_stored_name(params.vectors)
    sparse = params.sparse_vectors or {}
    notes = read_notes(name, info)
    entries = notes.vectors if notes else {}
    stored_names = {our_name: entry.stored for our_name, entry in entries.items()}
    if not entries:
        stored_names = {name: name for name in [*dense, *sparse] if name}
        if TOPICAL not in stored_names and len(dense) == 1:
            stored_names[TOPICAL] = next(iter(dense))
    stored_names.update(vector_names or {})
    vectors = {}
    for our_name, stored_name in stored_names.items():
        if stored_name not in dense and stored_name not in sparse:
            raise CollectionMismatchError(
                f"Collection {name!r} has no vector {stored_name!r} for {our_name!r}; it has"
                f" {[*dense, *sparse]}. Correct vector_names=."
            )
        entry = entries.get(our_name) or VectorNote(stored=stored_name)
        dimension = dense[stored_name].size if stored_name in dense else None
        if dimension is not None and our_name in {TOPICAL, *entries, *(vector_names or {})}:
            params = dense[stored_name]
            if params.distance != models.Distance.COSINE or params.multivector_config is not None:
                raise CollectionMismatchError(
                    f"Vector {our_name!r} of collection {name!r} uses {params.distance}"
                    f"{' multivectors' if params.multivector_config else ''}; scores here are"
                    " cosines. Index into another collection."
                )
        vectors[our_name] = StoredVector(
            our_name, stored_name, dimension, entry.fingerprint, entry.filling, entry.int8
        )
    return vectors


def by_stored_name(vectors: Any) -> dict[str, Any]:
    """Map stored names to vectors or parameters; Qdrant gives an unnamed vector without a map."""
    if vectors is None:
        return {}
    return dict(vectors) if isinstance(vectors, Mapping) else {"": vectors}


def note(collection: Collection, key: str, value: Any) -> Operation[None]:
    """Note a value in the collection's metadata; copies of the collection do not get it."""
    metadata = {f"{LOGIC}_{key}": value}
    yield client_call("update_collection", collection.name, metadata=metadata)


def noted(collection: Collection, key: str) -> Operation[Any]:
    """Read the value that :func:`note` stored, or None."""
    info = yield client_call("get_collection", collection.name)
    return (info.config.metadata or {}).get(f"{LOGIC}_{key}")
