"""How a passage lies in a point's payload, in our layout and in those of two frameworks.

Ours keeps langchain-qdrant's keys (``page_content``, ``metadata``), so that its store reads what we
wrote, and puts everything of its own under ``logic``. LlamaIndex keeps a node as JSON under
``_node_content`` and its metadata at the top level. The layout is recognised point by point.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from qdrant_client import models

from logic_retrievers.errors import CollectionMismatchError
from logic_retrievers.types import Passage

TEXT = "page_content"
METADATA = "metadata"
LOGIC = "logic"
HASH = f"{LOGIC}.hash"
ID = f"{LOGIC}.id"
SOURCE = f"{LOGIC}.source"
TENANT = f"{LOGIC}.tenant"
QUARANTINED = f"{LOGIC}.quarantined"
"""True where a passage is hidden from retrieval. Stores of frameworks that keep metadata at the top
level (LlamaIndex) or under a key (langchain-qdrant) have it at the same path from there."""
NODE = "_node_content"
ELSEWHERE = frozenset({"text", "text_resource", "metadata", "embedding", "id_", "class_name"})
"""Parts of a node that a passage has a field for, or that are not the node's own."""


class Keys(NamedTuple):
    """Where text and metadata lie; a store of langchain-qdrant may have been told others."""

    text: str = TEXT
    metadata: str = METADATA


USUAL = Keys()


def to_payload(
    passage: Passage, digest: str, tenant: str | None, keys: Keys = USUAL
) -> dict[str, Any]:
    """The payload of our layout; keys without a value are left out."""
    logic: dict[str, Any] = {"id": passage.id, "hash": digest}
    if passage.source is not None:
        logic["source"] = passage.source
    if passage.span is not None:
        logic["span"] = list(passage.span)
    if tenant is not None:
        logic["tenant"] = tenant
    if passage.embed_text is not None:
        logic["embed_text"] = passage.embed_text
    if passage.extra:
        logic["extra"] = dict(passage.extra)
    if passage.quarantined:
        logic["quarantined"] = True
    return {keys.text: passage.text, keys.metadata: dict(passage.metadata), LOGIC: logic}


def to_passage(
    point_id: models.ExtendedPointId, payload: Mapping[str, Any] | None, keys: Keys = USUAL
) -> Passage:
    """The passage in a point of any of the three layouts.

    Raises:
        CollectionMismatchError: the payload has no text where one of the layouts keeps it.
    """
    payload = payload or {}
    if NODE in payload:
        return _from_node(point_id, payload)
    text = payload.get(keys.text)
    if not isinstance(text, str):
        raise CollectionMismatchError(
            f"Point {point_id} has no text under {keys.text!r} or {NODE!r}: it was not written by"
            " this package, langchain-qdrant or LlamaIndex with these payload keys. Say where text"
            " and metadata lie with text_key= and metadata_key=."
        )
    logic = _logic(payload)
    span = logic.get("span")
    return Passage(
        id=logic.get("id", str(point_id)),
        text=text,
        metadata=payload.get(keys.metadata) or {},
        source=logic.get("source"),
        span=None if span is None else (span[0], span[1]),
        embed_text=logic.get("embed_text"),
        extra=logic.get("extra") or {},
        quarantined=is_quarantined(payload, (keys.metadata,)),
    )


def tenant_of(payload: Mapping[str, Any] | None) -> str | None:
    """The tenant that a point belongs to."""
    return _logic(payload).get("tenant")


def source_of(payload: Mapping[str, Any] | None) -> str | None:
    """The source that a point was cut from, as this package notes it."""
    return _logic(payload).get("source")


def hash_of(payload: Mapping[str, Any] | None) -> str | None:
    """The content hash that a point was written with; None where another store wrote it."""
    return _logic(payload).get("hash")


def quarantine_keys(prefixes: Sequence[str]) -> tuple[str, ...]:
    """The payload keys of a flag: ours, and where a framework's store leaves metadata."""
    return tuple(
        dict.fromkeys([QUARANTINED, *(f"{prefix}.{QUARANTINED}" for prefix in prefixes if prefix)])
    )


def is_quarantined(payload: Mapping[str, Any] | None, prefixes: Sequence[str] = ()) -> bool:
    """Whether a point is hidden from retrieval."""
    places: list[Any] = [payload, *((payload or {}).get(prefix) for prefix in prefixes if prefix)]
    for place in places:
        ours = place.get(LOGIC) if isinstance(place, Mapping) else None
        if isinstance(ours, Mapping) and ours.get("quarantined") is True:
            return True
    return False


def _logic(payload: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (payload or {}).get(LOGIC) or {}


def _from_node(point_id: models.ExtendedPointId, payload: Mapping[str, Any]) -> Passage:
    node = json.loads(payload[NODE])
    text = node.get("text")
    if not text:
        text = (node.get("text_resource") or {}).get("text")
    if not text:
        text = payload.get("text") or ""
    source = payload.get("ref_doc_id")
    start, end = node.get("start_char_idx"), node.get("end_char_idx")
    return Passage(
        id=str(node.get("id_", point_id)),
        text=text,
        metadata=node.get("metadata") or {},
        source=None if source in (None, "None") else source,
        span=None if start is None or end is None else (start, end),
        extra={
            "node": {key: value for key, value in node.items() if key not in ELSEWHERE},
            "node_type": payload.get("_node_type") or node.get("class_name") or "TextNode",
        },
        quarantined=is_quarantined(payload),
    )
