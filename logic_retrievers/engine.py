"""The main road: query -> plan -> encode -> leaf searches -> policy -> hits with evidence."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    MissingVectorError,
    UntrainedVectorWarning,
)
from logic_retrievers.index import LeafSearch, lexical
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.index.requests import QueryVector
from logic_retrievers.policies import Chooser, Policy, Ranked, resolve_policy
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import Evidence, Hit, Leaf, Passage, Pool

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passages import PassageIndex

Query: TypeAlias = str | ParsedQuery
AnyPolicy: TypeAlias = str | Policy | Chooser
Plans: TypeAlias = Sequence[tuple[Leaf, ...]]


class Engine:
    """Searches an index under a policy.

    Args:
        index: where the passages are; its encoder encodes the queries.
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
            query: any text that is not empty, or a :class:`ParsedQuery` that says what is wanted
                and what is ruled out.
            k: how many hits; fewer come back only where the collection has no more, or where
                ``min_score`` or a policy with ``cut=True`` asks for it.
            policy: instead of the engine's own.
            filter: only passages that it admits; a Qdrant ``Filter`` or ``{"key": value}`` over the
                metadata.
            min_score: only hits with at least this score *under the policy*.

        Raises:
            EmptyTextError: the query holds nothing but white space.
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
        _check(queries, k)
        chosen = self.policy if policy is None else resolve_policy(policy)
        policies = [self._policy_for(query, chosen) for query in queries]
        plans = [
            policy.plan(_text(query), k) for policy, query in zip(policies, queries, strict=True)
        ]
        _check_vectors(plans, self.index, chosen.name)
        return self._answer(policies, plans, k, user_filter, min_score)

    def _policy_for(self, query: Query, policy: Policy | Chooser) -> Policy:
        if isinstance(policy, Policy):
            return policy
        specs = self.index.encoder.specs
        trained = [v for v in self.index.vectors if v in specs and specs[v].trained]
        constants = specs["topical"].exclusion if "topical" in specs else None
        return policy.choose(query, trained, constants)

    def _answer(
        self,
        policies: Sequence[Policy],
        plans: Plans,
        k: int,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Procedure[list[list[Hit]]]:
        vectors = yield from encode_leaves(plans, self.index.encoder)
        searches = [
            [
                LeafSearch(leaf.name, leaf.vector, vectors[leaf.vector, leaf.text], leaf.depth)
                for leaf in plan
            ]
            for plan in plans
        ]
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


def encode_leaves(plans: Plans, encoder: Encoder) -> Procedure[dict[tuple[str, str], QueryVector]]:
    """Encodes every (vector, text) of the plans once; the sparse ``lexical`` one needs no encoder.

    Texts that need the same named vectors go through the encoder together.
    """
    names_of: dict[str, set[str]] = {}
    for plan in plans:
        for leaf in plan:
            names_of.setdefault(leaf.text, set()).add(leaf.vector)
    groups: dict[tuple[str, ...], list[str]] = {}
    for text, names in names_of.items():
        groups.setdefault(tuple(sorted(names)), []).append(text)

    def encode() -> dict[tuple[str, str], QueryVector]:
        encoded: dict[tuple[str, str], QueryVector] = {}
        for names, texts in groups.items():
            if lexical.NAME in names:
                encoded.update({(lexical.NAME, t): term_vector(t, query=True) for t in texts})
            dense = [name for name in names if name != lexical.NAME]
            for name, rows in (encoder.encode_queries(texts, dense) if dense else {}).items():
                encoded.update({(name, text): row for text, row in zip(texts, rows, strict=True)})
        return encoded

    vectors: dict[tuple[str, str], QueryVector] = yield Work(encode)
    return vectors


def hits(
    policy: str, pool: Pool, ranking: Sequence[Ranked], passages: Mapping[str, Passage]
) -> list[Hit]:
    """The ranked candidates as hits; one that was deleted in the meantime is left out."""
    ranks = {leaf: ordinal_ranks(scores) for leaf, scores in pool.scores.items()}
    found: list[Hit] = []
    for ranked in ranking:
        passage = passages.get(pool.ids[ranked.index])
        if passage is None:
            continue
        evidence = Evidence(
            policy=policy,
            scores={leaf: _or_none(scores[ranked.index]) for leaf, scores in pool.scores.items()},
            ranks={leaf: int(column[ranked.index]) or None for leaf, column in ranks.items()},
            kept=ranked.kept,
            reason=ranked.reason,
            details=ranked.details,
        )
        found.append(Hit(passage, len(found) + 1, ranked.score, evidence))
    return found


def _or_none(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def _fused_pool(points: Sequence[tuple[str, float]]) -> Pool:
    return Pool(tuple(point for point, _ in points), {})


def _fused_ranking(points: Sequence[tuple[str, float]]) -> list[Ranked]:
    reason = "fused by the server, which returns no single scores"
    return [Ranked(i, score, reason=reason) for i, (_, score) in enumerate(points)]


def _text(query: Query) -> str:
    return query.text if isinstance(query, ParsedQuery) else query


def _check(queries: Sequence[Query], k: Any) -> None:
    if isinstance(queries, str | ParsedQuery):
        raise InputError("search_many takes a list of queries; use search for a single one")
    for query in queries:
        if not isinstance(query, str | ParsedQuery):
            raise InputError(f"a query is a string or ParsedQuery, not {type(query).__name__}")
        if not _text(query).strip():
            raise EmptyTextError("the query is empty; pass a text to search for")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ConfigurationError(f"k must be a whole number of at least 1, not {k!r}")


def _check_vectors(plans: Plans, index: PassageIndex, policy: str) -> None:
    needed = {leaf.vector for plan in plans for leaf in plan}
    missing = sorted(needed - set(index.vectors))
    if missing:
        raise MissingVectorError(
            f"policy {policy!r} needs the named vector {missing[0]!r}, and the collection has only "
            f"{', '.join(sorted(index.vectors))}; add it with index.backfill()"
        )
    specs = index.encoder.specs
    untrained = sorted(name for name in needed if name in specs and not specs[name].trained)
    if untrained:
        warnings.warn(
            f"policy {policy!r} ranks by {untrained[0]!r}, which this encoder has not been trained "
            "for: its vectors repeat another head's, so the policy cannot tell violating passages",
            UntrainedVectorWarning,
            stacklevel=4,
        )
