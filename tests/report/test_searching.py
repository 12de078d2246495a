"""The report's lists are the engine's, and its pools are gathered once."""

from __future__ import annotations

import pytest
from inn_queries import DOCUMENTS, inns

from logic_retrievers import (
    AutoPolicy,
    Engine,
    Passage,
    PassageIndex,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.policies import BooleanPolicy
from logic_retrievers.report.searching import searching
from logic_retrievers.testing.hashed import HashedEncoder


@pytest.mark.parametrize(
    "policy", ["topical", "auto", SequentialPolicy(cut=True), UnionPolicy(0.3), BooleanPolicy()]
)
def test_lists_are_those_of_the_engine(policy) -> None:  # type: ignore[no-untyped-def]
    """Else the figures are none of the package's."""
    dataset = inns()
    texts = [query.text for query in dataset.queries]
    with PassageIndex.open("inns", HashedEncoder()) as index:
        index.add(Passage(name, text) for name, text in DOCUMENTS.items())
        theirs = [
            [(hit.passage.id, hit.score) for hit in hits]
            for hits in Engine(index, policy).search_many(texts, 4)
        ]
    with searching(dataset, HashedEncoder()) as searched:
        assert searched.search(policy)(texts, 4) == theirs
        assert searched.search(policy)(texts, 4) == theirs
        shorter = searched.search(policy, most=2)(texts, 4)
    assert [len(ranking) for ranking in shorter] == [min(2, len(ranking)) for ranking in theirs]


def test_a_grid_gathers_its_pools_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of settings times a search would take the report an hour."""
    calls: list[int] = []
    gather = PassageIndex.gather

    def counted(self, searches, *arguments):  # type: ignore[no-untyped-def]
        calls.append(len(searches))
        return gather(self, searches, *arguments)

    monkeypatch.setattr(PassageIndex, "gather", counted)
    with searching(inns(), HashedEncoder()) as searched:
        for alpha in (0.0, 0.5, 1.0):
            searched.glanced(UnionPolicy(alpha))
            searched.glanced(UnionPolicy(alpha, keep=0.2))
        assert calls == [4]
        searched.glanced(SequentialPolicy())
        searched.glanced(SequentialPolicy(tau=0.9))
        assert calls == [4, 4]


def test_a_glance_is_what_is_measured() -> None:
    with searching(inns(), HashedEncoder()) as searched:
        for policy in ("topical", AutoPolicy()):
            measured = searched.measured(policy).metrics
            glanced = searched.glanced(policy)
            assert glanced == pytest.approx({name: measured[name] for name in glanced})
