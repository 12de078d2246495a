"""Passages that an exclusion moves down, and where they stand once it is taken out of the query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from logic_retrievers.engine import Engine
from logic_retrievers.evaluation import Dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    Chooser,
    Policy,
    Ranked,
    TopicalPolicy,
)
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.queries.parsed import Kind
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import Evidence, Hit, Leaf, Pool

Asking: TypeAlias = AutoPolicy | BooleanPolicy
"""Policies that ask a parser what a query rules out."""

DEPTH = 100
"""Of plain search: what stands deeper in it is not looked at."""


@dataclass(frozen=True, slots=True)
class Demotion:
    """A passage that stands lower than in plain search for what it says of something ruled out.

    Args:
        query: id of the query.
        parsed: what the query rules out.
        passage: id.
        topical: rank in plain search for the query's text.
        ranked: rank under the policy.
        traps: the constraints that the evidence's reason names.
    """

    query: str
    parsed: ParsedQuery
    passage: str
    topical: int
    ranked: int
    traps: tuple[str, ...]


class Moved(NamedTuple):
    """The demotions of a data set, and how many passages stand lower without a penalty."""

    demotions: list[Demotion]
    others: int


@dataclass(frozen=True, slots=True)
class Return:
    """Where a demoted passage stands once the named constraints are taken out.

    Args:
        demotion: what it comes back from.
        lifted: rank under the policy where the parse no longer holds the constraints; their words
            stay in the text.
        still: what else of the query moves it down then.
        cut: rank under the policy for the text without its excluding clauses, parsed anew.
        cut_plain: rank in plain search for that shorter text.
        left: what kind of query the shorter text is.
    """

    demotion: Demotion
    lifted: int
    still: tuple[str, ...]
    cut: int
    cut_plain: int
    left: Kind


@dataclass(frozen=True)
class _WholePool(Chooser):
    """Ranks every candidate: what an exclusion moves down may fall behind the first k."""

    chooser: Asking
    name: ClassVar[str] = "whole-pool"

    def choose(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The chooser's own policy, listing all."""
        return _Listing(self.chooser.choose(query, trained, constants))


@dataclass(frozen=True)
class _Listing(Policy):
    policy: Policy
    name: ClassVar[str] = "whole-pool"

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        return self.policy.plan(query, k)

    def rank(self, pool: Pool, k: int) -> Sequence[Ranked]:
        del k
        return self.policy.rank(pool, len(pool.ids))


def demoted(index: PassageIndex, queries: Mapping[str, ParsedQuery], chooser: Asking) -> Moved:
    """What a policy moves down of the first :data:`DEPTH` passages of plain search.

    A passage is demoted that stands lower than in plain search, and lower than without the penalty
    that the policy gave it.

    Args:
        index: holds the passages.
        queries: id -> an exclusion.
        chooser: the policy.
    """
    parsed = list(queries.values())
    engine = Engine(index, _WholePool(chooser))
    plain = engine.search_many([one.text for one in parsed], DEPTH, policy=TopicalPolicy())
    listed = engine.search_many(parsed, DEPTH)
    wanted = engine.search_many([Atom(one.target) for one in parsed], DEPTH)
    found: list[Demotion] = []
    others = 0
    for (name, query), before, after, free in zip(
        queries.items(), plain, listed, wanted, strict=True
    ):
        topical = {hit.passage.id: hit.rank for hit in before}
        unpenalised = _unpenalised(after) or {hit.passage.id: hit.rank for hit in free}
        for hit in after:
            rank = topical.get(hit.passage.id)
            if rank is None or hit.rank <= rank:
                continue
            if hit.rank > unpenalised[hit.passage.id]:
                found.append(_demotion(name, query, hit, rank))
            else:
                others += 1
    return Moved(found, others)


def one_each(demotions: Sequence[Demotion], random: Random) -> list[Demotion]:
    """One drawn demotion of every query."""
    of_query: dict[str, list[Demotion]] = {}
    for demotion in demotions:
        of_query.setdefault(demotion.query, []).append(demotion)
    return [random.choice(some) for some in of_query.values()]


def returns(
    index: PassageIndex, dataset: Dataset, demotions: Sequence[Demotion], chooser: Asking
) -> list[Return]:
    """Where each of them stands once what its evidence names is taken out of the query.

    Args:
        index: holds the passages of the data set.
        dataset: where the demotions are from.
        demotions: whose evidence names something.
        chooser: the policy that demoted.
    """
    engine, depth = Engine(index, chooser), len(dataset.documents)
    targets = [one.parsed.target for one in demotions]
    kept = engine.search_many([lifted(one.parsed, one.traps) for one in demotions], depth)
    cut = engine.search_many(targets, depth)
    plain = engine.search_many(targets, depth, policy=TopicalPolicy())
    found = []
    for one, *lists in zip(demotions, kept, cut, plain, strict=True):
        first, second, third = (
            next(hit for hit in hits if hit.passage.id == one.passage) for hits in lists
        )
        left = chooser.parser.parse(one.parsed.target).kind
        still = named_traps(first.evidence)
        found.append(Return(one, first.rank, still, second.rank, third.rank, left))
    return found


def lifted(parsed: ParsedQuery, traps: Collection[str]) -> ParsedQuery:
    """The same words without some of the constraints that were read in them."""
    left = tuple(trap for trap in parsed.traps if trap not in traps)
    return replace(parsed, traps=left, expression=None) if left else ParsedQuery(parsed.text)


def _unpenalised(hits: Sequence[Hit]) -> dict[str, int]:
    """Passage -> rank by the score without the penalty; empty where the evidence tells none."""
    if not all("penalty" in hit.evidence.details for hit in hits):
        return {}
    scores = [hit.score + hit.evidence.details["penalty"] for hit in hits]
    ranks = ordinal_ranks(np.array(scores))
    return {hit.passage.id: int(rank) for hit, rank in zip(hits, ranks, strict=True)}


def _demotion(query: str, parsed: ParsedQuery, hit: Hit, topical: int) -> Demotion:
    traps = named_traps(hit.evidence)
    return Demotion(query, parsed, hit.passage.id, topical, hit.rank, traps)


def named_traps(evidence: Evidence) -> tuple[str, ...]:
    """The constraints that a reason names for a passage's place."""
    details = evidence.details
    if "atoms" in details:
        traps = [one["text"] for one in details["atoms"] if one["verdict"] == "violated"]
    else:
        traps = details.get("traps", [])
    return tuple(trap for trap in traps if trap in evidence.reason)
