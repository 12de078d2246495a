"""The search engine: query -> policy -> plan -> encode -> candidates -> ranking -> hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from logic_retrievers.checks import MAX_COUNT, check_count, check_number, check_type
from logic_retrievers.effects import Operation
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyFilterWarning,
    InputError,
    MissingVectorError,
    ShortListWarning,
    warn,
)
from logic_retrievers.index.groups import Grouping, check_group_by
from logic_retrievers.index.search_params import SearchParams, check_params
from logic_retrievers.judging.settings import AnyJudge, check_any_judge, resolve_judge
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
from logic_retrievers.ranking.grouped import count_groups, grouped, groupings_for
from logic_retrievers.ranking.order import (
    build_hits,
    judge_candidates,
    prefer_fields,
    rank_candidates,
    with_reading,
)
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    Query,
    check_exclude,
    check_now,
    check_query,
)
from logic_retrievers.tracing import Attributes, own_attributes, retrieval_attributes, traced
from logic_retrievers.types import CandidatePool, Hit
from logic_retrievers.validation import check_parts
from logic_retrievers.validity import AsOf, Validity, check_as_of, check_validity, validity_filter

if TYPE_CHECKING:
    from qdrant_client import models

    from logic_retrievers.index.candidate_search import EncodedVectorQuery
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
        now: date or time from which "last year" and "two weeks ago" count; also ISO 8601 text. By
            default the clock's.
        strict_fields: what a query requires of declared fields (see
            :class:`~logic_retrievers.AutoPolicy`) is a filter. If no passage meets it, the list is
            empty if this is True. By default passages that are near to it come first. Both warn.
        offset: number of first hits to skip; ranks continue behind them.
        group_by: return the best passages of k documents, or other groups, see below: ``source``,
            or a field of the metadata.
        per_group: greatest number of hits of one group.
        params: search parameters of Qdrant for the search of candidates, as a ``SearchParams`` or a
            dict of its fields ``hnsw_ef``, ``exact``, ``quantization``, ``indexed_only`` and
            ``acorn``. Only fields that are set replace the package's own; scores stay exact.
        as_of: only passages that are valid at this time are searched, under an engine with
            ``validity``: a date, a datetime, or ISO 8601 text. Of a partial date ("2024-05") the
            start counts; a time without a zone is UTC. The default is now, and "any" searches
            passages whatever their validity.

    ``hard`` works with every policy. It looks for each excluded text as whole words in a passage's
    text, embedded text and title; see
    :class:`logic_retrievers.ranking.excluded_words.ExcludedWords`. With ``auto`` and ``boolean``,
    texts that the query itself excludes count too. A judge with a probability of at least .7
    overrules the words: "nut-free" may stay, walnuts may go. The search reads the first 200
    candidates, or ten times k if that is more. ``evidence.details["left_out"]`` counts the passages
    left out before the last hit.

    ``group_by`` keeps a long document from crowding out the others. k counts groups, and so does
    ``offset``. The best k groups by their best hits are returned, each with at most ``per_group``
    hits, in one list in the order of the policy. ``source`` is the passage's source, or the field
    of that name in its metadata if it has none. A passage without a value, or with several, is a
    group of its own. The search looks for further groups until there are k.
    ``evidence.details["group"]`` has the value.
    """

    policy: AnyPolicy | None
    filter: UserFilter
    min_score: float | None
    exclude: Sequence[str]
    hard: Hard
    now: date | str | None
    strict_fields: bool
    offset: int
    group_by: str | None
    per_group: int
    params: SearchParams
    as_of: AsOf


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
        if unknown := sorted(options.keys() - SearchOptions.__annotations__.keys()):
            names = ", ".join(sorted(SearchOptions.__annotations__))
            raise ConfigurationError(f"a search has no option {unknown[0]!r}; there is {names}")
        policy, min_score = options.get("policy"), options.get("min_score")
        exclude, hard = options.get("exclude", ()), options.get("hard", False)
        strict = options.get("strict_fields", False)
        check_type("strict_fields", strict, bool)
        if isinstance(queries, str | ParsedQuery | Expression) or not isinstance(queries, Sequence):
            raise InputError("search_many takes a list of queries; use search for a single one")
        checked = [check_query(query) for query in queries]
        check_count("k", k)
        offset, per_group = options.get("offset", 0), options.get("per_group", 1)
        group_by, params = options.get("group_by"), check_params(options.get("params"))
        check_count("offset", offset, MAX_COUNT - k, least=0)
        check_group_by(group_by, per_group, self.index.prefixes)
        wanted = offset + k
        if min_score is not None:
            check_number("min_score", min_score)
        chosen = self.policy if policy is None else self._with_own_fields(resolve_policy(policy))
        excluded = check_exclude(exclude, hard, chosen)
        today = check_now(options.get("now"))
        moment = check_as_of(options.get("as_of"), self.validity)
        valid = [validity_filter(self.validity, moment)] if self.validity and moment else []
        encoder = self.index.encoder  # one for the whole search, even if it is replaced meanwhile
        specs, vectors = encoder.specs, self.index.vectors
        reranker = yield from resolve_judge(self.reranker, "reranker")
        read = 0 if reranker is None else reranker.constants.candidates
        planned = yield from plan_queries(
            checked, chosen, specs, vectors, wanted, excluded, hard=hard, today=today, read=read
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

        def groupings(queries: Sequence[PlannedQuery]) -> list[Grouping] | None:
            if group_by is None:
                return None
            return groupings_for(queries, group_by, wanted, per_group, judge, reranker)

        for _ in range(ATTEMPTS):
            relaxed, pools = yield from self._find(
                planned, searches, options.get("filter"), valid, strict, params, groupings
            )
            of_queries: Sequence[Grouping | None] = groupings(relaxed) or [None] * len(relaxed)
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
                for query, pool, grouping in zip(relaxed, pools, of_queries, strict=True)
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
            if min_score is not None:
                ranking = [ranked for ranked in ranking if ranked.score >= min_score]
            hits = build_hits(query.policy.name, pool, ranking, passages)
            if query.words is not None:
                hits = _left_over(
                    hits, query.words, wanted, query.read_by(judge), by_group=group_by is not None
                )
            hits = hits[offset:wanted] if group_by is None else grouped(hits, k, per_group, offset)
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
        user_filter: UserFilter,
        valid: Sequence[Mapping[str, Any]],
        strict: bool,
        params: models.SearchParams | None,
        groupings: Callable[[Sequence[PlannedQuery]], list[Grouping] | None],
    ) -> Operation[tuple[list[PlannedQuery], list[CandidatePool]]]:
        """Find candidates; unless ``strict``, a query whose fields empty the list prefers them."""
        queries = [*planned]
        filters = [[*query.filters, *valid] for query in queries]
        pools = yield from self.index.find_candidates(
            searches, user_filter, filters, params, groupings(queries)
        )
        unmet = [i for i, query in enumerate(queries) if query.required and not pools[i].ids]
        said = "; ".join(str(each) for i in unmet[:1] for each in queries[i].required)
        if strict and unmet:
            warn(EmptyFilterWarning, f"no passage meets {said}, so a list of hits is empty")
        if strict or not unmet:
            return queries, pools
        relaxed = [queries[i].preferring() for i in unmet]
        found = yield from self.index.find_candidates(
            [searches[i] for i in unmet],
            user_filter,
            [[*query.filters, *valid] for query in relaxed],
            params,
            groupings(relaxed),
        )
        for i, query, pool in zip(unmet, relaxed, found, strict=True):
            queries[i], pools[i] = query, pool
        if any(pool.ids for pool in found):
            warn(
                EmptyFilterWarning,
                f"no passage meets {said}; passages that are near to it come first."
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
