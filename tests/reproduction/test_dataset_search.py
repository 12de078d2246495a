"""The report's lists are the engine's, and its pools are gathered once."""

from __future__ import annotations

import pytest
from inn_queries import DOCUMENTS, inns
from suites.hashed_encoder import HashedEncoder

from benchmarks.common.dataset_search import open_dataset_search
from logic_retrievers import (
    AutoPolicy,
    Engine,
    Passage,
    PassageIndex,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.policies import BooleanPolicy


@pytest.mark.parametrize(
    "policy",
    ["topical", "auto", SequentialPolicy(backfill=False), UnionPolicy(0.3), BooleanPolicy()],
)
def test_lists_are_those_of_the_engine(policy) -> None:  # type: ignore[no-untyped-def]
    """Else the figures are none of the package's; no judge reads them."""
    dataset = inns()
    texts = [query.text for query in dataset.queries]
    with PassageIndex.open("inns", HashedEncoder(), lexical=False) as index:
        index.add(Passage(name, text) for name, text in DOCUMENTS.items())
        engine_lists = [
            [(hit.passage.id, hit.score) for hit in hits]
            for hits in Engine(index, policy, judge=None).search_many(texts, 4)
        ]
    with open_dataset_search(dataset, HashedEncoder()) as searched:
        assert searched.search(policy)(texts, 4) == engine_lists
        assert searched.search(policy)(texts, 4) == engine_lists
        shorter = searched.search(policy, most=2)(texts, 4)
    assert [len(ranking) for ranking in shorter] == [
        min(2, len(ranking)) for ranking in engine_lists
    ]


def test_a_grid_gathers_its_pools_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of settings times a search would take the report an hour."""
    calls: list[int] = []
    find_candidates = PassageIndex.find_candidates

    def counted(self, searches, *arguments):  # type: ignore[no-untyped-def]
        calls.append(len(searches))
        return find_candidates(self, searches, *arguments)

    monkeypatch.setattr(PassageIndex, "find_candidates", counted)
    with open_dataset_search(inns(), HashedEncoder()) as searched:
        for alpha in (0.0, 0.5, 1.0):
            searched.quick_metrics(UnionPolicy(alpha))
            searched.quick_metrics(UnionPolicy(alpha, keep=0.2))
        assert calls == [4]
        searched.quick_metrics(SequentialPolicy())
        searched.quick_metrics(SequentialPolicy(tau=0.9))
        assert calls == [4, 4]


def test_a_glance_is_what_is_measured() -> None:
    with open_dataset_search(inns(), HashedEncoder()) as searched:
        for policy in ("topical", AutoPolicy()):
            metrics = searched.evaluate(policy).metrics
            quick = searched.quick_metrics(policy)
            assert quick == pytest.approx({name: metrics[name] for name in quick})
