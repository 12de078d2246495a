"""Passages that an exclusion demotes, and their ranks without that exclusion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from logic_retrievers.evaluation import Dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    Policy,
    PolicyRouter,
    Ranked,
    TopicalPolicy,
)
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.queries.parsed_query import Kind
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.search import Engine
from logic_retrievers.types import CandidatePool, Evidence, Hit, VectorQuery

ParsingPolicy: TypeAlias = AutoPolicy | BooleanPolicy
"""Policies that parse what a query excludes."""

DEPTH = 100
"""Ranks of plain search that are examined."""


@dataclass(frozen=True, slots=True)
class Demotion:
    """A passage that an exclusion ranks lower than plain search does.

    Args:
        query: id of the query.
        parsed: what the query excludes.
        passage: id.
        plain_rank: rank in plain search for the query's text.
        policy_rank: rank under the policy.
        excluded: the constraints that the evidence's reason names.
    """

    query: str
    parsed: ParsedQuery
    passage: str
    plain_rank: int
    policy_rank: int
    excluded: tuple[str, ...]


class DemotionResult(NamedTuple):
    """The demotions of a data set, and how many passages rank lower without a penalty."""

    demotions: list[Demotion]
    others: int


@dataclass(frozen=True, slots=True)
class Return:
    """Ranks of a demoted passage without the constraints that its evidence names.

    Args:
        demotion: of the passage.
        lifted_rank: rank under the policy where the parse no longer has the constraints; their
            words stay in the text.
        remaining_exclusions: other constraints that still demote it then.
        shortened_rank: rank under the policy for the text without its excluding clauses, parsed
            anew.
        shortened_plain_rank: rank in plain search for that shorter text.
        remaining_kind: kind of the shorter query.
    """

    demotion: Demotion
    lifted_rank: int
    remaining_exclusions: tuple[str, ...]
    shortened_rank: int
    shortened_plain_rank: int
    remaining_kind: Kind


@dataclass(frozen=True)
class _WholePool(PolicyRouter):
    """Ranks every candidate: a demoted passage may fall behind the first k."""

    router: ParsingPolicy
    name: ClassVar[str] = "whole-pool"

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The router's own policy, listing all candidates."""
        return _Listing(self.router.route(query, trained, constants))


@dataclass(frozen=True)
class _Listing(Policy):
    policy: Policy
    name: ClassVar[str] = "whole-pool"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        return self.policy.plan(query, k)

    def rank(self, pool: CandidatePool, k: int) -> Sequence[Ranked]:
        del k
        return self.policy.rank(pool, len(pool.ids))


def find_demotions(
    index: PassageIndex, queries: Mapping[str, ParsedQuery], router: ParsingPolicy
) -> DemotionResult:
    """The first :data:`DEPTH` passages of plain search that a policy demotes.

    A passage is demoted if it ranks lower than in plain search, and lower than it would without
    its penalty.

    Args:
        index: holds the passages.
        queries: id -> an exclusion.
        router: the policy.
    """
    parsed = list(queries.values())
    engine = Engine(index, _WholePool(router), judge=None)
    plain = engine.search_many([query.text for query in parsed], DEPTH, policy=TopicalPolicy())
    listed = engine.search_many(parsed, DEPTH)
    wanted = engine.search_many([Atom(query.wanted) for query in parsed], DEPTH)
    demotions: list[Demotion] = []
    others = 0
    for (name, query), plain_hits, hits, wanted_hits in zip(
        queries.items(), plain, listed, wanted, strict=True
    ):
        plain_ranks = {hit.passage.id: hit.rank for hit in plain_hits}
        unpenalised = _unpenalised_ranks(hits) or {hit.passage.id: hit.rank for hit in wanted_hits}
        for hit in hits:
            rank = plain_ranks.get(hit.passage.id)
            if rank is None or hit.rank <= rank:
                continue
            if hit.rank > unpenalised[hit.passage.id]:
                demotions.append(_build_demotion(name, query, hit, rank))
            else:
                others += 1
    return DemotionResult(demotions, others)


def draw_one_per_query(demotions: Sequence[Demotion], random: Random) -> list[Demotion]:
    """A random demotion of every query."""
    of_query: dict[str, list[Demotion]] = {}
    for demotion in demotions:
        of_query.setdefault(demotion.query, []).append(demotion)
    return [random.choice(choices) for choices in of_query.values()]


def find_returns(
    index: PassageIndex, dataset: Dataset, demotions: Sequence[Demotion], router: ParsingPolicy
) -> list[Return]:
    """Ranks of the demoted passages once the constraints that their evidence names are removed.

    Args:
        index: holds the passages of the data set.
        dataset: where the demotions are from.
        demotions: with evidence that names a constraint.
        router: the policy that demoted.
    """
    engine, depth = Engine(index, router, judge=None), len(dataset.documents)
    wanted_texts = [demotion.parsed.wanted for demotion in demotions]
    lifted = engine.search_many(
        [lift_constraints(demotion.parsed, demotion.excluded) for demotion in demotions], depth
    )
    shortened = engine.search_many(wanted_texts, depth)
    shortened_plain = engine.search_many(wanted_texts, depth, policy=TopicalPolicy())
    results = []
    for demotion, *lists in zip(demotions, lifted, shortened, shortened_plain, strict=True):
        first, second, third = (
            next(hit for hit in hits if hit.passage.id == demotion.passage) for hits in lists
        )
        results.append(
            Return(
                demotion,
                lifted_rank=first.rank,
                remaining_exclusions=named_exclusions(first.evidence),
                shortened_rank=second.rank,
                shortened_plain_rank=third.rank,
                remaining_kind=router.parser.parse(demotion.parsed.wanted).kind,
            )
        )
    return results


def lift_constraints(parsed: ParsedQuery, excluded: Collection[str]) -> ParsedQuery:
    """The query with the same words, without some of its parsed constraints."""
    remaining = tuple(text for text in parsed.excluded if text not in excluded)
    if not remaining:
        return ParsedQuery(parsed.text)
    return replace(parsed, excluded=remaining, expression=None)


def _unpenalised_ranks(hits: Sequence[Hit]) -> dict[str, int]:
    """Passage -> rank by the score without the penalty; empty if the evidence has none."""
    if not all("penalty" in hit.evidence.details for hit in hits):
        return {}
    scores = [hit.score + hit.evidence.details["penalty"] for hit in hits]
    ranks = ordinal_ranks(np.array(scores))
    return {hit.passage.id: int(rank) for hit, rank in zip(hits, ranks, strict=True)}


def _build_demotion(query: str, parsed: ParsedQuery, hit: Hit, plain_rank: int) -> Demotion:
    excluded = named_exclusions(hit.evidence)
    return Demotion(query, parsed, hit.passage.id, plain_rank, hit.rank, excluded)


def named_exclusions(evidence: Evidence) -> tuple[str, ...]:
    """The constraints that the reason of a rank names."""
    details = evidence.details
    if "atoms" in details:
        excluded = [atom["text"] for atom in details["atoms"] if atom["verdict"] == "violated"]
    else:
        excluded = details.get("excluded", [])
    return tuple(text for text in excluded if text in evidence.reason)
