"""A data set in an embedded index, whose pools are gathered once and ranked under many settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np

from logic_retrievers.answering import AnyPolicy, Plans, leaf_searches, policy_for
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import Dataset, Query, Result, Search, evaluate
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.evaluation.metrics import (
    first_violating_rank,
    recall_at_k,
    violation_at_k,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.ids import point_id
from logic_retrievers.policies import Policy, resolve_policy
from logic_retrievers.procedures import Procedure
from logic_retrievers.queries import RuleParser
from logic_retrievers.report.through_engine import indexed
from logic_retrievers.types import Leaf, Pool

DEPTH = 100
"""Length of the lists that are measured."""


GLANCED: Mapping[str, Callable[[Query, Sequence[str]], float]] = {
    "R@1": lambda query, ids: recall_at_k(ids, query.grades, 1),
    "R@5": lambda query, ids: recall_at_k(ids, query.grades, 5),
    "R@10": lambda query, ids: recall_at_k(ids, query.grades, 10),
    "V@5": lambda query, ids: violation_at_k(ids, query.violating, 5),
    "FVR": lambda query, ids: float(first_violating_rank(ids, query.violating)),
}
"""What is measured of one setting of many, on sets whose queries all have both labels."""


class Searching:
    """The queries of a data set over its documents, under any policy.

    A chooser gets each query as :class:`RuleParser` reads it, which reads it once. Lists are those
    that the engine gives. Policies that look up the same (all settings of a union, say) share their
    pools, so that each further setting costs its ranking alone.

    Args:
        dataset: whose documents the index holds.
        index: with all its vectors trained.
        seed: of the intervals.
    """

    def __init__(self, dataset: Dataset, index: PassageIndex, seed: int = 0) -> None:
        self.dataset = dataset
        self._index = index
        self._seed = seed
        self._documents = {point_id(document): document for document in dataset.documents}
        self._pools: dict[tuple[Leaf, ...], Pool] = {}
        self._parsed = cache(RuleParser().parse)

    def search(self, policy: AnyPolicy, most: int | None = None) -> Search:
        """What ``evaluate`` asks.

        Args:
            policy: a name or an instance.
            most: length of the list that the policy is asked for, where it is not that of the
                evaluation.
        """
        chosen = resolve_policy(policy)

        def rankings(texts: Sequence[str], k: int) -> list[Ranking]:
            specs, vectors = self._index.encoder.specs, self._index.vectors
            parsed = map(self._parsed, texts)
            policies = [policy_for(query, chosen, specs, vectors) for query in parsed]
            plans = [one.plan(text, k) for one, text in zip(policies, texts, strict=True)]
            self._fill(plans)
            return [
                self._ranking(one, self._pools[plan], min(k, most or k))
                for one, plan in zip(policies, plans, strict=True)
            ]

        return rankings

    def measured(self, policy: AnyPolicy, label: str = "", most: int | None = None) -> Result:
        """The figures of a policy, with intervals."""
        search = self.search(policy, most)
        return evaluate(self.dataset, search, DEPTH, policy=label, seed=self._seed)

    def glanced(self, policy: AnyPolicy) -> dict[str, float]:
        """:data:`GLANCED` of one setting of many; means over the queries that each applies to."""
        texts = [query.text for query in self.dataset.queries]
        values: dict[str, list[float]] = {name: [] for name in GLANCED}
        for query, ranking in zip(
            self.dataset.queries, self.search(policy)(texts, 10), strict=True
        ):
            ids = [document for document, _ in ranking]
            for name, of in GLANCED.items():
                values[name].append(of(query, ids))
        return {name: float(np.nanmean(of_queries)) for name, of_queries in values.items()}

    def _fill(self, plans: Plans) -> None:
        new = list(dict.fromkeys(plan for plan in plans if plan not in self._pools))
        if new:
            self._pools |= zip(new, self._index.run(self._gather(new)), strict=True)

    def _gather(self, plans: Plans) -> Procedure[list[Pool]]:
        searches = yield from leaf_searches(plans, self._index.encoder)
        return (yield from self._index.gather(searches))

    def _ranking(self, policy: Policy, pool: Pool, k: int) -> Ranking:
        return [(self._documents[pool.ids[one.index]], one.score) for one in policy.rank(pool, k)]


@contextmanager
def searching(
    dataset: Dataset, encoder: Encoder, seed: int = 0, *, lexical: bool = False
) -> Iterator[Searching]:
    """A data set in an embedded index.

    Args:
        dataset: what to store and to ask.
        encoder: makes the vectors; give one that keeps them.
        seed: of the intervals.
        lexical: store the vector of words too, which policies then read.
    """
    with indexed(dataset, encoder, lexical=lexical) as index:
        yield Searching(dataset, index, seed)
