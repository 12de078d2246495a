"""A collection's named vectors and payload indexes: how they are made, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.encoders.query_encoder import QueryEncoder
from logic_retrievers.errors import (
    CollectionMismatchError,
    ConfigurationError,
    FingerprintMismatchError,
    shown,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.collection import Collection, StoredVector
from logic_retrievers.index.collection_metadata import new_metadata
from logic_retrievers.index.collection_options import CollectionOptions
from logic_retrievers.index.filters import metadata_paths
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.point_format import (
    ID,
    QUARANTINED,
    SOURCE,
    TENANT,
    PayloadKeys,
)
from logic_retrievers.index.requests import create_index

INT8 = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
)
Fields: TypeAlias = Mapping[str, tuple[models.PayloadSchemaType, Any]]
"""Field -> its type, and what a client is given: the type, or parameters of qdrant-client."""
KINDS = tuple(kind.value for kind in models.PayloadSchemaType)
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
    specs: Mapping[str, VectorSpec],
    language: str | None,
    keys: PayloadKeys,
    quantized: bool,
    options: CollectionOptions,
) -> dict[str, Any]:
    """The arguments of ``create_collection``, but for the name; without words where None."""
    vectors = {name: new_vector(spec) for name, spec in specs.items()}
    dense = {
        spec.name: models.VectorParams(size=spec.dimension, distance=models.Distance.COSINE)
        for spec in specs.values()
    }
    sparse = {}
    if language is not None:
        vectors[LEXICAL] = new_lexical_vector(language)
        sparse[LEXICAL] = models.SparseVectorParams(modifier=models.Modifier.IDF)
    return {
        "vectors_config": dense,
        "sparse_vectors_config": sparse or None,
        "metadata": new_metadata(vectors, (keys.metadata,), keys),
        **({"quantization_config": INT8} if quantized else {}),
        **options.creation_arguments(dense),
    }


def new_vector(spec: VectorSpec, incomplete: bool = False) -> StoredVector:
    """A dense vector as this package creates it."""
    return StoredVector(spec.name, spec.name, spec.dimension, spec.fingerprint, incomplete)


def new_lexical_vector(language: str, incomplete: bool = False) -> StoredVector:
    """The lexical vector as this package creates it."""
    return StoredVector(LEXICAL, LEXICAL, None, lexical.fingerprint(language), incomplete)


_SECOND = (
    "Use the encoder that made it; or open the collection with that one, and make a second"
    " collection with this one by reindex()."
)


def check_vector(collection: str, vector: StoredVector, spec: VectorSpec) -> None:
    """Compares a stored vector with the one that the encoder makes.

    Raises:
        CollectionMismatchError: the dimensions differ.
        FingerprintMismatchError: another encoder made the stored vectors.
    """
    if vector.dimension != spec.dimension:
        raise CollectionMismatchError(
            f"Vector {vector.stored_name!r} of collection {collection!r} has dimension"
            f" {vector.dimension}, the encoder's {spec.name!r} has {spec.dimension}. {_SECOND}"
        )
    if vector.fingerprint is not None and vector.fingerprint != spec.fingerprint:
        raise FingerprintMismatchError(
            f"Vector {spec.name!r} of collection {collection!r} was made by another encoder"
            f" than the one given here. {_SECOND} Or, for one better head, open with vectors="
            f" without {spec.name!r} and run backfill([{spec.name!r}])."
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
            f"The query encoder {query_encoder.source!r} was made for {card.head!r} vectors of"
            f" another encoder than the one that made {name!r} in collection"
            f" {collection.name!r}. Nothing was changed. Export it for the bundle"
            " that made this collection, or index into another one with the bundle that it was made"
            " for."
        )


def check_fields(fields: Mapping[str, Any] | None) -> Fields:
    """The fields that a user names, checked.

    Raises:
        ConfigurationError: a field that has no name, or a type that Qdrant does not have.
    """
    checked = {}
    for field, schema in (fields or {}).items():
        if not isinstance(field, str) or not field:
            raise ConfigurationError(
                f"indexed_fields= names fields of metadata, not {shown(field)}."
            )
        try:
            kind = models.PayloadSchemaType(getattr(schema, "type", schema))
        except ValueError:
            raise ConfigurationError(
                f"indexed_fields={{{field!r}: {shown(schema)}}}: a type is one of"
                f" {', '.join(KINDS)}, or parameters of qdrant-client such as KeywordIndexParams."
            ) from None
        checked[field] = (kind, schema if hasattr(schema, "type") else kind)
    return checked


def index_fields(
    name: str,
    info: models.CollectionInfo,
    prefixes: Sequence[str],
    fields: Fields,
) -> Operation[None]:
    """Makes the payload indexes that the collection does not have.

    Args:
        name: of the collection.
        info: as it is.
        prefixes: payload keys that hold metadata; a field is indexed under each.
        fields: see :func:`check_fields`.

    Raises:
        CollectionMismatchError: a field has an index of another type.
        AuthenticationError, ServerError: the key may not make one, or the server refuses.
    """
    existing = info.payload_schema or {}
    for field, (kind, schema) in fields.items():
        for path in metadata_paths(prefixes, field):
            found = existing.get(path)
            if found is None:
                yield create_index(name, path, schema)
            elif found.data_type != kind:
                raise CollectionMismatchError(
                    f"Collection {name!r} indexes {path!r} as {found.data_type.value}, not as"
                    f" {kind.value}. Name that type, or delete the index by the server's client."
                )
