"""A collection's named vectors and metadata: how they are created, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.encoders.query_encoder import QueryEncoder
from logic_retrievers.errors import (
    CollectionMismatchError,
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.point_format import (
    DEFAULT_KEYS,
    ID,
    LOGIC,
    METADATA,
    QUARANTINED,
    SOURCE,
    TENANT,
    PayloadKeys,
    to_passage,
)
from logic_retrievers.settings import check_type
from logic_retrievers.types import Passage

FORMAT = 1
INT8 = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
)
TOPICAL = "topical"
ON_REQUEST = frozenset({"contradiction"})
"""Vectors that are made only where they are named: each costs a third of the encoding, and only
searches for contradictions use this one."""

PAYLOAD_INDEXES: Mapping[str, models.KeywordIndexParams | models.BoolIndexParams] = {
    ID: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, on_disk=True),
    SOURCE: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, on_disk=True),
    TENANT: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    QUARANTINED: models.BoolIndexParams(type=models.BoolIndexType.BOOL),
}
"""Those on disk have a value for every passage, and no search reads them: held in memory, they
took a third of the time in which a collection of a million is opened."""


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
        local_mode: qdrant-client is its own database: no payload index, no search parameters.
        allows_exact: False where strict mode is known to forbid exact searches.
        prefixes: payload keys under which metadata lies; "" for the top level.
        keys: payload keys of text and metadata in our layout.
        has_own_metadata: whether this package has described the collection in its metadata.
        missing_indexes: payload indexes to create before the first write.
        flags: payload keys that may hold a quarantine flag.
        filterable_flags: those of the flags that a filter may use; strict mode wants an index.
        shows_quarantined: search quarantined passages too.
    """

    name: str
    vectors: Mapping[str, StoredVector]
    searchable: tuple[str, ...]
    tenant: str | None = None
    local_mode: bool = False
    allows_exact: bool = True
    prefixes: tuple[str, ...] = (METADATA,)
    keys: PayloadKeys = DEFAULT_KEYS
    has_own_metadata: bool = True
    missing_indexes: tuple[str, ...] = ()
    flags: tuple[str, ...] = (QUARANTINED,)
    filterable_flags: tuple[str, ...] = (QUARANTINED,)
    shows_quarantined: bool = False

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


def requested_specs(
    specs: Mapping[str, VectorSpec], names: Sequence[str] | None
) -> dict[str, VectorSpec]:
    """The encoder's vectors that the user names; all of them by default.

    Raises:
        ConfigurationError: a name that the encoder does not make, or none at all.
    """
    chosen = list(specs if names is None else names)
    unknown = [name for name in chosen if not isinstance(name, str) or name not in specs]
    if unknown or not chosen:
        raise ConfigurationError(
            f"The encoder makes {sorted(specs)}, not {unknown or 'nothing'}. Choose vectors= from"
            " these, or pass another encoder."
        )
    return {name: specs[name] for name in chosen}


def default_specs(specs: Mapping[str, VectorSpec]) -> dict[str, VectorSpec]:
    """The encoder's vectors that a new collection gets where the user names none."""
    default = {name: spec for name, spec in specs.items() if name not in ON_REQUEST}
    return default or dict(specs)


def creation_arguments(
    specs: Mapping[str, VectorSpec], language: str | None, keys: PayloadKeys, quantized: bool
) -> dict[str, Any]:
    """The arguments of ``create_collection``, but for the name; without words where None."""
    vectors = {name: new_vector(spec) for name, spec in specs.items()}
    if language is not None:
        vectors[LEXICAL] = new_lexical_vector(language)
    dense, sparse = vector_params(vectors)
    return {
        "vectors_config": dense,
        "sparse_vectors_config": sparse or None,
        "quantization_config": INT8 if quantized else None,
        "metadata": _metadata(vectors, (keys.metadata,), keys),
    }


def new_vector(spec: VectorSpec, incomplete: bool = False) -> StoredVector:
    """A dense vector as this package creates it."""
    return StoredVector(spec.name, spec.name, spec.dimension, spec.fingerprint, incomplete)


def new_lexical_vector(language: str, incomplete: bool = False) -> StoredVector:
    """The lexical vector as this package creates it."""
    return StoredVector(LEXICAL, LEXICAL, None, lexical.fingerprint(language), incomplete)


def vector_params(
    vectors: Mapping[str, StoredVector],
) -> tuple[dict[str, models.VectorParams], dict[str, models.SparseVectorParams]]:
    """Qdrant's parameters of the dense and of the sparse vectors, under their stored names."""
    dense = {
        vector.stored_name: models.VectorParams(
            size=vector.dimension, distance=models.Distance.COSINE
        )
        for vector in vectors.values()
        if vector.dimension is not None
    }
    sparse = {
        vector.stored_name: models.SparseVectorParams(modifier=models.Modifier.IDF)
        for vector in vectors.values()
        if vector.sparse
    }
    return dense, sparse


def updated_metadata(collection: Collection, changed: Mapping[str, StoredVector]) -> dict[str, Any]:
    """A collection's metadata once some of its vectors have changed or been added."""
    known = (
        collection.vectors
        if collection.has_own_metadata
        else {name: collection.vectors[name] for name in collection.searchable}
    )
    return _metadata({**known, **changed}, collection.prefixes, collection.keys, collection.flags)


def _metadata(
    vectors: Mapping[str, StoredVector],
    prefixes: Sequence[str],
    keys: PayloadKeys,
    flags: Sequence[str] = (QUARANTINED,),
) -> dict[str, Any]:
    entries = {
        vector.name: {
            "stored": vector.stored_name,
            "fingerprint": vector.fingerprint,
            "filling": vector.incomplete,
        }
        for vector in vectors.values()
    }
    metadata: dict[str, Any] = {"format": FORMAT, "prefixes": list(prefixes), "vectors": entries}
    if keys != DEFAULT_KEYS:
        metadata["keys"] = list(keys)
    if list(flags) != [QUARANTINED]:  # points of another store keep their flags where they are
        metadata["flags"] = list(flags)
    return {LOGIC: metadata}


def read_vectors(
    name: str, info: models.CollectionInfo, vector_names: Mapping[str, str] | None
) -> dict[str, StoredVector]:
    """The vectors of a collection under our names.

    Args:
        name: of the collection, for messages.
        info: Qdrant's description of it.
        vector_names: our name -> the collection's name of it, where they differ.

    Raises:
        CollectionMismatchError: a newer format, another distance, or a name that does not exist.
    """
    params = info.config.params
    dense = by_stored_name(params.vectors)
    sparse = params.sparse_vectors or {}
    metadata = own_metadata(info)
    if metadata and metadata.get("format") != FORMAT:
        raise CollectionMismatchError(
            f"Collection {name!r} has format {metadata.get('format')!r}; this version reads"
            f" {FORMAT}. Install a newer logic-retrievers, or index anew into another collection."
        )
    entries: Mapping[str, Any] = metadata.get("vectors", {})
    stored_names = {our_name: entry["stored"] for our_name, entry in entries.items()}
    if not entries:
        stored_names = {
            stored_name: stored_name for stored_name in [*dense, *sparse] if stored_name
        }
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
        entry = entries.get(our_name, {})
        dimension = dense[stored_name].size if stored_name in dense else None
        if dimension is not None and our_name in {TOPICAL, *entries, *(vector_names or {})}:
            _check_distance(name, our_name, dense[stored_name])
        vectors[our_name] = StoredVector(
            our_name, stored_name, dimension, entry.get("fingerprint"), entry.get("filling", False)
        )
    return vectors


def own_metadata(info: models.CollectionInfo) -> Mapping[str, Any]:
    """What this package wrote into a collection's metadata; empty where another store made it.

    Raises:
        CollectionMismatchError: another program changed it.
    """
    metadata = (info.config.metadata or {}).get(LOGIC) or {}
    if not metadata or (isinstance(metadata, Mapping) and metadata.get("format") != FORMAT):
        return metadata
    try:
        keys = list(metadata.get("keys", DEFAULT_KEYS))
        entries = metadata["vectors"].values()
        texts = [entry["stored"] for entry in entries]
        texts += [noted for entry in entries if (noted := entry.get("fingerprint")) is not None]
        texts += [*keys, *metadata["prefixes"], *metadata.get("flags", ())]
        whole = all(isinstance(text, str) for text in texts) and len(keys) == len(DEFAULT_KEYS)
    except (AttributeError, KeyError, TypeError):
        whole = False
    if not whole:
        raise CollectionMismatchError(
            "The metadata of the collection are damaged: another program changed what this package"
            " notes in them. Index into another collection."
        )
    return metadata


def check_vector(collection: str, vector: StoredVector, spec: VectorSpec) -> None:
    """Compares a stored vector with the one that the encoder makes.

    Raises:
        CollectionMismatchError: the dimensions differ.
        FingerprintMismatchError: another encoder made the stored vectors.
    """
    if vector.dimension != spec.dimension:
        raise CollectionMismatchError(
            f"Vector {vector.stored_name!r} of collection {collection!r} has dimension"
            f" {vector.dimension}, the encoder's {spec.name!r} has {spec.dimension}. Use the"
            " encoder that made it, or index into another collection."
        )
    if vector.fingerprint is not None and vector.fingerprint != spec.fingerprint:
        raise FingerprintMismatchError(
            f"Vector {spec.name!r} of collection {collection!r} was made by another encoder"
            f" (fingerprint {vector.fingerprint}, yours {spec.fingerprint}). Use that encoder; or"
            f" open with vectors= without {spec.name!r} and run backfill([{spec.name!r}]); or index"
            " into another collection."
        )


def check_query_encoder(
    collection: Collection,
    query_encoder: QueryEncoder,
    specs: Mapping[str, VectorSpec],
    head: str | None,
) -> None:
    """Compares the document vectors that a query encoder was made for with the stored ones.

    Raises:
        FingerprintMismatchError: it was made for others.
        MissingVectorError: the collection does not have the vector.
    """
    card = query_encoder.card
    expected = card.document_fingerprint
    fitting = [name for name, spec in specs.items() if spec.fingerprint == expected] or [card.head]
    name = head or (card.head if card.head in fitting else fitting[0])
    stored = collection.vector(name).fingerprint or specs[name].fingerprint
    if stored != expected:
        raise FingerprintMismatchError(
            f"The query encoder {query_encoder.source!r} was made for {card.head!r} vectors of the"
            f" fingerprint {expected}; those of {name!r} in collection"
            f" {collection.name!r} have {stored}. Nothing was changed. Export it for the bundle"
            " that made this collection, or index into another one with the bundle that it was made"
            " for."
        )


def by_stored_name(vectors: Any) -> dict[str, Any]:
    """Vectors, or their parameters, by stored name; Qdrant gives a lone unnamed one bare."""
    if vectors is None:
        return {}
    return dict(vectors) if isinstance(vectors, Mapping) else {"": vectors}


def _check_distance(collection: str, name: str, params: models.VectorParams) -> None:
    if params.distance != models.Distance.COSINE or params.multivector_config is not None:
        raise CollectionMismatchError(
            f"Vector {name!r} of collection {collection!r} uses {params.distance}"
            f"{' multivectors' if params.multivector_config else ''}; scores here are cosines."
            " Index into another collection."
        )
