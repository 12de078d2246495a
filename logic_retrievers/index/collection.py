"""Description of a collection at opening: its vectors, and the payload keys of its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qdrant_client import models

from logic_retrievers.errors import MissingVectorError
from logic_retrievers.index import lexical
from logic_retrievers.index.point_format import (
    DEFAULT_KEYS,
    METADATA,
    QUARANTINED,
    PayloadKeys,
    to_passage,
)
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.types import Passage


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One named vector of a collection.

    Args:
        name: our name (``topical``).
        stored_name: name in the collection; "" for Qdrant's unnamed vector.
        dimension: None for a sparse vector.
        fingerprint: the encoder's; None where another store made the vector.
        incomplete: a back-fill began and did not end, so it cannot be searched yet.
    """

    name: str
    stored_name: str
    dimension: int | None
    fingerprint: str | None
    incomplete: bool = False

    @property
    def sparse(self) -> bool:
        return self.dimension is None

    @property
    def language(self) -> str | None:
        """Language of a lexical vector's stems; None for other vectors."""
        return lexical.language_of(self.fingerprint)


@dataclass(frozen=True, slots=True)
class Collection:
    """Everything that operations need to know about a collection, as it was at opening.

    Args:
        name: name of the collection.
        vectors: our name -> stored vector, for the vectors that we can read.
        searchable: our names of the vectors that may be searched.
        tenant: the tenant whose passages are read and written. With None all passages are read, and
            written passages belong to no tenant.
        all_tenants: whether passages of all tenants are read, so that none may be added.
        local_mode: qdrant-client is its own database, without payload indexes.
        prefixes: payload keys that hold metadata; "" for the top level.
        keys: payload keys of text and metadata in our layout.
        has_own_metadata: whether this package has described the collection in its metadata.
        missing_indexes: payload indexes to create before the first write.
        flags: payload keys that may hold a quarantine flag.
        filterable_flags: flags that a filter may use; strict mode wants an index.
        shows_quarantined: whether searches find quarantined passages too.
        limits: limits of its strict mode.
        language: language of the lexical vector's stems.
    """

    name: str
    vectors: Mapping[str, StoredVector]
    searchable: tuple[str, ...]
    tenant: str | None = None
    all_tenants: bool = False
    local_mode: bool = False
    prefixes: tuple[str, ...] = (METADATA,)
    keys: PayloadKeys = DEFAULT_KEYS
    has_own_metadata: bool = True
    missing_indexes: tuple[str, ...] = ()
    flags: tuple[str, ...] = (QUARANTINED,)
    filterable_flags: tuple[str, ...] = (QUARANTINED,)
    shows_quarantined: bool = False
    limits: StrictLimits = field(default_factory=StrictLimits)
    language: str = lexical.ENGLISH

    @property
    def hiding_flags(self) -> tuple[str, ...]:
        """Payload keys that hide a passage from retrieval where they are true."""
        return () if self.shows_quarantined else self.filterable_flags

    def passage(self, record: models.Record) -> Passage:
        return to_passage(record.id, record.payload, self.keys, self.flags)

    def vector(self, name: str) -> StoredVector:
        """Get a vector that can be searched.

        Raises:
            MissingVectorError: it is missing, or a back-fill of it has not ended.
        """
        if name in self.searchable:
            return self.vectors[name]
        have = ", ".join(self.searchable) or "none"
        why = "is still being back-filled" if str(name) in self.vectors else "is missing"
        raise MissingVectorError(
            f"The vector {name!r} {why} in collection {self.name!r} (it has: {have})."
            f" Run backfill([{name!r}]), or choose a policy that does without."
        )
