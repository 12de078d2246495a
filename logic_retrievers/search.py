"""The search engine: query -> policy -> plan -> encode -> candidates -> ranking -> hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from logic_retrievers.checks import check_count, check_number
from logic_retrievers.effects import Operation
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    MissingVectorError,
    ShortListWarning,
    warn,
)
from logic_retrievers.judging.settings import AnyJudge, check_any_judge, resolve_judge
from logic_retrievers.policies import resolve_policy
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.ranking.excluded_words import ExcludedWords, candidates_for, leave_out
from logic_retrievers.ranking.execution import (
    encode_plans,
    plan_queries,
    warn_if_untrained,
)
from logic_retrievers.ranking.order import build_hits, judge_candidates, rank_candidates
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    Query,
    check_exclude,
    check_query,
)
from logic_retrievers.types import Hit
from logic_retrievers.validation import check_parts

if TYPE_CHECKING:
    from logic_retrievers.index.filters import UserFilter
    from logic_retrievers.index.passage_index import PassageIndex

# Attempts at a search whose candidates are deleted or hidden before they are read.
ATTEMPTS = 4


class SearchOptions(TypedDict, total=False):
    """Options of one search.

    Args:
        policy: used instead of the engine's own.
        filter: only matching passages are searched; a Qdrant ``Filter`` or ``{"key": value}`` over
            the metadata.
        min_score: lowest score of a hit *under the policy*.
        exclude: at most 31 texts to exclude, in addition to those that the query itself excludes.
            Needs a policy that reads exclusions (``auto``, ``boolean``), or ``hard``.
        hard: whether to leave out passages that name an excluded text, see below; ``"words"``
            leaves them out whatever the judge says.

    ``hard`` works with every policy. It looks for each excluded text as whole words in a passage's
    text, embedded text and title; see
    :class:`logic_retrievers.ranking.excluded_words.ExcludedWords`. With ``auto`` and ``boolean``,
    texts that the query itself excludes count too. A judge with a probability of at least .7
    overrules the words: "nut-free" may stay, walnuts may go. The search reads the first 200
    candidates, or ten times k if that is more. ``evidence.details["left_out"]`` counts the passages
    left out before the last hit.
    """

    policy: AnyPolicy | None
    filter: UserFilter
    min_score: float | None
    exclude: Sequence[str]
    hard: Hard


class Engine:
    """Searches an index under a policy.

    Args:
        index: holds the passages; its current encoder encodes the queries (see
            ``index.use_query_encoder``).
        policy: default policy of searches: a name of :data:`logic_retrievers.policies.POLICIES`, or
            a policy with settings of your own.
        judge: ``auto`` (the judge that comes with the package), None, a callable of your own (see
            :class:`logic_retrievers.judging.QueryJudge`), or
            :class:`logic_retrievers.judging.JudgeSettings`. Under the policy ``auto`` the judge
            reads the first candidates together with the query, unless the query is an expression.
            Its verdict is weighted by the probability that the query excludes something or asks for
            a negative fact; ``evidence.details["judge"]`` has both. If the judge fails, the
            policy's order stands, with a warning.
        reranker: a model that orders the first candidates of every query, given like ``judge``.
            Under ``auto`` the deductions for excluded texts and the judge's verdicts are added to
            its order. Expressions and the policy ``judge`` leave it unasked.
            ``evidence.details["reranker"]`` has its answer.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: ``judge`` or ``reranker`` is none of these.

    Examples:
        >>> engine = Engine(index)                               # doctest: +SKIP
        >>> hits = engine.search("a quiet hotel, not above a nightclub", k=5)  # doctest: +SKIP
        >>> hits[0].evidence.reason                              # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        *,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
    ) -> None:
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        check_parts(index=index, needs_index=True)
        self.index = index
        self.policy = resolve_policy(policy)
        self.judge = judge
        self.reranker = reranker

    def search(self, query: Query, k: int = 10, **options: Unpack[SearchOptions]) -> list[Hit]:
        """Return the k best passages for a query, best first.

        Args:
            query: any text that is not empty, a :class:`ParsedQuery` with wanted and excluded
                parts, or an :class:`Expression`.
            k: number of hits. Fewer are returned only if the collection has no more, or because of
                ``min_score``, ``hard`` or a policy with ``backfill=False``.
            **options: see :class:`SearchOptions`.

        Returns:
            Hits, best first: ``hit.passage``, ``hit.score``, and why in ``hit.evidence.reason``.

        Warns:
            ShortListWarning: ``hard`` left out too many candidates, or candidates were deleted or
                hidden during each of four attempts.

        Raises:
            EmptyTextError: the query, or an excluded text, is only white space.
            InputError: ``exclude`` is not a list of texts, or has too many.
            ExpressionError: the expression names nothing that is wanted.
            ConfigurationError: k is under 1, an option is unknown, the policy or the filter cannot
                be used, or the policy cannot use ``exclude``.
            MissingVectorError: the collection lacks a named vector that the policy needs.
            ServerError: Qdrant failed or could not be reached.
        """
        return self.index.run(self._search([query], k, options))[0]

    async def asearch(
        self, query: Query, k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[Hit]:
        """Do :meth:`search` without blocking the event loop."""
        return (await self.index.arun(self._search([query], k, options)))[0]

    def search_many(
        self, queries: Sequence[Query], k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[list[Hit]]:
        """Do :meth:`search` for many queries, encoded together and sent in batched requests."""
        return self.index.run(self._search(queries, k, options))

    async def asearch_many(
        self, queries: Sequence[Query], k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[list[Hit]]:
        """Do :meth:`search_many` without blocking the event loop."""
        return await self.index.arun(self._search(queries, k, options))

    def _search(
        self, queries: Sequence[Query], k: int, options: SearchOptions
    ) -> Operation[list[list[Hit]]]:
        if unknown := sorted(options.keys() - SearchOptions.__annotations__.keys()):
            names = ", ".join(sorted(SearchOptions.__annotations__))
            raise ConfigurationError(f"a search has no option {unknown[0]!r}; there is {names}")
        policy, min_score = options.get("policy"), options.get("min_score")
        exclude, hard = options.get("exclude", ()), options.get("hard", False)
        if isinstance(queries, str | ParsedQuery | Expression) or not isinstance(queries, Sequence):
            raise InputError("search_many takes a list of queries; use search for a single one")
        checked = [check_query(query) for query in queries]
        check_count("k", k)
        if min_score is not None:
            check_number("min_score", min_score)
        chosen = self.policy if policy is None else resolve_policy(policy)
        excluded = check_exclude(exclude, hard, chosen)
        encoder = self.index.encoder  # one for the whole search, even if it is replaced meanwhile
        specs, vectors = encoder.specs, self.index.vectors
        reranker = yield from resolve_judge(self.reranker, "reranker")
        read = 0 if reranker is None else reranker.constants.candidates
        planned = yield from plan_queries(
            checked, chosen, specs, vectors, k, excluded, hard=hard, read=read
        )
        needed = {leaf.vector for query in planned for leaf in query.plan}
        if missing := sorted(needed - set(vectors)):
            raise MissingVectorError(
                f"The policy {chosen.name!r} needs the named vector {missing[0]!r}, and the"
                f" collection has only {', '.join(sorted(vectors))}.",
                f"Run index.backfill({missing!r}).",
                names=missing,
            )
        warn_if_untrained(planned, specs, chosen.name)
        needs_judge = any(query.request for query in planned)
        judge = (yield from resolve_judge(self.judge)) if needs_judge else None
        plans = [query.plan for query in planned]
        searches = yield from encode_plans(plans, encoder, self.index.language)
        must_not = [query.policy.must_not for query in planned]
        for _ in range(ATTEMPTS):
            pools = yield from self.index.find_candidates(searches, options.get("filter"), must_not)
            candidates = [
                rank_candidates(
                    query.policy, pool, query.depth, query.request, judge, query.question, reranker
                )
                for query, pool in zip(planned, pools, strict=True)
            ]
            ids = {each.pool.ids[ranked.index] for each in candidates for ranked in each.ranking}
            passages = yield from self.index.fetch_passages(sorted(ids))
            if len(passages) == len(ids):
                break
        else:
            warn(
                ShortListWarning,
                f"{len(ids) - len(passages)} candidates were deleted or hidden while this search"
                f" ran, at each of {ATTEMPTS} attempts; there may be fewer than {k} hits",
            )
        rankings = yield from judge_candidates(candidates, passages, judge, reranker)
        hit_lists = []
        for query, pool, ranking in zip(planned, pools, rankings, strict=True):
            if min_score is not None:
                ranking = [ranked for ranked in ranking if ranked.score >= min_score]
            hits = build_hits(query.policy.name, pool, ranking, passages)
            if query.words is not None:
                hits = _left_over(hits, query.words, k, query.read_by(judge))
            hit_lists.append(hits)
        return hit_lists


def _left_over(hits: Sequence[Hit], words: ExcludedWords, k: int, question: str) -> list[Hit]:
    """Return the first k hits that may stay; warn if the search read too few candidates."""
    kept = leave_out(hits, words, k, question)
    if len(kept) < k and len(hits) >= candidates_for(k):
        warn(
            ShortListWarning,
            f"of the first {len(hits)} candidates so many were left out that fewer than {k} remain;"
            " hard looks no further. A filter would find others.",
        )
    return kept
