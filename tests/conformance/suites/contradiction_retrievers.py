"""Tests that a framework's retriever of contradictions must pass."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import pytest

from logic_retrievers.contradiction import ContradictionSearch
from logic_retrievers.errors import EmptyTextError, MissingVectorError
from logic_retrievers.index import PassageIndex
from suites.contradicting_passages import (
    COPPER,
    DOGS,
    NINE,
    contradicting_passages,
    contradiction_encoder,
)
from suites.evidence import check_evidence, check_results
from suites.sample_passages import Retrieved
from suites.watched_encoder import WatchedEncoder

STATEMENTS = (NINE, DOGS, COPPER, "The pool of the inn opens at noon in the morning.")
SETTINGS: list[dict[str, Any]] = [
    {"k": 1},
    {"k": 100},
    {"k": 3, "filter": {"source": "inn"}},
    {"k": 3, "filter": {"source": {"not": "blog"}}},
    {"k": 5, "min_probability": 0.5},
    {"k": 1, "candidates": 2},
    {"k": 4, "alpha": 0.0},
]


class ContradictionRetrieverConformance(ABC):
    """A framework's retriever gives what :class:`~logic_retrievers.ContradictionSearch` gives.

    ::

        class TestMyRetriever(ContradictionRetrieverConformance):
            def make(self, index, **settings):
                return MyRetriever(index=index, **settings)

            def retrieve(self, retriever, statement):
                found = retriever.invoke(statement)
                return [Retrieved(one.id, one.text, one.score, one.metadata) for one in found]

            async def aretrieve(self, retriever, statement):
                ...
    """

    @abstractmethod
    def make(self, index: PassageIndex, **settings: Any) -> Any:
        """A retriever; settings are ``k``, ``filter`` and those of the core's."""

    @abstractmethod
    def retrieve(self, retriever: Any, statement: str) -> list[Retrieved]:
        """What the framework's own callers get for a statement."""

    @abstractmethod
    async def aretrieve(self, retriever: Any, statement: str) -> list[Retrieved]:
        """Call :meth:`retrieve` asynchronously."""

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return contradiction_encoder()

    @pytest.fixture
    def index(self, encoder: WatchedEncoder) -> Iterator[PassageIndex]:
        vectors = ("topical", "contradiction")
        with PassageIndex.open("conformance", encoder, vectors=vectors) as index:
            index.add(contradicting_passages())
            yield index

    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    def test_gives_what_the_core_gives(self, index: PassageIndex, settings: dict[str, Any]) -> None:
        """A setting that is dropped on the way leaves a list that looks right."""
        core_settings = dict(settings)
        called = {name: core_settings.pop(name) for name in ("k", "filter") if name in settings}
        retriever = self.make(index, **settings)
        core = ContradictionSearch(index, **core_settings)
        for statement in STATEMENTS:
            found, expected = self.retrieve(retriever, statement), core.search(statement, **called)
            check_results(found, expected)
            check_evidence(found, expected)

    def test_the_statement_itself_is_left_out(self, index: PassageIndex) -> None:
        """What is nearest to a statement is the statement, and it does not contradict itself."""
        results = [result.id for result in self.retrieve(self.make(index, k=100), NINE)]
        assert set(results) == {passage.id for passage in contradicting_passages()} - {
            "nine",
            "twin",
        }
        assert set(results[:2]) == {"7", "never"}

    def test_asynchronous_retrieval_gives_the_same(self, index: PassageIndex) -> None:
        """Synchronous and asynchronous code drift apart."""
        retriever = self.make(index, **SETTINGS[2])

        async def run_all() -> list[list[Retrieved]]:
            return [await self.aretrieve(retriever, statement) for statement in STATEMENTS]

        assert asyncio.run(run_all()) == [self.retrieve(retriever, one) for one in STATEMENTS]

    def test_asynchronous_retrieval_leaves_the_event_loop_free(
        self, index: PassageIndex, encoder: WatchedEncoder
    ) -> None:
        """A server that stands still while a statement is encoded slows all users."""
        retriever = self.make(index)
        assert encoder.loop_runs_during(self.aretrieve(retriever, "A statement that is new."))

    def test_results_are_the_callers_own(self, index: PassageIndex) -> None:
        """A post-processor that annotates one result must not change the next search's."""
        condition = {"source": ["inn", "press"]}
        retriever = self.make(index, k=4, filter=condition)
        first = self.retrieve(retriever, NINE)
        expected = copy.deepcopy(first)
        for result in first:
            result.metadata.clear()  # type: ignore[attr-defined]
        assert self.retrieve(retriever, NINE) == expected
        assert condition == {"source": ["inn", "press"]}

    def test_an_empty_statement_is_refused(self, index: PassageIndex) -> None:
        """An empty list would say that nothing contradicts it."""
        retriever = self.make(index)
        with pytest.raises(EmptyTextError):
            self.retrieve(retriever, " \n")
        with pytest.raises(EmptyTextError):
            asyncio.run(self.aretrieve(retriever, ""))

    def test_a_collection_without_the_vector_is_refused(self, encoder: WatchedEncoder) -> None:
        """Vectors of a thousand candidates made for one query would take minutes without a word."""
        with PassageIndex.open("bare", encoder, vectors=("topical",)) as index:
            index.add(contradicting_passages())
            with pytest.raises(MissingVectorError, match="backfill"):
                self.retrieve(self.make(index), NINE)

    @pytest.mark.parametrize(
        ("settings", "words"),
        [({"k": 0}, "k"), ({"candidates": 0}, "candidates"), ({"min_probability": 2}, "min_prob")],
        ids=["k", "candidates", "min_probability"],
    )
    def test_bad_settings_fail_at_construction(
        self, index: PassageIndex, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting that waits for the first query fails in front of a user."""
        with pytest.raises(ValueError, match=words):
            self.make(index, **settings)
