"""Make and check the named vectors, payload indexes and options of a collection."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from qdrant_client import QdrantClient, models

from logic_retrievers.checks import check_type
from logic_retrievers.effects import Operation
from logic_retrievers.encoders.base import Encoder, VectorSpec
from logic_retrievers.encoders.query_encoder import (
    QueryEncoderSource,
    read_query_encoder,
    with_query_encoder,
)
from logic_retrievers.errors import (
    CollectionMismatchError,
    ConfigurationError,
    FingerprintMismatchError,
    shown,
)
from logic_retrievers.index import lexical
from logic_retrievers.index.client_calls import create_index
from logic_retrievers.index.collection import Collection, StoredVector, by_stored_name, new_notes
from logic_retrievers.index.filters import metadata_paths
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.point_format import (
    ID,
    QUARANTINED,
    SOURCE,
    TENANT,
    WRITTEN,
    PayloadKeys,
)

INT8 = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
)
# field -> its type, and the client's argument (that type, or an object like KeywordIndexParams)
Fields: TypeAlias = Mapping[str, tuple[models.PayloadSchemaType, Any]]
# Vectors that are made only if the user names them. Each vector costs a third of the encoding, and
# only searches for contradictions use the contradiction vector.
ON_REQUEST = frozenset({"contradiction"})
# Ids, sources and times have indexes on disk, because these are large and no search reads them. In
# memory ids and sources took a third of the time of opening a collection of a million passages.
PAYLOAD_INDEXES: Mapping[
    str, models.KeywordIndexParams | models.BoolIndexParams | models.DatetimeIndexParams
] = {
    ID: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, on_disk=True),
    SOURCE: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, on_disk=True),
    TENANT: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    QUARANTINED: models.BoolIndexParams(type=models.BoolIndexType.BOOL),
    WRITTEN: models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, on_disk=True),
}
# Options of `collection_options` that a copy takes from the original.
_KEPT = (
    *("shard_number", "replication_factor", "write_consistency_factor", "on_disk_payload"),
    *("hnsw_config", "optimizers_config", "wal_config", "quantization_config"),
    "strict_mode_config",
)
_ARGUMENTS = inspect.signature(QdrantClient.create_collection).parameters
_OPTIONS = {"on_disk", *(models.CreateCollection.model_fields.keys() & _ARGUMENTS)} - {"metadata"}


def read_options(options: Mapping[str, Any] | None, *, embedded: bool = False) -> dict[str, Any]:
    """Check ``collection_options`` by qdrant-client's own model of a new collection.

    Return the arguments of ``create_collection``, and ``on_disk``.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if unknown := given.keys() - _OPTIONS:
        raise ConfigurationError(
            f"collection_options: unknown {shown(next(iter(unknown)))}. There are"
            f" {', '.join(sorted(_OPTIONS))}."
        )
    on_disk = given.pop("on_disk", None)
    check_type("collection_options: on_disk", on_disk, bool, type(None))
    try:
        # strict validation (True is not 1) takes dictionaries for nested models only in JSON
        written = to_json(given, fallback=repr)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"collection_options: cannot be JSON ({error}).") from error
    try:
        model = models.CreateCollection.model_validate_json(written, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"collection_options: {where!r}: {first['msg']}.") from error
    checked = {name: getattr(model, name) for name in given}
    if on_disk is not None:
        checked["on_disk"] = on_disk
    int8 = isinstance(checked.get("quantization_config"), models.ScalarQuantization)
    if embedded and (wrong := checked.keys() - ({"quantization_config"} if int8 else set())):
        raise ConfigurationError(
            f"collection_options: the embedded engine has no {', '.join(sorted(wrong))} (of"
            " quantization, int8 alone). Leave it out, or run a server (docker/compose.yml)."
        )
    return checked


def options_of(config: models.CollectionConfig) -> dict[str, Any]:
    """Get the ``collection_options`` that make a new collection like an existing one."""
    dense = by_stored_name(config.params.vectors).values()
    # the description of an embedded collection has only some of the fields
    found = {**dict(config.params), **dict(config)}
    found["optimizers_config"] = found.get("optimizer_config")
    options: dict[str, Any] = {"on_disk": all(params.on_disk for params in dense) or None}
    for name in _KEPT:
        value = found.get(name)
        if isinstance(value, BaseModel):  # requests and answers use different models
            value = value.model_dump(exclude_none=True)
        # over gRPC an unset number is 0
        options[name] = value if isinstance(value, bool) else value or None
    return options


def default_specs(specs: Mapping[str, VectorSpec]) -> dict[str, VectorSpec]:
    """Choose the vectors of a new collection if the user names none."""
    default = {name: spec for name, spec in specs.items() if name not in ON_REQUEST}
    return default or dict(specs)


def creation_arguments(
    specs: Mapping[str, VectorSpec],
    language: str | None,
    keys: PayloadKeys,
    quantized: bool,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Make the arguments of ``create_collection``; no language means no lexical vector."""
    on_disk = options.get("on_disk")
    vectors = {name: new_vector(spec) for name, spec in specs.items()}
    dense = {
        spec.name: models.VectorParams(
            size=spec.dimension, distance=models.Distance.COSINE, on_disk=on_disk
        )
        for spec in specs.values()
    }
    sparse = {}
    if language is not None:
        vectors[LEXICAL] = new_lexical_vector(language)
        sparse[LEXICAL] = models.SparseVectorParams(modifier=models.Modifier.IDF)
    return {
        "vectors_config": dense,
        "sparse_vectors_config": sparse or None,
        "metadata": new_notes(vectors, (keys.metadata,), keys).metadata,
        **({"quantization_config": INT8} if quantized else {}),
        **{name: value for name, value in options.items() if name != "on_disk"},
    }


def new_vector(spec: VectorSpec, incomplete: bool = False) -> StoredVector:
    """Describe a dense vector as this package creates it."""
    return StoredVector(spec.name, spec.name, spec.dimension, spec.fingerprint, incomplete)


def new_lexical_vector(language: str, incomplete: bool = False) -> StoredVector:
    """Describe the lexical vector as this package creates it."""
    return StoredVector(LEXICAL, LEXICAL, None, lexical.fingerprint(language), incomplete)


_SECOND = (
    "Use the encoder that made it; or open the collection with that one, and make a second"
    " collection with this one by reindex()."
)


def check_vector(collection: str, vector: StoredVector, spec: VectorSpec) -> None:
    """Refuse a stored vector with a different dimension or from a different encoder."""
    if vector.dimension != spec.dimension:
        raise CollectionMismatchError(
            f"Vector {vector.stored_name!r} of collection {collection!r} has dimension"
            f" {vector.dimension}, the encoder's {spec.name!r} has {spec.dimension}.",
            _SECOND,
        )
    if vector.fingerprint is not None and vector.fingerprint != spec.fingerprint:
        raise FingerprintMismatchError(
            f"Vector {spec.name!r} of collection {collection!r} was made by another encoder"
            " than the one given here.",
            f"{_SECOND} Or, for one better head, open with vectors= without {spec.name!r} and run"
            f" backfill([{spec.name!r}]).",
        )


def swap_query_encoder(
    collection: Collection, encoder: Encoder, source: QueryEncoderSource | None, head: str | None
) -> Encoder:
    """Replace an encoder's query encoder; see :meth:`PassageIndex.use_query_encoder`."""
    if source is None:
        if head is not None:
            collection.vector(head)  # refuses a misspelt head, which would change nothing
        return with_query_encoder(encoder, None, head)
    query_encoder, specs = read_query_encoder(source), encoder.specs
    card = query_encoder.card
    expected = card.document_fingerprint
    fitting = [name for name, spec in specs.items() if spec.fingerprint == expected] or [card.head]
    name = head or (card.head if card.head in fitting else fitting[0])
    if (collection.vector(name).fingerprint or specs[name].fingerprint) != expected:
        raise FingerprintMismatchError(
            f"The query encoder {query_encoder.source!r} was made for {card.head!r} vectors of"
            f" another encoder than the one that made {name!r} in collection"
            f" {collection.name!r}. Nothing was changed. Export it for the bundle that made this"
            " collection, or index into another one with the bundle that it was made for."
        )
    return with_query_encoder(encoder, query_encoder, head)


def check_fields(fields: Mapping[str, Any] | None) -> Fields:
    """Check ``indexed_fields``."""
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
                f" {', '.join(models.PayloadSchemaType)}, or parameters of qdrant-client such as"
                " KeywordIndexParams."
            ) from None
        checked[field] = (kind, schema if hasattr(schema, "type") else kind)
    return checked


def index_fields(
    name: str, info: models.CollectionInfo, prefixes: Sequence[str], fields: Fields
) -> Operation[None]:
    """Make the missing payload indexes of a collection, for each field under each prefix."""
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
