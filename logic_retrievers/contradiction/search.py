"""What a collection holds against a statement, or against one of its own passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from logic_retrievers.answering import check_count, passage_vectors
from logic_retrievers.contradiction.ranking import Explainer, Ranking, Side, ranking
from logic_retrievers.contradiction.settings import (
    CONTRADICTION,
    TOPICAL,
    VECTORS,
    ContradictionSettings,
    check_probability,
    settings_for,
)
from logic_retrievers.errors import (
    EmptyTextError,
    InputError,
    MissingVectorError,
)
from logic_retrievers.index import LeafSearch
from logic_retrievers.index.ids import candidate_ids
from logic_retrievers.index.requests import batches
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.scoring import sparsity
from logic_retrievers.types import Hit, Pool

if TYPE_CHECKING:
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passages import PassageIndex

POINTS_A_CALL = 256
"""Contradiction vectors in memory at a time, on their way through a search."""


class ContradictionSearch:
    """Finds the passages of a collection that contradict a statement.

    The candidates are the topically nearest; they are ordered by F = cosine + alpha * Hoyer (Xu et
    al. 2024, "SparseCL"). The statement itself, or copies of it, are no candidates.

    Args:
        index: a collection that has the contradiction vector.
        candidates: how many of the topically nearest are looked at; all where there are fewer, and
            more where copies of the statement take so many places that fewer than k are left.
        settings: constants, instead of those that the index's encoder brings.
        alpha: weight of the sparsity, instead of theirs.
        min_probability: only passages that contradict it with at least this probability. Without
            it k passages come back whether they contradict or not, each with its probability.

    Raises:
        ConfigurationError: the encoder lacks the vector or its constants, or a value cannot work.

    Example:
        >>> index = PassageIndex.open(vectors=("topical", "contradiction"))  # doctest: +SKIP
        >>> against = ContradictionSearch(index)                             # doctest: +SKIP
        >>> against.search("The inn is quiet.", k=3)                         # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex,
        *,
        candidates: int = 1000,
        settings: ContradictionSettings | None = None,
        alpha: float | None = None,
        min_probability: float | None = None,
    ) -> None:
        check_count("candidates", candidates)
        if min_probability is not None:
            check_probability("min_probability", min_probability)
        self.index = index
        self.candidates = candidates
        self.settings = settings_for(index.encoder.specs, settings, alpha=alpha)
        self.min_probability = min_probability

    def search(
        self,
        statement: str,
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
    ) -> list[Hit]:
        """The k passages that contradict a statement most, best first.

        Args:
            statement: a sentence or passage; a question contradicts nothing.
            k: how many hits; fewer only where the collection has no more, or ``min_probability``
                lets no more through.
            filter: only passages that it admits; as in :meth:`Engine.search`.

        Raises:
            EmptyTextError: the statement holds nothing but white space.
            ConfigurationError: k is under 1.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        return self.index.run(self._search([statement], k, filter))[0]

    async def asearch(
        self,
        statement: str,
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Hit]:
        """:meth:`search` without blocking the event loop; the same hits."""
        return (await self.index.arun(self._search([statement], k, filter)))[0]

    def search_many(
        self,
        statements: Sequence[str],
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[list[Hit]]:
        """:meth:`search` for many statements: encoded together, their candidates found together."""
        return self.index.run(self._search(statements, k, filter))

    async def asearch_many(
        self,
        statements: Sequence[str],
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[list[Hit]]:
        """:meth:`search_many` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search(statements, k, filter))

    def search_like(
        self,
        passage_id: str,
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Hit]:
        """The k passages that contradict a stored one most; its stored vectors are taken.

        Args:
            passage_id: of a passage of the collection; the filter need not admit it.
            k: as in :meth:`search`.
            filter: as in :meth:`search`.

        Raises:
            InputError: there is no such passage.
            ConfigurationError, MissingVectorError, ServerError: as in :meth:`search`.
        """
        return self.index.run(self._search_like(passage_id, k, filter))

    async def asearch_like(
        self,
        passage_id: str,
        k: int = 10,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Hit]:
        """:meth:`search_like` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search_like(passage_id, k, filter))

    def _search(
        self, statements: Sequence[str], k: int, user_filter: UserFilter
    ) -> Procedure[list[list[Hit]]]:
        if isinstance(statements, str) or not isinstance(statements, Sequence):
            raise InputError(
                f"search_many takes a list of statements, not {type(statements).__name__}; use"
                " search for a single one"
            )
        for statement in statements:
            if not isinstance(statement, str):
                raise InputError(f"a statement is a string, not {type(statement).__name__}")
            if not statement.strip():
                raise EmptyTextError("the statement is empty; pass a text to contradict")
        self._check(k)
        # both sides of a pair are documents
        made = yield Work(lambda: self.index.encoder.encode_documents(list(statements), VECTORS))
        sides = [
            Side(text, text, {name: made[name][row] for name in VECTORS})
            for row, text in enumerate(statements)
        ]
        return (yield from self._against(sides, k, user_filter))

    def _search_like(
        self, passage_id: str, k: int, user_filter: UserFilter
    ) -> Procedure[list[Hit]]:
        self._check(k)
        found = yield from self.index.by_id([passage_id])
        if not found:
            raise InputError(
                f"there is no passage {passage_id!r} in collection {self.index.collection!r}"
            )
        made = yield from passage_vectors(found, VECTORS, self.index.encoder, self.index)
        points = {str(point) for point in candidate_ids(passage_id, self.index.tenant)}
        vectors = {name: rows[0] for name, rows in made.items()}
        side = Side(found[0].text, passage_id, vectors, points)
        return (yield from self._against([side], k, user_filter))[0]

    def _check(self, k: int) -> None:
        check_count("k", k)
        if missing := [name for name in VECTORS if name not in self.index.vectors]:
            raise MissingVectorError(
                f"collection {self.index.collection!r} has no {missing[0]!r} vector that can be "
                f"searched (only {', '.join(self.index.vectors)}). Make it once for all passages: "
                f"index.backfill({missing!r})"
            )

    def _against(
        self, sides: Sequence[Side], k: int, user_filter: UserFilter
    ) -> Procedure[list[list[Hit]]]:
        """The hits of every side: candidates of all together, then one side after the other."""
        wanted = max(self.candidates, k)
        pools = yield from self.index.gather(
            [[_leaf(side, wanted + len(side.points))] for side in sides], user_filter
        )
        found = []
        for side, pool in zip(sides, pools, strict=True):
            ranked = yield from self._ranked(side, pool)
            # copies are known by their vectors only: where they took the places of candidates, more
            # are looked at
            while len(ranked.order) < k and len(pool.ids) >= wanted + len(side.points):
                deeper = [[_leaf(side, 2 * len(pool.ids))]]
                (more,) = yield from self.index.gather(deeper, user_filter)
                if len(more.ids) == len(pool.ids):
                    break
                pool = more
                ranked = yield from self._ranked(side, pool)
            found.append((yield from self._hits(side, pool, ranked, k)))
        return found

    def _hits(self, side: Side, pool: Pool, ranked: Ranking, k: int) -> Procedure[list[Hit]]:
        """Passages are fetched k at a time, until k of them may be shown."""
        explain = Explainer(side, ranked, self.settings)
        found: list[Hit] = []
        for places in batches(ranked.likely(self.min_probability), k):
            passages = yield from self.index.fetch([pool.ids[place] for place in places])
            for place in places:
                passage = passages.get(pool.ids[place])
                if passage is None:  # deleted in the meantime
                    continue
                judged = explain.probability(place, passage) is not None
                if judged or self.min_probability is None:
                    found.append(explain.hit(place, passage, len(found) + 1))
            if len(found) >= k:
                break
        return found[:k]

    def _ranked(self, side: Side, pool: Pool) -> Procedure[Ranking]:
        """Vectors come and go in batches; of each candidate one figure stays."""
        sparsities = np.full(len(pool.ids), np.nan)
        stored = np.zeros(len(pool.ids), dtype=bool)
        for places in batches(range(len(pool.ids)), POINTS_A_CALL):
            rows = yield from self.index.rows([CONTRADICTION], [pool.ids[n] for n in places])
            row_of, vectors = rows[CONTRADICTION]
            there = [place for place in places if pool.ids[place] in row_of]
            if there:
                chosen = vectors[[row_of[pool.ids[place]] for place in there]]
                sparsities[there] = sparsity(side.vectors[CONTRADICTION], chosen)
                stored[there] = True
        return ranking(side, pool, sparsities, stored, self.settings)


def _leaf(side: Side, depth: int) -> LeafSearch:
    return LeafSearch(TOPICAL, TOPICAL, side.vectors[TOPICAL], depth)
