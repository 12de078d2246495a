"""The main road: query -> plan -> encode -> leaf searches -> policy -> hits with evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from logic_retrievers.answering import (
    AnyPolicy,
    Plans,
    Query,
    check_count,
    checked_query,
    hits,
    leaf_searches,
    policy_for,
    text_of,
    warn_if_untrained,
)
from logic_retrievers.errors import ConfigurationError, InputError, MissingVectorError
from logic_retrievers.policies import Policy, Ranked, resolve_policy
from logic_retrievers.procedures import Procedure
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.types import Hit, Pool

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passages import PassageIndex


class Engine:
    """Searches an index under a policy.

    Args:
        index: where the passages are; its encoder encodes the queries, also the one that
            ``index.use_query_encoder`` puts in its place.
        policy: a policy's name (``auto``, ``topical``, ``compatibility``, ``sequential``,
            ``union``) or an instance with settings of your own; what a search uses that names none.

    Raises:
        UnknownPolicyError: no policy has that name.

    Example:
        >>> engine = Engine(index)                               # doctest: +SKIP
        >>> hits = engine.search("a quiet hotel, not above a nightclub", k=5)  # doctest: +SKIP
        >>> hits[0].evidence.reason                              # doctest: +SKIP
    """

    def __init__(self, index: PassageIndex, policy: AnyPolicy = "auto") -> None:
        self.index = index
        self.policy = resolve_policy(policy)

    def search(
        self,
        query: Query,
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
        min_score: float | None = None,
    ) -> list[Hit]:
        """The k best passages for a query, best first.

        Args:
            query: any text that is not empty, a :class:`ParsedQuery` that says what is wanted and
                what is ruled out, or an :class:`Expression`.
            k: how many hits; fewer come back only where the collection has no more, or where
                ``min_score`` or a policy with ``cut=True`` asks for it.
            policy: instead of the engine's own.
            filter: only passages that it admits; a Qdrant ``Filter`` or ``{"key": value}`` over the
                metadata.
            min_score: only hits with at least this score *under the policy*.

        Raises:
            EmptyTextError: the query holds nothing but white space.
            ExpressionError: the expression only says what is not wanted.
            ConfigurationError: k is under 1, or the policy or filter cannot be used.
            MissingVectorError: the collection lacks a named vector that the policy needs.
            ServerError: Qdrant failed or could not be reached.
        """
        procedure = self._search([query], k, policy, filter, min_score)
        return self.index.run(procedure)[0]

    async def asearch(
        self,
        query: Query,
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
    ) -> list[Hit]:
        """:meth:`search` without blocking the event loop; the same hits."""
        procedure = self._search([query], k, policy, filter, min_score)
        return (await self.index.arun(procedure))[0]

    def search_many(
        self,
        queries: Sequence[Query],
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
    ) -> list[list[Hit]]:
        """:meth:`search` for many queries at once: encoded together, sent in batched requests."""
        return self.index.run(self._search(queries, k, policy, filter, min_score))

    async def asearch_many(
        self,
        queries: Sequence[Query],
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
    ) -> list[list[Hit]]:
        """:meth:`search_many` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search(queries, k, policy, filter, min_score))

    def _search(
        self,
        queries: Sequence[Query],
        k: int,
        policy: AnyPolicy | None,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Procedure[list[list[Hit]]]:
        """Checks and plans at once, so that errors and warnings come from the caller's line."""
        if isinstance(queries, str | ParsedQuery | Expression):
            raise InputError("search_many takes a list of queries; use search for a single one")
        checked = [checked_query(query) for query in queries]
        check_count("k", k)
        if min_score is not None and not (
            isinstance(min_score, int | float) and min_score == min_score
        ):
            raise ConfigurationError(f"min_score must be a number, not {min_score!r}")
        chosen = self.policy if policy is None else resolve_policy(policy)
        encoder = self.index.encoder  # one for the whole search, whatever is swapped meanwhile
        specs = encoder.specs
        policies = [policy_for(query, chosen, specs, self.index.vectors) for query in checked]
        plans = [
            policy.plan(text_of(query), k) for policy, query in zip(policies, checked, strict=True)
        ]
        _check_vectors(plans, self.index, encoder, chosen.name)
        return self._answer(policies, plans, encoder, k, user_filter, min_score)

    def _answer(
        self,
        policies: Sequence[Policy],
        plans: Plans,
        encoder: Encoder,
        k: int,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Procedure[list[list[Hit]]]:
        searches = yield from leaf_searches(plans, encoder)
        weights = policies[0].server_weights if policies else None
        if weights is None:
            must_not = [policy.must_not for policy in policies]
            pools = yield from self.index.gather(searches, user_filter, must_not)
            rankings = [policy.rank(pool, k) for policy, pool in zip(policies, pools, strict=True)]
        else:
            fused = yield from self.index.fused(searches, weights, k, user_filter)
            pools = [_fused_pool(points) for points in fused]
            rankings = [_fused_ranking(points) for points in fused]
        if min_score is not None:
            rankings = [[r for r in ranking if r.score >= min_score] for ranking in rankings]
        wanted = {
            p.ids[r.index] for p, ranking in zip(pools, rankings, strict=True) for r in ranking
        }
        passages = yield from self.index.fetch(sorted(wanted))
        return [
            hits(policy.name, pool, ranking, passages)
            for policy, pool, ranking in zip(policies, pools, rankings, strict=True)
        ]


def _fused_pool(points: Sequence[tuple[str, float]]) -> Pool:
    return Pool(tuple(point for point, _ in points), {})


def _fused_ranking(points: Sequence[tuple[str, float]]) -> list[Ranked]:
    reason = "fused by the server, which returns no single scores"
    return [Ranked(i, score, reason=reason) for i, (_, score) in enumerate(points)]


def _check_vectors(plans: Plans, index: PassageIndex, encoder: Encoder, policy: str) -> None:
    needed = {leaf.vector for plan in plans for leaf in plan}
    missing = sorted(needed - set(index.vectors))
    if missing:
        raise MissingVectorError(
            f"policy {policy!r} needs the named vector {missing[0]!r}, and the collection has only "
            f"{', '.join(sorted(index.vectors))}; add it with index.backfill()"
        )
    warn_if_untrained(plans, encoder.specs, policy)
