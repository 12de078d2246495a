"""The search engine: query -> policy -> plan -> encode -> candidates -> ranking -> hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from logic_retrievers.effects import Operation
from logic_retrievers.errors import ConfigurationError, InputError, MissingVectorError
from logic_retrievers.policies import Policy, resolve_policy
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.query_execution import (
    Plans,
    build_hits,
    encode_plans,
    select_policy,
    warn_if_untrained,
)
from logic_retrievers.query_input import AnyPolicy, Query, check_count, check_query, query_text
from logic_retrievers.types import Hit

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passage_index import PassageIndex


class Engine:
    """Searches an index under a policy.

    Args:
        index: holds the passages; queries are encoded by the encoder that it uses at the time of
            the search (see ``index.use_query_encoder``).
        policy: of searches that name none: a policy's name (``auto``, ``topical``,
            ``compatibility``, ``sequential``, ``union``) or an instance with settings of your own.

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
            query: any text that is not empty, a :class:`ParsedQuery` with wanted and excluded
                parts, or an :class:`Expression`.
            k: how many hits; fewer are returned only if the collection has no more, or if
                ``min_score`` or a policy with ``backfill=False`` asks for it.
            policy: replaces the engine's own.
            filter: only passages that match it; a Qdrant ``Filter`` or ``{"key": value}`` over the
                metadata.
            min_score: only hits with at least this score *under the policy*.

        Raises:
            EmptyTextError: the query is only white space.
            ExpressionError: the expression only says what is not wanted.
            ConfigurationError: k is under 1, or the policy or filter cannot be used.
            MissingVectorError: the collection lacks a named vector that the policy needs.
            ServerError: Qdrant failed or could not be reached.
        """
        operation = self._plan([query], k, policy, filter, min_score)
        return self.index.run(operation)[0]

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
        operation = self._plan([query], k, policy, filter, min_score)
        return (await self.index.arun(operation))[0]

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
        return self.index.run(self._plan(queries, k, policy, filter, min_score))

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
        return await self.index.arun(self._plan(queries, k, policy, filter, min_score))

    def _plan(
        self,
        queries: Sequence[Query],
        k: int,
        policy: AnyPolicy | None,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Operation[list[list[Hit]]]:
        """Checks and plans before the operation starts, so that errors point to the caller."""
        if isinstance(queries, str | ParsedQuery | Expression):
            raise InputError("search_many takes a list of queries; use search for a single one")
        checked = [check_query(query) for query in queries]
        check_count("k", k)
        if min_score is not None and not (
            isinstance(min_score, int | float) and min_score == min_score
        ):
            raise ConfigurationError(f"min_score must be a number, not {min_score!r}")
        resolved = self.policy if policy is None else resolve_policy(policy)
        encoder = self.index.encoder  # one for the whole search, even if it is replaced meanwhile
        specs, vectors = encoder.specs, self.index.vectors
        policies = [select_policy(query, resolved, specs, vectors) for query in checked]
        plans = [
            policy.plan(query_text(query), k)
            for policy, query in zip(policies, checked, strict=True)
        ]
        if missing := sorted({query.vector for plan in plans for query in plan} - set(vectors)):
            raise MissingVectorError(
                f"policy {resolved.name!r} needs the named vector {missing[0]!r}, and the "
                f"collection has only {', '.join(sorted(vectors))}; add it with index.backfill()"
            )
        warn_if_untrained(plans, specs, resolved.name)
        return self._execute(policies, plans, encoder, k, user_filter, min_score)

    def _execute(
        self,
        policies: Sequence[Policy],
        plans: Plans,
        encoder: Encoder,
        k: int,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Operation[list[list[Hit]]]:
        searches = yield from encode_plans(plans, encoder)
        must_not = [policy.must_not for policy in policies]
        pools = yield from self.index.find_candidates(searches, user_filter, must_not)
        rankings = [policy.rank(pool, k) for policy, pool in zip(policies, pools, strict=True)]
        if min_score is not None:
            rankings = [[r for r in ranking if r.score >= min_score] for ranking in rankings]
        ids = {
            pool.ids[ranked.index]
            for pool, ranking in zip(pools, rankings, strict=True)
            for ranked in ranking
        }
        passages = yield from self.index.fetch_passages(sorted(ids))
        return [
            build_hits(policy.name, pool, ranking, passages)
            for policy, pool, ranking in zip(policies, pools, rankings, strict=True)
        ]
