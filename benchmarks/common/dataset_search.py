"""Search over a data set: BM25, the engine, or many settings of a policy over shared pools."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np

from logic_retrievers.effects import Operation
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning, MissingExtraError
from logic_retrievers.evaluation import Dataset, EvaluationResult, Query, Search, evaluate
from logic_retrievers.evaluation.metrics import (
    Ranking,
    first_violating_rank,
    recall_at_k,
    violation_at_k,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import point_id
from logic_retrievers.judging.settings import AnyJudge
from logic_retrievers.policies import Policy, resolve_policy
from logic_retrievers.queries import RuleParser
from logic_retrievers.ranking.execution import Plans, encode_plans, select_policy
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.ranking.query_input import Query as SearchQuery
from logic_retrievers.search import Engine
from logic_retrievers.types import CandidatePool, Passage, VectorQuery

DEPTH = 100
"""Length of the evaluated lists."""


QUICK_METRICS: Mapping[str, Callable[[Query, Sequence[str]], float]] = {
    "R@1": lambda query, ids: recall_at_k(ids, query.grades, 1),
    "R@5": lambda query, ids: recall_at_k(ids, query.grades, 5),
    "R@10": lambda query, ids: recall_at_k(ids, query.grades, 10),
    "V@5": lambda query, ids: violation_at_k(ids, query.violating, 5),
    "FVR": lambda query, ids: float(first_violating_rank(ids, query.violating)),
}
"""Metrics of a grid search; every query must have satisfying and violating labels."""


class DatasetSearch:
    """Searches the documents of a data set for all its queries, under any policy.

    Each query is parsed once by :class:`RuleParser`. Lists are those of the engine. Policies with
    the same plan (such as all settings of a union) share candidate pools, so each further setting
    costs only its ranking.

    Args:
        dataset: with the documents of the index.
        index: with all vectors that policies need.
        seed: of the intervals.
    """

    def __init__(self, dataset: Dataset, index: PassageIndex, seed: int = 0) -> None:
        self.dataset = dataset
        self.index = index
        self._seed = seed
        self._documents = {point_id(document): document for document in dataset.documents}
        self._pools: dict[tuple[VectorQuery, ...], CandidatePool] = {}
        self._parsed = cache(RuleParser().parse)

    def search(self, policy: AnyPolicy, most: int | None = None) -> Search:
        """A search function for ``evaluate``.

        Args:
            policy: a name or an instance.
            most: shorter length of the ranked list, if not that of the evaluation.
        """
        chosen = resolve_policy(policy)

        def rankings(texts: Sequence[str], k: int) -> list[Ranking]:
            specs, vectors = self.index.encoder.specs, self.index.vectors
            parsed = map(self._parsed, texts)
            policies = [select_policy(query, chosen, specs, vectors) for query in parsed]
            plans = [policy.plan(text, k) for policy, text in zip(policies, texts, strict=True)]
            self._fill(plans)
            return [
                self._ranking(policy, self._pools[plan], min(k, most or k))
                for policy, plan in zip(policies, plans, strict=True)
            ]

        return rankings

    def evaluate(
        self, policy: AnyPolicy, label: str = "", most: int | None = None
    ) -> EvaluationResult:
        """All metrics of a policy, with intervals."""
        search = self.search(policy, most)
        return evaluate(self.dataset, search, DEPTH, policy=label, seed=self._seed)

    def quick_metrics(self, policy: AnyPolicy) -> dict[str, float]:
        """Means of :data:`QUICK_METRICS`, without intervals."""
        texts = [query.text for query in self.dataset.queries]
        values: dict[str, list[float]] = {name: [] for name in QUICK_METRICS}
        for query, ranking in zip(
            self.dataset.queries, self.search(policy)(texts, 10), strict=True
        ):
            ids = [document for document, _ in ranking]
            for name, measure in QUICK_METRICS.items():
                values[name].append(measure(query, ids))
        return {name: float(np.nanmean(of_queries)) for name, of_queries in values.items()}

    def _fill(self, plans: Plans) -> None:
        new = list(dict.fromkeys(plan for plan in plans if plan not in self._pools))
        if new:
            self._pools |= zip(new, self.index.run(self._gather(new)), strict=True)

    def _gather(self, plans: Plans) -> Operation[list[CandidatePool]]:
        searches = yield from encode_plans(plans, self.index.encoder, self.index.language)
        return (yield from self.index.find_candidates(searches))

    def _ranking(self, policy: Policy, pool: CandidatePool, k: int) -> Ranking:
        return [
            (self._documents[pool.ids[ranked.index]], ranked.score)
            for ranked in policy.rank(pool, k)
        ]


@contextmanager
def open_dataset_search(
    dataset: Dataset, encoder: Encoder, seed: int = 0, *, lexical: bool = False
) -> Iterator[DatasetSearch]:
    """A data set in an embedded index.

    Args:
        dataset: documents and queries.
        encoder: of the vectors; best a cached one.
        seed: of the intervals.
        lexical: whether to store the lexical vector too.
    """
    with index_dataset(dataset, encoder, lexical=lexical) as index:
        yield DatasetSearch(dataset, index, seed)


VECTORS = ("topical", "compatibility")
"""Dense vectors that policies read."""


@contextmanager
def index_dataset(
    dataset: Dataset, encoder: Encoder, *, lexical: bool = False
) -> Iterator[PassageIndex]:
    """The documents of a data set in an embedded index.

    Args:
        dataset: with the documents.
        encoder: of the vectors; best a cached one.
        lexical: whether to store the lexical vector too.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # they are cut for every system alike
        with PassageIndex.open("report", encoder, vectors=VECTORS, lexical=lexical) as index:
            index.add(Passage(name, text) for name, text in dataset.documents.items())
            yield index


def engine_search(
    index: PassageIndex,
    policy: AnyPolicy,
    queries: Sequence[SearchQuery],
    judge: AnyJudge = "auto",
) -> Search:
    """A search function for ``evaluate`` that ignores its texts and searches for ``queries``.

    Args:
        index: of the data set's documents.
        policy: a name or an instance.
        queries: texts or expressions, in the order of the data set's queries.
        judge: of the engine.
    """
    engine = Engine(index, policy, judge=judge)

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        hit_lists = engine.search_many(queries, k)
        return [[(hit.passage.id, hit.score) for hit in hits] for hits in hit_lists]

    return search


def evaluate_policy(
    dataset: Dataset, index: PassageIndex, policy: AnyPolicy, k: int = DEPTH
) -> EvaluationResult:
    """All metrics of the engine's lists under one policy."""
    search = engine_search(index, policy, [query.text for query in dataset.queries])
    return evaluate(dataset, search, k, policy=policy if isinstance(policy, str) else policy.name)


def bm25_search(dataset: Dataset) -> Search:
    """BM25 of the ``bm25s`` library with its defaults, as a search function for ``evaluate``.

    Raises:
        MissingExtraError: bm25s is not installed.
    """
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise MissingExtraError("bm25s", "dev") from error
    ids = list(dataset.documents)
    retriever = bm25s.BM25()
    retriever.index(
        bm25s.tokenize(list(dataset.documents.values()), show_progress=False), show_progress=False
    )

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        tokens = bm25s.tokenize(list(texts), show_progress=False)
        matches, scores = retriever.retrieve(tokens, k=min(k, len(ids)), show_progress=False)
        return [
            [(ids[place], float(score)) for place, score in zip(*row, strict=True)]
            for row in zip(matches, scores, strict=True)
        ]

    return search
