"""Trusted passages: those passed in, those that a filter selects, those of an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from qdrant_client import models

from logic_retrievers.contradiction.pair_scores import Rows
from logic_retrievers.contradiction.settings import TOPICAL
from logic_retrievers.effects import Operation
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.filters import UserFilter, matching, to_qdrant_filter
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.types import Passage

TrustedFilter: TypeAlias = UserFilter | Callable[[Passage], bool]
"""``{"key": wanted}`` over the metadata, a Qdrant filter, or a function of a passage."""


def passage_key(passage: Passage) -> tuple[str, str]:
    """Identity of a passage; an id alone may also be in another collection."""
    return passage.id, passage.text


def check_trusted_filter(trusted_filter: TrustedFilter) -> None:
    """Refuses a filter that cannot say which passages are trusted.

    Raises:
        InputError: a filter that cannot be read.
        ConfigurationError: an empty one, which would trust every passage.
    """
    if trusted_filter is None or (
        callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter)
    ):
        return
    if to_qdrant_filter(trusted_filter) in (None, models.Filter()):
        raise ConfigurationError("an empty trusted_filter would trust every passage")


def index_filter(trusted_filter: TrustedFilter) -> Mapping[str, Any] | models.Filter | None:
    """The filter, if it is one that a collection understands."""
    return trusted_filter if isinstance(trusted_filter, Mapping | models.Filter) else None


def trusted_positions(
    passages: Sequence[Passage],
    trusted_filter: TrustedFilter,
    prefixes: Sequence[str] = (METADATA,),
) -> set[int]:
    """Positions of the passages that the filter selects, as a collection would select them.

    ``prefixes``: where a collection keeps metadata, for Qdrant filters made by hand.
    """
    if callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter):
        return {i for i, passage in enumerate(passages) if trusted_filter(passage)}
    condition = to_qdrant_filter(trusted_filter, prefixes=prefixes)
    if condition is None:
        return set()
    return {at for at, passes in enumerate(matching(passages, condition, prefixes)) if passes}


def nearest_trusted(
    index: PassageIndex, trusted_filter: UserFilter, queries: Rows, count: int
) -> Operation[list[Passage]]:
    """The trusted passages of a collection that are nearest to each passage, each once.

    ``queries`` are topical vectors of the index's encoder, shape (passages, dimension). Each
    passage is a query of its own: what refutes it is near to *it*, not to the user's query.
    """
    pools = yield from index.find_candidates(
        [[EncodedVectorQuery(TOPICAL, TOPICAL, row, count)] for row in queries], trusted_filter
    )
    points = sorted({point for pool in pools for point in pool.ids})
    passages = yield from index.fetch_passages(points)
    return [passages[point] for point in points if point in passages]
