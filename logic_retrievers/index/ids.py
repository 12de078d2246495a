"""Point ids and content hashes: a passage gets the same ones in every run, on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid5

from qdrant_client import models

from logic_retrievers.types import Passage

NAMESPACE = UUID("6d0c7b4e-3f5a-5b1d-9a53-0d6f3f6a9c21")


def point_id(passage_id: str, tenant: str | None = None) -> str:
    """The UUIDv5 under which Qdrant keeps a passage; two tenants never share one."""
    return str(uuid5(NAMESPACE, json.dumps([tenant, passage_id], ensure_ascii=True)))


def candidate_ids(passage_id: str, tenant: str | None = None) -> list[models.ExtendedPointId]:
    """Every point id that a passage may have: ours, and its own where another store wrote it."""
    found: list[models.ExtendedPointId] = [point_id(passage_id, tenant)]
    if passage_id.isascii() and passage_id.isdecimal():
        if int(passage_id) < 2**64:  # Qdrant's largest
            found.append(int(passage_id))
    else:
        with suppress(ValueError):
            found.append(str(UUID(passage_id)))
    return found


def to_native(identifier: str) -> str | int:
    """A point id of a pool, as Qdrant wants it (pools hold strings only)."""
    return int(identifier) if identifier.isdecimal() else identifier


def content_hash(passage: Passage, fingerprints: Iterable[tuple[str, str]]) -> str:
    """sha256 of all that decides the stored point: text, metadata, place, and the encoders.

    Args:
        passage: with metadata that JSON can hold.
        fingerprints: (vector name, fingerprint) of the vectors that are stored.
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
