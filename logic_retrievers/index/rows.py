"""The vectors of points, and the fast ways to them that embedded mode has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.index.ids import to_native
from logic_retrievers.index.pools import Matrix, matrix_of
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure, Work


class ShortCuts(Protocol):
    """Fast ways through embedded mode; each gives None where only the public way is open."""

    def rows(
        self, collection: str, stored: Sequence[str], ids: Sequence[str], /
    ) -> dict[str, Matrix] | None:
        """Stored vector name -> vectors of the points."""

    def nearest(
        self,
        collection: str,
        stored: str,
        queries: Sequence[npt.NDArray[Any]],
        limit: int,
        condition: models.Filter | None,
        hidden: Sequence[str],
        /,
    ) -> list[list[tuple[str, float]]] | None:
        """(point id, cosine) of the points nearest to each query, but for those with a flag."""


def rows(
    collection: Collection,
    names: Sequence[str],
    point_ids: Sequence[str],
    short_cuts: ShortCuts | None = None,
) -> Procedure[dict[str, Matrix]]:
    """The vectors of some points; a point that is gone, or has no such vector, is left out.

    One request: hand in no more points than there is memory for their vectors.

    Args:
        collection: where they are.
        names: of dense vectors.
        point_ids: as a pool has them.
        short_cuts: through embedded mode.

    Returns:
        Vector name -> point id -> row, and the rows.

    Raises:
        MissingVectorError: a vector is not there.
    """
    dense = {name: collection.vector(name).stored for name in names}
    if not point_ids or not dense:
        return {name: matrix_of([], at) for name, at in dense.items()}
    stored = list(dense.values())
    found = None
    if collection.embedded and short_cuts is not None:
        found = yield Work(partial(short_cuts.rows, collection.name, stored, point_ids))
    if found is None:
        found = yield from _retrieved(collection, stored, point_ids)
    return {name: found[at] for name, at in dense.items()}


def _retrieved(
    collection: Collection, stored: Sequence[str], points: Sequence[str]
) -> Procedure[dict[str, Matrix]]:
    records = yield Call(
        "retrieve",
        {
            "collection_name": collection.name,
            "ids": [to_native(point) for point in points],
            "with_payload": False,
            "with_vectors": list(stored),
        },
    )
    return {name: matrix_of(records, name) for name in stored}
