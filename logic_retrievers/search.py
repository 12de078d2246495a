"""The search engine: query -> policy -> plan -> encode -> candidates -> ranking -> hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Unpack

from logic_retrievers.effects import Operation
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyFilterWarning,
    InputError,
    MissingVectorError,
    ShortListWarning,
    warn,
)
from logic_retrievers.judging.settings import (
    AnyJudge,
    WeightedJudge,
    check_any_judge,
    resolve_judge,
)
from logic_retrievers.policies import AutoPolicy, Policy, PolicyRouter, resolve_policy
from logic_retrievers.policies.auto import with_fields
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.ranking.excluded_words import ExcludedWords, candidates_for, leave_out
from logic_retrievers.ranking.execution import (
    PlannedQuery,
    encode_plans,
    plan_queries,
    warn_if_untrained,
)
from logic_retrievers.ranking.grouped import count_groups, grouped
from logic_retrievers.ranking.order import (
    build_hits,
    judge_candidates,
    prefer_fields,
    rank_candidates,
    with_reading,
)
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Query,
    check_query,
)
from logic_retrievers.search_options import CheckedOptions, SearchOptions, check_options
from logic_retrievers.tracing import Attributes, own_attributes, retrieval_attributes, traced
from logic_retrievers.types import CandidatePool, Hit
from logic_retrievers.validation import check_parts
from logic_retrievers.validity import Validity, check_validity

if TYPE_CHECKING:
    from logic_retrievers.index.candidate_search import EncodedVectorQuery
    from logic_retrievers.index.passage_index import PassageIndex

# Attempts at a search whose candidates are deleted or hidden before they are read.
ATTEMPTS = 4


def _describe_search(
    hits: Sequence[Hit], engine: Engine, query: Query, k: int = 10, **options: Any
) -> Attributes:
    policy, exclude = options.get("policy") or engine.policy, options.get("exclude", ())
    told = retrieval_attributes(hits, query, policy, k)
    return told | own_attributes(excluded=len(exclude))


def _describe_searches(
    hit_lists: Sequence[Sequence[Hit]],
    engine: Engine,
    queries: Sequence[Query],
    k: int = 10,
    **options: Any,
) -> Attributes:
    # OpenInference's spans hold the documents of one query
    policy = resolve_policy(options.get("policy") or engine.policy).name
    hits = sum(map(len, hit_lists))
    return own_attributes(policy=policy, k=k, queries=len(queries), hits=hits)


class Engine:
    """Searches an index under a policy.

    Args:
        index: holds the passages; its current encoder encodes the queries (see
            ``index.use_query_encoder``).
        policy: default policy of searches: a name of :data:`logic_retrievers.policies.POLICIES`, or
            a policy with settings of your own.
        fields: what metadata fields hold, for the policy ``auto``; see
            :class:`~logic_retrievers.AutoPolicy`. A search under another policy reads none.
        validity: two metadata fields with the dates from which (inclusive) and up to which
            (exclusive) a passage is valid, such as ``("valid_from", "valid_to")``. A passage
            without a date in a field is valid since ever, or still. So is one whose value Qdrant
            does not read as a date: it reads ISO 8601 text with a day, and no numbers. Every search
            then finds only what is valid; see ``as_of`` of :class:`SearchOptions`.
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
        ConfigurationError: ``judge``, ``reranker`` or ``validity`` is none of these.

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
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
    ) -> None:
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        check_parts(index=index, needs_index=True)
        self.index = index
        self.policy = with_fields(resolve_policy(policy), fields)
        self.validity = check_validity(validity)
        self.judge = judge
        self.reranker = reranker

    @traced("search", "RETRIEVER", _describe_search)
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
            EmptyFilterWarning: no passage meets what the query requires of declared fields.
            ShortListWarning: ``hard`` left out too many candidates, or candidates were deleted or
                hidden during each of four attempts, or ``group_by`` gave up looking for groups.

        Raises:
            EmptyTextError: the query, or an excluded text, is only white space.
            InputError: ``exclude`` is not a list of texts, or has too many; or no field can have
                the name in ``group_by``.
            ExpressionError: the expression names nothing that is wanted.
            ConfigurationError: k is under 1, an option is unknown, the policy or the filter cannot
                be used, or the policy cannot use ``exclude``.
            MissingVectorError: the collection lacks a named vector that the policy needs.
            ServerError: Qdrant failed or could not be reached.
        """
        return self.index.run(self._search([query], k, options))[0]

    @traced("search", "RETRIEVER", _describe_search)
    async def asearch(
        self, query: Query, k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[Hit]:
        """Do :meth:`search` without blocking the event loop."""
        return (await self.index.arun(self._search([query], k, options)))[0]

    @traced("search_many", "CHAIN", _describe_searches)
    def search_many(
        self, queries: Sequence[Query], k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[list[Hit]]:
        """Do :meth:`search` for many queries, encoded together and sent in batched requests."""
        return self.index.run(self._search(queries, k, options))

    @traced("search_many", "CHAIN", _describe_searches)
    async def asearch_many(
        self, queries: Sequence[Query], k: int = 10, **options: Unpack[SearchOptions]
    ) -> list[list[Hit]]:
        """Do :meth:`search_many` without blocking the event loop."""
        return await self.index.arun(self._search(queries, k, options))

    def _search(
        self, queries: Sequence[Query], k: int, options: SearchOptions
    ) -> Operation[list[list[Hit]]]:
        if isinstance(queries, str | ParsedQuery | Expression) or not isinstance(queries, Sequence):
            raise InputError("search_many takes a list of queries; use search for a single one")
        checked = [check_query(query) for query in queries]
        policy = options.get("policy")
        chosen = self.policy if policy is None else self._with_own_fields(resolve_policy(policy))
        asked = check_options(options, k, chosen, self.validity, self.index.prefixes)
        if asked.strict_fields and self.fields and not isinstance(chosen, AutoPolicy):
            raise ConfigurationError(
                f"policy {chosen.name!r} reads no fields, so strict_fields=True cannot hold; take"
                " policy 'auto'"
            )
        encoder = self.index.encoder  # one for the whole search, even if it is replaced meanwhile
        specs, vectors = encoder.specs, self.index.vectors
        reranker = yield from resolve_judge(self.reranker, "reranker")
        read = 0 if reranker is None else reranker.constants.candidates
        planned = yield from plan_queries(
            checked,
            chosen,
            specs,
            vectors,
            asked.wanted,
            asked.exclude,
            hard=asked.hard,
            today=asked.today,
            read=read,
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

        for _ in range(ATTEMPTS):
            relaxed, pools = yield from self._find(planned, searches, asked, judge, reranker)
            groupings = asked.groupings(relaxed, judge, reranker) or repeat(None, len(pools))
            candidates = [
                rank_candidates(
                    query.policy,
                    pool,
                    query.depth,
                    query.request,
                    judge,
                    query.question,
                    reranker,
                    grouping,
                )
                for query, pool, grouping in zip(relaxed, pools, groupings, strict=True)
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
        candidates = [
            prefer_fields(each, passages, query.preferences)
            for each, query in zip(candidates, relaxed, strict=True)
        ]
        rankings = yield from judge_candidates(candidates, passages, judge, reranker)
        hit_lists = []
        for query, pool, ranking in zip(relaxed, pools, rankings, strict=True):
            if asked.min_score is not None:
                ranking = [ranked for ranked in ranking if ranked.score >= asked.min_score]
            hits = build_hits(query.policy.name, pool, ranking, passages)
            by_group = asked.group_by is not None
            if query.words is not None:
                read_by = query.read_by(judge)
                hits = _left_over(hits, query.words, asked.wanted, read_by, by_group=by_group)
            if by_group:
                hits = grouped(hits, k, asked.per_group, asked.offset)
            else:
                hits = hits[asked.offset : asked.wanted]
            hit_lists.append(with_reading(hits, query.reading))
        return hit_lists

    @property
    def fields(self) -> Mapping[str, Any]:
        """What metadata fields hold, as declared."""
        return self.policy.fields if isinstance(self.policy, AutoPolicy) else {}

    def _with_own_fields(self, policy: Policy | PolicyRouter) -> Policy | PolicyRouter:
        """Give a search's own policy ``auto`` the engine's fields, unless it has some."""
        has_none = isinstance(policy, AutoPolicy) and not policy.fields
        return with_fields(policy, self.fields) if has_none else policy

    def _find(
        self,
        planned: Sequence[PlannedQuery],
        searches: Sequence[Sequence[EncodedVectorQuery]],
        asked: CheckedOptions,
        judge: WeightedJudge | None,
        reranker: WeightedJudge | None,
    ) -> Operation[tuple[list[PlannedQuery], list[CandidatePool]]]:
        """Find candidates.

        Unless ``strict_fields`` says otherwise, a query whose fields empty the list prefers them.
        """

        def find(which: Sequence[int]) -> Operation[list[CandidatePool]]:
            chosen = [queries[i] for i in which]
            return self.index.find_candidates(
                [searches[i] for i in which],
                asked.filter,
                [[*query.filters, *asked.filters] for query in chosen],
                asked.params,
                asked.groupings(chosen, judge, reranker),
            )

        queries = [*planned]
        pools = yield from find(range(len(queries)))
        unmet = [i for i, query in enumerate(queries) if query.required and not pools[i].ids]
        if not unmet:
            return queries, pools
        said = "; ".join(map(str, queries[unmet[0]].required))
        if asked.strict_fields:
            warn(
                EmptyFilterWarning,
                f"no passage that this search may find meets {said}, so a list of hits is empty",
            )
            return queries, pools
        for i in unmet:
            queries[i] = queries[i].preferring()
        found = yield from find(unmet)
        for i, pool in zip(unmet, found, strict=True):
            pools[i] = pool
        if any(pool.ids for pool in found):
            warn(
                EmptyFilterWarning,
                f"no passage that this search may find meets {said}; those near to it come first."
                " strict_fields=True returns none",
            )
        return queries, pools


def _left_over(
    hits: Sequence[Hit], words: ExcludedWords, k: int, question: str, *, by_group: bool
) -> list[Hit]:
    """Return the hits that may stay; warn if the search read too few candidates.

    These are the first k hits, or all if they will be grouped.
    """
    kept = leave_out(hits, words, len(hits) if by_group else k, question)
    if by_group:
        too_few = count_groups(kept) < k <= count_groups(hits)
    else:
        too_few = len(kept) < k and len(hits) >= candidates_for(k)
    if too_few:
        warn(
            ShortListWarning,
            f"of the first {len(hits)} candidates so many were left out that fewer than {k} remain;"
            " hard looks no further. A filter would find others.",
        )
    return kept
