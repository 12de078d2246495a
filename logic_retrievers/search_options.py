"""The options of one search, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict

from logic_retrievers.checks import MAX_COUNT, check_count, check_number, check_type
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index.groups import Grouping, check_group_by
from logic_retrievers.index.search_params import SearchParams, check_params
from logic_retrievers.judging.settings import WeightedJudge
from logic_retrievers.policies import Policy, PolicyRouter
from logic_retrievers.ranking.execution import PlannedQuery
from logic_retrievers.ranking.grouped import groupings_for
from logic_retrievers.ranking.query_input import AnyPolicy, Hard, check_exclude, check_now
from logic_retrievers.validity import AsOf, Validity, check_as_of, validity_filter

if TYPE_CHECKING:
    from qdrant_client import models

    from logic_retrievers.index.filters import UserFilter


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
        now: date or time from which "last year" and "two weeks ago" count, and the default of
            ``as_of``; also ISO 8601 text. By default the clock's.
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


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """The options of one search, checked.

    Args:
        k: number of hits, or of groups.
        wanted: k and those that are skipped.
        filters: filters of all queries besides the user's.
        today: day from which relative dates count.

    :class:`SearchOptions` explains the others.
    """

    k: int
    wanted: int
    policy: Policy | PolicyRouter
    filter: UserFilter
    filters: Sequence[Mapping[str, Any]]
    min_score: float | None
    exclude: tuple[str, ...]
    hard: Hard
    today: date
    strict_fields: bool
    offset: int
    group_by: str | None
    per_group: int
    params: models.SearchParams | None

    def groupings(
        self,
        queries: Sequence[PlannedQuery],
        judge: WeightedJudge | None,
        reranker: WeightedJudge | None,
    ) -> list[Grouping] | None:
        """Return the groups to look for, for each query; None without ``group_by``."""
        if self.group_by is None:
            return None
        return groupings_for(queries, self.group_by, self.wanted, self.per_group, judge, reranker)


def check_options(
    options: SearchOptions,
    k: int,
    policy: Policy | PolicyRouter,
    validity: Validity | None,
    prefixes: Sequence[str],
) -> CheckedOptions:
    """Check the options of a search for k hits under a policy.

    Raises:
        InputError: ``exclude`` is not a list of texts, or no field can have the name ``group_by``.
        ConfigurationError: an option is unknown or cannot be used.
    """
    if unknown := sorted(options.keys() - SearchOptions.__annotations__.keys()):
        names = ", ".join(sorted(SearchOptions.__annotations__))
        raise ConfigurationError(f"a search has no option {unknown[0]!r}; there is {names}")
    check_count("k", k)
    offset = options.get("offset", 0)
    check_count("offset", offset, MAX_COUNT - k, least=0)
    group_by, per_group = options.get("group_by"), options.get("per_group", 1)
    check_group_by(group_by, per_group, prefixes)
    min_score = options.get("min_score")
    if min_score is not None:
        check_number("min_score", min_score)
    strict_fields = options.get("strict_fields", False)
    check_type("strict_fields", strict_fields, bool)
    exclude, hard = options.get("exclude", ()), options.get("hard", False)
    now, as_of = options.get("now"), options.get("as_of")
    today = check_now(now)
    moment = check_as_of(now if as_of is None and validity else as_of, validity)
    return CheckedOptions(
        k=k,
        wanted=offset + k,
        policy=policy,
        filter=options.get("filter"),
        filters=[validity_filter(validity, moment)] if validity and moment else [],
        min_score=min_score,
        exclude=check_exclude(exclude, hard, policy),
        hard=hard,
        today=today,
        strict_fields=strict_fields,
        offset=offset,
        group_by=group_by,
        per_group=per_group,
        params=check_params(options.get("params")),
    )
