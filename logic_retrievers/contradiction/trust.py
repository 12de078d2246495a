"""Which passages are vouched for: those passed in, those that a filter picks, those of an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from qdrant_client import models
from qdrant_client.local.payload_filters import check_filter

from logic_retrievers.contradiction.judging import Rows
from logic_retrievers.contradiction.settings import TOPICAL
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import LeafSearch
from logic_retrievers.index.filters import UserFilter, compose
from logic_retrievers.index.payloads import METADATA
from logic_retrievers.procedures import Procedure
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.index.passages import PassageIndex

TrustedFilter: TypeAlias = UserFilter | Callable[[Passage], bool]
"""``{"key": wanted}`` over the metadata, a Qdrant filter, or a function of a passage."""


def same(passage: Passage) -> tuple[str, str]:
    """What makes two passages one and the same; an id alone may be another collection's too."""
    return passage.id, passage.text


def check_trusted_filter(trusted_filter: TrustedFilter) -> None:
    """Refuses what cannot say whom to trust.

    Raises:
        InputError: a filter that cannot be read.
        ConfigurationError: an empty one, which would vouch for every passage.
    """
    if trusted_filter is None or (
        callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter)
    ):
        return
    if compose(trusted_filter) in (None, models.Filter()):
        raise ConfigurationError("an empty trusted_filter would trust every passage")


def picked(
    passages: Sequence[Passage],
    trusted_filter: TrustedFilter,
    prefixes: Sequence[str] = (METADATA,),
) -> set[int]:
    """Places of the passages that the filter picks, as a collection would pick them.

    Args:
        passages: the given ones.
        trusted_filter: None picks nobody.
        prefixes: where a collection keeps metadata, for Qdrant filters made by hand.
    """
    if trusted_filter is None:
        return set()
    if callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter):
        return {place for place, passage in enumerate(passages) if trusted_filter(passage)}
    condition = compose(trusted_filter, prefixes=prefixes)
    if condition is None:
        return set()
    return {
        place
        for place, passage in enumerate(passages)
        if check_filter(condition, _payload(passage, prefixes), passage.id, {})
    }


def nearest_trusted(
    index: PassageIndex,
    trusted_filter: UserFilter,
    queries: Rows,
    count: int,
) -> Procedure[list[Passage]]:
    """The trusted passages of a collection that lie nearest to each passage, each once.

    Args:
        index: where they are stored.
        trusted_filter: what makes them trusted.
        queries: shape (passages, dimension): topical vectors that the index's encoder made. Each
            passage searches for itself: what refutes it is near to *it*, not to the query.
        count: how many for each.
    """
    pools = yield from index.gather(
        [[LeafSearch(TOPICAL, TOPICAL, row, count)] for row in queries], trusted_filter
    )
    points = sorted({point for pool in pools for point in pool.ids})
    found = yield from index.fetch(points)
    return [found[point] for point in points if point in found]


def _payload(passage: Passage, prefixes: Sequence[str]) -> dict[str, Any]:
    metadata = json.loads(json.dumps(dict(passage.metadata), default=_plain, skipkeys=True))
    payload: dict[str, Any] = dict(metadata) if "" in prefixes else {}
    return payload | {prefix: metadata for prefix in prefixes if prefix}


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
