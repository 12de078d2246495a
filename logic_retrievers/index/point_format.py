"""A passage as a Qdrant point: its id, its content hash and its payload.

A payload has one of three layouts, and each point shows which. langchain-qdrant uses the keys
``page_content`` and ``metadata``. Ours has the same keys, so that langchain-qdrant reads our
points, and keeps everything else under ``logic``. LlamaIndex keeps a node as JSON under
``_node_content``, and the node's metadata at the top level.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from qdrant_client import models

from logic_retrievers.errors import CollectionMismatchError, InputError, shown
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_types

NAMESPACE = UUID("6d0c7b4e-3f5a-5b1d-9a53-0d6f3f6a9c21")
TEXT = "page_content"
METADATA = "metadata"
LOGIC = "logic"
HASH = f"{LOGIC}.hash"
ID = f"{LOGIC}.id"
SOURCE = f"{LOGIC}.source"
TENANT = f"{LOGIC}.tenant"
# When the passage was stored or last changed, in UTC. No part of the content hash, so that storing
# an unchanged passage again changes nothing. Points of other stores and earlier versions lack it.
WRITTEN = f"{LOGIC}.written"
# True if a passage is hidden from retrieval. Stores of frameworks keep the flag in their metadata,
# as ``metadata.logic.quarantined``.
QUARANTINED = f"{LOGIC}.quarantined"
NODE = "_node_content"
# The document of a LlamaIndex node.
REF_DOC_ID = "ref_doc_id"
# Parts of a LlamaIndex node that ``Passage.extra`` leaves out.
FIELDS_OF_PASSAGE = frozenset(
    {"text", "text_resource", "metadata", "embedding", "id_", "class_name"}
)


class PayloadKeys(NamedTuple):
    """Payload keys of text and metadata; with the metadata key "" they are one flat object."""

    text: str = TEXT
    metadata: str = METADATA


DEFAULT_KEYS = PayloadKeys()


def point_id(passage_id: str, tenant: str | None = None) -> str:
    """Make the UUIDv5 of a passage's point; two tenants never share a point."""
    return str(uuid5(NAMESPACE, json.dumps([tenant, passage_id], ensure_ascii=True)))


def possible_point_ids(passage_id: str, tenant: str | None = None) -> list[models.ExtendedPointId]:
    """List the point ids that a passage may have: ours, and its own id as other stores use it."""
    point_ids: list[models.ExtendedPointId] = [point_id(passage_id, tenant)]
    if passage_id.isascii() and passage_id.isdecimal():
        if len(passage_id) <= 20 and int(passage_id) < 2**64:  # the range of Qdrant's ids
            point_ids.append(int(passage_id))
    else:
        with suppress(ValueError):
            point_ids.append(str(UUID(passage_id)))
    return point_ids


def native_point_id(point: str) -> str | int:
    """Convert a point id of a candidate pool, which is a string, to Qdrant's type."""
    return int(point) if point.isdecimal() else point


def content_hash(passage: Passage, fingerprints: Iterable[tuple[str, str]]) -> str:
    """Make the sha256 of everything that decides the stored point.

    ``fingerprints``: (vector name, fingerprint) of the vectors that are stored.
    """
    content: dict[str, Any] = {
        "text": passage.text,
        "metadata": dict(passage.metadata),
        "source": passage.source,
        "span": passage.span,
        "vectors": sorted(fingerprints),
    }
    if passage.embed_text is not None:
        content["embed_text"] = passage.embed_text
    if passage.extra:
        content["extra"] = dict(passage.extra)
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def to_payload(
    passage: Passage,
    digest: str,
    tenant: str | None,
    keys: PayloadKeys = DEFAULT_KEYS,
    written: str | None = None,
) -> dict[str, Any]:
    """Make the payload of a passage in our layout, without keys that have no value."""
    logic = {
        "id": passage.id,
        "hash": digest,
        "source": passage.source,
        "span": None if passage.span is None else list(passage.span),
        "tenant": tenant,
        "written": written,
        "embed_text": passage.embed_text,
        "extra": dict(passage.extra) or None,
        "quarantined": passage.quarantined or None,
    }
    given = {key: value for key, value in logic.items() if value is not None}
    if keys.metadata:
        return {keys.text: passage.text, keys.metadata: dict(passage.metadata), LOGIC: given}
    if taken := {keys.text, LOGIC, NODE} & passage.metadata.keys():
        raise InputError(
            f"Passage {shown(passage.id)} has a metadata field {min(taken)!r}, and the collection"
            " keeps something else under that key. Rename the field."
        )
    return {**passage.metadata, keys.text: passage.text, LOGIC: given}


def to_passage(
    point: models.ExtendedPointId,
    payload: Mapping[str, Any] | None,
    keys: PayloadKeys = DEFAULT_KEYS,
    flags: Sequence[str] = (QUARANTINED,),
) -> Passage:
    """Read the passage in a point's payload, in any of the three layouts.

    ``flags``: payload keys that may hold a quarantine flag.
    """
    payload = payload or {}
    try:
        if NODE in payload:
            fields = _fields_of_node(point, payload)
        else:
            logic = _logic(payload)
            fields = {
                "id": logic.get("id", str(point)),
                "text": payload.get(keys.text),
                "metadata": _metadata(payload, keys),
                "source": logic.get("source"),
                "span": None if (span := logic.get("span")) is None else tuple(span),
                "embed_text": logic.get("embed_text"),
                "extra": logic.get("extra") or {},
            }
        if not isinstance(fields["text"], str):
            raise CollectionMismatchError(
                f"Point {point} has no text under {keys.text!r} or {NODE!r}: it was not written by"
                " this package, langchain-qdrant or LlamaIndex with these payload keys. Say where"
                " text and metadata lie with text_key= and metadata_key=."
            )
        passage = Passage(**fields, quarantined=is_quarantined(payload, flags))
        check_types(passage)
    except (InputError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise CollectionMismatchError(
            f"The payload of point {point} is damaged: another program wrote to it. Index the"
            " passage again, or delete the point."
        ) from error
    return passage


def stored_tenant(payload: Mapping[str, Any] | None) -> str | None:
    """Read the tenant of a point."""
    return _logic(payload).get("tenant")


def stored_hash(payload: Mapping[str, Any] | None) -> str | None:
    """Read the content hash of a point; None if another store wrote the point."""
    return _logic(payload).get("hash")


def quarantine_keys(metadata_prefixes: Sequence[str]) -> tuple[str, ...]:
    """List the payload keys that may hold a quarantine flag: ours, and its path in metadata."""
    return (QUARANTINED, *(f"{prefix}.{QUARANTINED}" for prefix in metadata_prefixes if prefix))


def is_quarantined(
    payload: Mapping[str, Any] | None, flags: Sequence[str] = (QUARANTINED,)
) -> bool:
    """Tell whether a point is hidden from retrieval."""
    for path in flags:
        value: Any = payload
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is True:
            return True
    return False


def _metadata(payload: Mapping[str, Any], keys: PayloadKeys) -> Any:
    if keys.metadata:
        return payload.get(keys.metadata) or {}
    return {key: value for key, value in payload.items() if key not in (keys.text, LOGIC)}


def rewritten_node(
    payload: Mapping[str, Any], key: str, wanted: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a LlamaIndex node with one metadata field replaced by ``wanted``; else nothing.

    LlamaIndex filters by the metadata at the top level, and reads those of the node.
    """
    if NODE not in payload:
        return {}
    node = json.loads(payload[NODE])
    metadata = node.get("metadata") or {}
    if wanted:
        metadata = {**metadata, **wanted}
    else:
        metadata = {name: value for name, value in metadata.items() if name != key}
    return {NODE: json.dumps({**node, "metadata": metadata})}


def _logic(payload: Mapping[str, Any] | None) -> Mapping[str, Any]:
    logic = (payload or {}).get(LOGIC)
    return logic if isinstance(logic, Mapping) else {}


def _fields_of_node(point: models.ExtendedPointId, payload: Mapping[str, Any]) -> dict[str, Any]:
    node = json.loads(payload[NODE])
    resource = node.get("text_resource") or {}
    text = node.get("text") or resource.get("text") or payload.get("text") or ""
    source = payload.get(REF_DOC_ID)
    start, end = node.get("start_char_idx"), node.get("end_char_idx")
    return {
        "id": str(node.get("id_", point)),
        "text": text,
        "metadata": node.get("metadata") or {},
        "source": None if source in (None, "None") else source,
        "span": None if start is None or end is None else (start, end),
        "extra": {
            "node": {key: value for key, value in node.items() if key not in FIELDS_OF_PASSAGE},
            "node_type": payload.get("_node_type") or node.get("class_name") or "TextNode",
        },
    }
