"""A collection as it was at opening: its vectors, and where its points keep what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
class StrictLimits:
    """What strict mode allows in one request, by Qdrant's names; None: there is no limit.

    Args:
        max_query_limit: results of a search, points of a page.
        search_max_batchsize: searches of a batch.
        upsert_max_batchsize: points of a write.
        condition_max_size: ids or values of a condition.
        search_allow_exact: whether searches and counts may be exact.
        unindexed_filtering_retrieve: whether filters may name keys without a payload index.
    """

    max_query_limit: int | None = None
    search_max_batchsize: int | None = None
    upsert_max_batchsize: int | None = None
    condition_max_size: int | None = None
    search_allow_exact: bool | None = None
    unindexed_filtering_retrieve: bool | None = None

    def results(self, wanted: int) -> int:
        """As many of the wanted results as one search or page may give."""
        return min(wanted, self.max_query_limit or wanted)

    def ids(self, wanted: int) -> int:
        """As many of the wanted ids or values as one condition may have."""
        return min(wanted, self.condition_max_size or wanted)

    @property
    def exact(self) -> bool:
        """Whether searches and counts are to be exact."""
        return self.search_allow_exact is not False

    @classmethod
    def read(cls, strict: models.StrictModeConfigOutput | None) -> StrictLimits:
        """The limits of a collection's configuration."""
        if strict is None or not strict.enabled:
            return cls()
        return cls(**{name: getattr(strict, name) for name in cls.__dataclass_fields__})


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
    limits: StrictLimits = StrictLimits()

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
