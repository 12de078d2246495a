"""A collection as it was at opening: its vectors, and where its points keep what."""

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
from logic_retrievers.settings import check_type
from logic_retrievers.types import Passage


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One named vector of a collection.

    Args:
        name: our name of it (``topical``).
        stored_name: its name in the collection; "" for Qdrant's unnamed vector.
        dimension: None for a sparse vector.
        fingerprint: of the encoder that made it; None: unknown, another store made it.
        incomplete: a back-fill began and did not end; not to be searched yet.
    """

    name: str
    stored_name: str
    dimension: int | None
    fingerprint: str | None
    incomplete: bool = False

    @property
    def sparse(self) -> bool:
        """Whether this is the lexical vector."""
        return self.dimension is None

    @property
    def language(self) -> str | None:
        """Of a lexical vector of this package's: the language of its stems."""
        return lexical.language_of(self.fingerprint)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as it was at opening: all that operations need to know about it.

    Args:
        name: of the collection.
        vectors: our name -> stored vector, for those that we can read.
        searchable: our names of the vectors that may be searched.
        tenant: whose passages are read and written; None: all passages are read, and those that are
            written belong to no tenant.
        all_tenants: whether passages of all tenants are read, so that none may be added.
        local_mode: qdrant-client is its own database: no payload index, no search parameters.
        prefixes: payload keys under which metadata lies; "" for the top level.
        keys: payload keys of text and metadata in our layout.
        has_own_metadata: whether this package has described the collection in its metadata.
        missing_indexes: payload indexes to create before the first write.
        flags: payload keys that may hold a quarantine flag.
        filterable_flags: those of the flags that a filter may use; strict mode wants an index.
        shows_quarantined: search quarantined passages too.
        limits: of its strict mode.
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

    @property
    def language(self) -> str:
        """Language of the lexical vector's stems."""
        words = self.vectors.get(lexical.NAME)
        return (words and words.language) or lexical.ENGLISH

    @property
    def hiding_flags(self) -> tuple[str, ...]:
        """Payload keys that hide a passage from retrieval where they are true."""
        return () if self.shows_quarantined else self.filterable_flags

    def passage(self, record: models.Record) -> Passage:
        """The passage of a point; see :func:`point_format.to_passage`."""
        return to_passage(record.id, record.payload, self.keys, self.flags)

    def vector(self, name: str) -> StoredVector:
        """The stored vector of that name.

        Raises:
            MissingVectorError: it is missing, or a back-fill of it has not ended.
        """
        check_type("the name of a vector", name, str)
        if name in self.searchable:
            return self.vectors[name]
        have = ", ".join(self.searchable) or "none"
        why = "is still being back-filled" if name in self.vectors else "is missing"
        raise MissingVectorError(
            f"The vector {name!r} {why} in collection {self.name!r} (it has: {have})."
            f" Run backfill([{name!r}]), or choose a policy that does without."
        )
