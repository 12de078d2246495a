"""Payload indexes of the user's own metadata, as ``indexed_fields=`` names them at opening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, shown
from logic_retrievers.index.filters import metadata_path
from logic_retrievers.index.requests import create_index

Fields: TypeAlias = Mapping[str, tuple[models.PayloadSchemaType, Any]]
"""Field -> its type, and what a client is given: the type, or parameters of qdrant-client."""
KINDS = tuple(kind.value for kind in models.PayloadSchemaType)


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
        for path in (metadata_path(prefix, field) for prefix in prefixes):
            found = existing.get(path)
            if found is None:
                yield create_index(name, path, schema)
            elif found.data_type != kind:
                raise CollectionMismatchError(
                    f"Collection {name!r} indexes {path!r} as {found.data_type.value}, not as"
                    f" {kind.value}. Name that type, or delete the index by the server's client."
                )
