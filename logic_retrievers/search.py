"""The search engine: query -> policy -> plan -> encode -> candidates -> ranking -> hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    MissingVectorError,
    ShortListWarning,
    warn,
)
from logic_retrievers.hard_exclusion import ExcludedWords, depths, excluded_words, leave_out
from logic_retrievers.index.requests import QueryVector
from logic_retrievers.policies import Policy, Ranked, resolve_policy
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.query_execution import (
    build_hits,
    encode_plans,
    select_policy,
    warn_if_untrained,
)
from logic_retrievers.query_input import (
    AnyPolicy,
    CheckedQuery,
    Query,
    check_count,
    check_exclude,
    check_query,
    query_text,
    with_excluded,
)
from logic_retrievers.types import CandidatePool, Hit, Passage, VectorQuery

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passage_index import PassageIndex

_Vectors: TypeAlias = dict[tuple[str, str], QueryVector]
"""(vector, text) -> the text encoded."""


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
        exclude: Sequence[str] = (),
        hard: bool = False,
    ) -> list[Hit]:
        """The k best passages for a query, best first.

        Args:
            query: any text that is not empty, a :class:`ParsedQuery` with wanted and excluded
                parts, or an :class:`Expression`.
            k: how many hits; fewer are returned only if the collection has no more, or if
                ``min_score``, ``hard`` or a policy with ``backfill=False`` asks for it.
            policy: replaces the engine's own.
            filter: only passages that match it; a Qdrant ``Filter`` or ``{"key": value}`` over the
                metadata.
            min_score: only hits with at least this score *under the policy*.
            exclude: texts that the results are to be without, beside what the query itself
                excludes; at most 31. Needs a policy that reads exclusions (``auto``, ``boolean``),
                or ``hard``.
            hard: leave out passages that contain an excluded text as whole words, with every
                policy (see :class:`logic_retrievers.hard_exclusion.ExcludedWords`). Under a policy
                router what the query excludes in its own words counts too. The search goes on,
                over at most 10,000 candidates or 2 k, until k passages remain; each hit's
                ``evidence.details["left_out"]`` says how many were left out before the last one.
                Where nothing is excluded it changes nothing.

        Warns:
            ShortListWarning: so many candidates were left out that the search looked no further.

        Raises:
            EmptyTextError: the query, or an excluded text, is only white space.
            InputError: ``exclude`` is no list of texts, or has too many.
            ExpressionError: the expression only says what is not wanted.
            ConfigurationError: k is under 1, or the policy, the filter, or ``exclude`` under this
                policy cannot be used.
            MissingVectorError: the collection lacks a named vector that the policy needs.
            ServerError: Qdrant failed or could not be reached.
        """
        operation = self._plan([query], k, policy, filter, min_score, exclude, hard)
        return self.index.run(operation)[0]

    async def asearch(
        self,
        query: Query,
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
        exclude: Sequence[str] = (),
        hard: bool = False,
    ) -> list[Hit]:
        """:meth:`search` without blocking the event loop; the same hits."""
        operation = self._plan([query], k, policy, filter, min_score, exclude, hard)
        return (await self.index.arun(operation))[0]

    def search_many(
        self,
        queries: Sequence[Query],
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
        exclude: Sequence[str] = (),
        hard: bool = False,
    ) -> list[list[Hit]]:
        """:meth:`search` for many queries at once: encoded together, sent in batched requests."""
        operation = self._plan(queries, k, policy, filter, min_score, exclude, hard)
        return self.index.run(operation)

    async def asearch_many(
        self,
        queries: Sequence[Query],
        k: int = 10,
        *,
        policy: AnyPolicy | None = None,
        filter: UserFilter = None,  # noqa: A002
        min_score: float | None = None,
        exclude: Sequence[str] = (),
        hard: bool = False,
    ) -> list[list[Hit]]:
        """:meth:`search_many` without blocking the event loop; the same hits."""
        return await self.index.arun(
            self._plan(queries, k, policy, filter, min_score, exclude, hard)
        )

    def _plan(
        self,
        queries: Sequence[Query],
        k: int,
        policy: AnyPolicy | None,
        user_filter: UserFilter,
        min_score: float | None,
        exclude: Sequence[str] = (),
        hard: bool = False,
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
        excluded = check_exclude(exclude, hard, resolved)
        checked = [with_excluded(query, excluded, hard, resolved) for query in checked]
        encoder = self.index.encoder  # one for the whole search, even if it is replaced meanwhile
        specs, vectors = encoder.specs, self.index.vectors
        searches = [
            _Search(
                query,
                select_policy(query, resolved, specs, vectors),
                k,
                excluded_words(query, excluded) if hard else None,
            )
            for query in checked
        ]
        plans = [search.plan for search in searches]
        if missing := sorted({query.vector for plan in plans for query in plan} - set(vectors)):
            raise MissingVectorError(
                f"policy {resolved.name!r} needs the named vector {missing[0]!r}, and the "
                f"collection has only {', '.join(sorted(vectors))}; add it with index.backfill()"
            )
        warn_if_untrained(plans, specs, resolved.name)
        return self._execute(searches, encoder, k, user_filter, min_score)

    def _execute(
        self,
        searches: Sequence[_Search],
        encoder: Encoder,
        k: int,
        user_filter: UserFilter,
        min_score: float | None,
    ) -> Operation[list[list[Hit]]]:
        vectors: _Vectors = {}
        yield from self._find(searches, encoder, vectors, user_filter)
        for search in searches:
            search.rank(k)
        passages: dict[str, Passage] = {}
        if hard := [search for search in searches if search.words is not None]:
            passages = yield from self._leave_out(hard, encoder, vectors, k, user_filter)
        rankings = [search.best(k) for search in searches]
        if min_score is not None:
            rankings = [[r for r in ranking if r.score >= min_score] for ranking in rankings]
        ids = {
            search.pool.ids[ranked.index]
            for search, ranking in zip(searches, rankings, strict=True)
            for ranked in ranking
        }
        passages |= yield from self.index.fetch_passages(sorted(ids - passages.keys()))
        return [
            build_hits(search.policy.name, search.pool, ranking, passages)
            for search, ranking in zip(searches, rankings, strict=True)
        ]

    def _find(
        self,
        searches: Sequence[_Search],
        encoder: Encoder,
        vectors: _Vectors,
        user_filter: UserFilter,
    ) -> Operation[None]:
        """Fills the pools of searches as they are planned."""
        queries = yield from encode_plans([search.plan for search in searches], encoder, vectors)
        must_not = [search.policy.must_not for search in searches]
        pools = yield from self.index.find_candidates(queries, user_filter, must_not)
        for search, pool in zip(searches, pools, strict=True):
            search.pool = pool

    def _leave_out(
        self,
        searches: Sequence[_Search],
        encoder: Encoder,
        vectors: _Vectors,
        k: int,
        user_filter: UserFilter,
    ) -> Operation[dict[str, Passage]]:
        """Reads candidates, and ranks more of them, until k of each search may stay.

        Returns:
            Point id -> passage, of all that were read.
        """
        passages: dict[str, Passage] = {}
        for depth in depths(k):
            deeper = [search for search in searches if search.plan_for(depth)]
            if deeper:
                yield from self._find(deeper, encoder, vectors, user_filter)
            for search in searches:
                search.rank(depth)
            size = k
            while any(unread := [search.unread(k, size) for search in searches]):
                ids = sorted({point for points in unread for point in points})
                passages |= yield from self.index.fetch_passages(ids)
                yield Compute(partial(_judge_all, searches, unread, passages))
                size *= 2
            searches = [search for search in searches if search.falls_short(k, depth)]
            if not searches:
                return passages
        warn(
            ShortListWarning,
            f"of the first {depth} candidates so many contain an excluded text that fewer than"
            f" {k} remain; hard=True looks no further. A filter would find others.",
        )
        return passages


@dataclass(slots=True)
class _Search:
    """One query on its way.

    Args:
        query: checked.
        policy: the one that ranks.
        k: how many hits are asked for.
        words: that no hit may contain; None where any may.
    """

    query: CheckedQuery
    policy: Policy
    k: int
    words: ExcludedWords | None
    plan: tuple[VectorQuery, ...] = ()
    pool: CandidatePool = field(default_factory=lambda: CandidatePool((), {}))
    ranking: Sequence[Ranked] = ()
    verdicts: dict[str, bool | None] = field(default_factory=dict)
    """Point id -> whether the passage contains an excluded text; None where it is gone."""

    def __post_init__(self) -> None:
        self.plan_for(self.k)

    def plan_for(self, depth: int) -> bool:
        """Plans a list of that length; whether the pool has to be searched for anew."""
        before, self.plan = self.plan, self.policy.plan(query_text(self.query), depth)
        return self.plan != before

    def rank(self, depth: int) -> None:
        """Ranks the pool for a list of that length."""
        self.ranking = self.policy.rank(self.pool, depth)

    def unread(self, k: int, size: int) -> list[str]:
        """The first candidates without a verdict, as long as fewer than k before them may stay."""
        points: list[str] = []
        staying = 0
        for ranked in self.ranking:
            if staying == k or len(points) == size:
                break
            point = self.pool.ids[ranked.index]
            if point not in self.verdicts:
                points.append(point)
            elif self.verdicts[point] is False:
                staying += 1
        return points

    def judge(self, points: Sequence[str], passages: Mapping[str, Passage]) -> None:
        """Notes which candidates contain an excluded text: the text that is shown counts."""
        for point in points:
            if self.words is None or point not in passages:
                self.verdicts[point] = None
            else:
                self.verdicts[point] = self.words.occur_in(passages[point].text)

    def best(self, k: int) -> Sequence[Ranked]:
        """The ranking; of a search with excluded words, the first k that contain none of them."""
        if self.words is None:
            return self.ranking
        return leave_out(self.ranking, lambda i: self.verdicts.get(self.pool.ids[i]), k)

    def falls_short(self, k: int, depth: int) -> bool:
        """Whether fewer than k may stay, and the policy has not ranked all that it can."""
        return len(self.ranking) == depth and len(self.best(k)) < k


def _judge_all(
    searches: Sequence[_Search],
    unread: Sequence[Sequence[str]],
    passages: Mapping[str, Passage],
) -> None:
    """Gives every search its verdicts on its unread candidates."""
    for search, points in zip(searches, unread, strict=True):
        search.judge(points, passages)
