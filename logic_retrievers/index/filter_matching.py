"""Filters over given passages, answered as a collection answers them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from qdrant_client import models
from qdrant_client.local.payload_filters import check_filter

from logic_retrievers.errors import InputError
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.types import Passage
from logic_retrievers.validation import plain_value


def matching(
    passages: Iterable[Passage], condition: models.Filter, prefixes: Sequence[str] = (METADATA,)
) -> list[bool]:
    """For each passage whether it passes.

    Args:
        passages: with metadata of any types; what JSON does not know is compared as text.
        condition: as :func:`filters.to_qdrant_filter` makes it.
        prefixes: where the filter looks for metadata; "" is the top level.
    """
    return [
        check_filter(condition, _payload(passage, prefixes), passage.id, {}) for passage in passages
    ]


def _payload(passage: Passage, prefixes: Sequence[str]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for key, value in passage.metadata.items():
        with suppress(InputError):  # no collection would hold it, so no filter finds it
            metadata |= plain_value({key: value}, "metadata")
    payload: dict[str, Any] = dict(metadata) if "" in prefixes else {}
    return payload | {prefix: metadata for prefix in prefixes if prefix}
