"""Tests for a framework's retrievers over one of our indexes."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

import pytest
from qdrant_client import models

from logic_retrievers.conflicts import ContradictionSearch, ContradictionSettings
from logic_retrievers.errors import EmptyTextError, ExpressionError, MissingVectorError
from logic_retrievers.index import PassageIndex
from logic_retrievers.queries import Expression
from logic_retrievers.search import Engine
from suites.contradicting_passages import (
    COPPER,
    DOGS,
    NINE,
    contradicting_passages,
    contradiction_encoder,
)
from suites.evidence import (
    FixedModel,
    against_gardens,
    check_evidence,
    check_results,
    shortest_first,
)
from suites.hashed_encoder import CONSTANTS, HashedEncoder
from suites.sample_passages import EXCLUDING, PLAIN, QUERIES, Retrieved, hotel_passages
from suites.watched_encoder import WatchedEncoder

POLICIES = ["auto", "topical", "sequential", "union"]
FILTERS: dict[str, Any] = {
    "value": {"city": "Oslo"},
    "list": {"city": ["Bergen", "Voss"]},
    "range": {"stars": {"gte": 3}},
    "not": {"city": {"not": "Oslo"}},
    "native": models.Filter(
        must=[models.FieldCondition(key="metadata.city", match=models.MatchValue(value="Voss"))]
    ),
}
EXPRESSIONS = (
    '"a quiet hotel" AND garden AND NOT nightclub',
    '("hotels near the harbour" OR "a farm stay") AND NOT ("a bar" AND pool)',
    "metals that rust",
)
STATEMENTS = (NINE, DOGS, COPPER, "The pool of the inn opens at noon in the morning.")
OF_CONTRADICTIONS: list[dict[str, Any]] = [
    {"k": 1},
    {"k": 100},
    {"k": 3, "filter": {"source": "inn"}},
    {"k": 3, "filter": {"source": {"not": "blog"}}},
    {"k": 5, "min_probability": 0.5},
    {"k": 1, "candidates": 2},
    {"k": 4, "alpha": 0.0},
    {"k": 4, "judge": FixedModel(0.25)},
    {"k": 4, "settings": ContradictionSettings(**{**CONSTANTS, "threshold": 0.99})},
]


class _Retriever(ABC):
    """Tests for every retriever.

    Attributes:
        queries: query texts of the tests.
        condition: a filter that some passages pass.
    """

    queries: ClassVar[Sequence[str]]
    condition: ClassVar[dict[str, Any]]

    @abstractmethod
    def make(self, index: PassageIndex, **settings: Any) -> Any:
        """Return a retriever; settings are ``k``, ``filter`` and those of the core's search."""

    @abstractmethod
    def retrieve(self, retriever: Any, query: str, **overrides: Any) -> list[Retrieved]:
        """Return what the framework's own callers get for a query."""

    @abstractmethod
    async def aretrieve(self, retriever: Any, query: str, **overrides: Any) -> list[Retrieved]:
        """Call :meth:`retrieve` asynchronously."""

    def test_asynchronous_retrieval_gives_the_same_and_blocks_no_event_loop(
        self, index: PassageIndex, encoder: WatchedEncoder
    ) -> None:
        """Synchronous and asynchronous code must agree; a blocked loop slows all users."""
        retriever = self.make(index, k=4, filter=self.condition)

        async def run_all() -> list[list[Retrieved]]:
            return [await self.aretrieve(retriever, query) for query in self.queries]

        assert asyncio.run(run_all()) == [self.retrieve(retriever, one) for one in self.queries]
        assert encoder.loop_runs_during(self.aretrieve(retriever, "A text that is new."))

    def test_results_are_the_callers_own(self, index: PassageIndex) -> None:
        """A post-processor that annotates a result must not change the next search's."""
        condition = copy.deepcopy(self.condition)
        retriever = self.make(index, k=4, filter=condition)
        first = self.retrieve(retriever, self.queries[0])
        expected = copy.deepcopy(first)
        for result in first:
            _spoil(result.metadata)
        assert self.retrieve(retriever, self.queries[0]) == expected
        assert condition == self.condition

    def test_an_empty_query_is_refused(self, index: PassageIndex) -> None:
        """An empty list would look as if nothing was found."""
        retriever = self.make(index)
        with pytest.raises(EmptyTextError):
            self.retrieve(retriever, " \n")
        with pytest.raises(EmptyTextError):
            asyncio.run(self.aretrieve(retriever, ""))


class RetrieverConformance(_Retriever):
    """A framework's retriever returns what :class:`~logic_retrievers.Engine` returns.

    ::

        class TestMyRetriever(RetrieverConformance):
            overrides = ("k", "filter")

            def make(self, index, **settings):
                return MyRetriever(index=index, **settings)

            def retrieve(self, retriever, query, **overrides):
                found = retriever.invoke(query, **overrides)
                return [Retrieved(one.id, one.text, one.score, one.metadata) for one in found]

            async def aretrieve(self, retriever, query, **overrides):
                ...

    Attributes:
        overrides: which of the settings ``k``, ``filter``, ``min_score``, ``policy``, ``exclude``,
            ``hard`` and ``query_syntax`` a single call may replace.
    """

    overrides: ClassVar[Collection[str]] = ()
    queries = QUERIES
    condition: ClassVar[dict[str, Any]] = {"city": ["Oslo", "Bergen"]}

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return WatchedEncoder(HashedEncoder(query_prefix="query ", dimension=64))

    @pytest.fixture
    def index(self, encoder: WatchedEncoder) -> Iterator[PassageIndex]:
        with PassageIndex.open("conformance", encoder) as index:
            index.add(hotel_passages())
            yield index

    @pytest.mark.parametrize("policy", POLICIES)
    def test_gives_what_the_engine_gives(self, index: PassageIndex, policy: str) -> None:
        """An adapter with its own logic silently orders slightly differently."""
        retriever, engine = self.make(index, policy=policy, k=5), Engine(index, policy)
        for query in QUERIES:
            found, expected = self.retrieve(retriever, query), engine.search(query, 5)
            check_results(found, expected)
            check_evidence(found, expected)

    @pytest.mark.parametrize("k", [1, 100])
    def test_k_as_a_setting(self, index: PassageIndex, k: int) -> None:
        """Dropping k leaves the framework's default, which looks right."""
        found = self.retrieve(self.make(index, k=k), PLAIN)
        check_results(found, Engine(index).search(PLAIN, k))
        assert len(found) == min(k, index.count())

    def test_settings_for_a_single_call(self, index: PassageIndex) -> None:
        """A framework silently drops arguments that it does not know."""
        retriever, engine = self.make(index, k=5), Engine(index)
        lowest = engine.search(EXCLUDING, 5)[2].score
        given: dict[str, Any] = {
            "k": 2, "filter": {"city": "Oslo"}, "min_score": lowest, "policy": "union",
            "exclude": ["garden"], "hard": True,
        }  # fmt: skip
        for name in set(self.overrides) & set(given):
            found = self.retrieve(retriever, EXCLUDING, **{name: given[name]})
            expected = engine.search(EXCLUDING, **{"k": 5, name: given[name]})
            check_results(found, expected)
        check_results(self.retrieve(retriever, EXCLUDING), engine.search(EXCLUDING, 5))
        if "query_syntax" in self.overrides:
            text = '"a quiet hotel" AND NOT garden'
            found = self.retrieve(retriever, text, query_syntax="expression")
            check_results(found, engine.search(Expression.parse(text), 5))
        if "k" in self.overrides:
            found = asyncio.run(self.aretrieve(retriever, PLAIN, k=2))
            check_results(found, engine.search(PLAIN, 2))

    @pytest.mark.parametrize("kind", FILTERS)
    def test_k_holds_after_filtering(self, index: PassageIndex, kind: str) -> None:
        """Filtering the first k hits leaves two results of four."""
        condition = FILTERS[kind]
        found = self.retrieve(self.make(index, k=2, filter=condition), PLAIN)
        check_results(found, Engine(index).search(PLAIN, 2, filter=condition))
        assert len(found) == min(2, index.count(condition))

    def test_min_score(self, index: PassageIndex) -> None:
        """A bound compared with a score that the user does not see cuts at random."""
        lowest = Engine(index).search(PLAIN, 4)[2].score
        found = self.retrieve(self.make(index, k=10, min_score=lowest), PLAIN)
        check_results(found, Engine(index).search(PLAIN, 10, min_score=lowest))
        assert len(found) >= 3
        assert self.retrieve(self.make(index, min_score=9.0), PLAIN) == []

    def test_what_is_excluded_by_name(self, index: PassageIndex) -> None:
        """Losing a guest's list of forbidden foods shows exactly those."""
        excluded: dict[str, Any] = {"exclude": ["gardens", "nightclub"]}
        soft = self.retrieve(self.make(index, k=5, **excluded), PLAIN)
        check_results(soft, Engine(index).search(PLAIN, 5, **excluded))
        for policy in POLICIES:
            settings = {**excluded, "policy": policy, "hard": True}
            found = self.retrieve(self.make(index, k=5, **settings), PLAIN)
            check_evidence(found, Engine(index).search(PLAIN, 5, **settings))
            assert len(found) == 5
            assert not [one.text for one in found if "garden" in one.text or "club" in one.text]

    def test_a_judge_is_asked(self, index: PassageIndex) -> None:
        """If the judge is dropped, the order still looks right."""
        found = self.retrieve(self.make(index, k=5, judge=against_gardens), EXCLUDING)
        expected = Engine(index, judge=against_gardens).search(EXCLUDING, 5)
        check_evidence(found, expected)
        assert any("judge" in hit.evidence.details for hit in expected)

    def test_a_reranker_is_asked_about_every_query(self, index: PassageIndex) -> None:
        """If the reranker is dropped, the order still looks right."""
        made = self.make(index, k=5, reranker=shortest_first)
        for query in (PLAIN, EXCLUDING):
            expected = Engine(index, reranker=shortest_first).search(query, 5)
            check_evidence(self.retrieve(made, query), expected)
            assert all("reranker" in hit.evidence.details for hit in expected)
        assert asyncio.run(self.aretrieve(made, PLAIN)) == self.retrieve(made, PLAIN)

    @pytest.mark.parametrize("policy", ["auto", "boolean"])
    def test_an_expression_is_read_as_one(self, index: PassageIndex, policy: str) -> None:
        """Read as a phrase, the text under NOT ranks first."""
        made = self.make(index, k=5, policy=policy, query_syntax="expression")
        for text in EXPRESSIONS:
            found = self.retrieve(made, text)
            expected = Engine(index, policy).search(Expression.parse(text), 5)
            check_results(found, expected)
            check_evidence(found, expected)
            assert asyncio.run(self.aretrieve(made, text)) == found
        for call in (self.retrieve, lambda *given: asyncio.run(self.aretrieve(*given))):
            with pytest.raises(ExpressionError) as error:
                call(made, 'hotel AND NOT ("a bar"')
            assert error.value.position == 14

    def test_words_stay_words(self, index: PassageIndex) -> None:
        """A sentence with an AND in capitals, or a bracket, must not fail."""
        made = self.make(index, k=5)
        for text in (EXPRESSIONS[0], "hotel (harbour"):
            check_results(self.retrieve(made, text), Engine(index).search(text, 5))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"policy": "no-such-policy"}, "no-such-policy"),
            ({"k": 0}, "k"),
            ({"k": "x"}, "k"),
            ({"exclude": "nuts"}, "list"),
            ({"exclude": ["nuts"], "policy": "topical"}, "hard=True"),
            ({"judge": 3}, "judge is 'auto', None, a callable"),
            ({"reranker": 3}, "reranker is 'auto', None, a callable"),
            ({"query_syntax": "sql"}, "query_syntax"),
            ({"query_syntax": "expression", "policy": "sequential"}, "boolean"),
        ],
        ids=str,
    )
    def test_bad_settings_fail_at_construction(
        self, index: PassageIndex, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting must not wait for a user's first query."""
        with pytest.raises(ValueError, match=words):
            self.make(index, **settings)


class ContradictionRetrieverConformance(_Retriever):
    """A framework's retriever equals :class:`~logic_retrievers.ContradictionSearch`.

    Subclass it as :class:`RetrieverConformance`; no call has overrides.
    """

    queries = STATEMENTS
    condition: ClassVar[dict[str, Any]] = {"source": ["inn", "press"]}

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return contradiction_encoder()

    @pytest.fixture
    def index(self, encoder: WatchedEncoder) -> Iterator[PassageIndex]:
        vectors = ("topical", "contradiction")
        with PassageIndex.open("conformance", encoder, vectors=vectors) as index:
            index.add(contradicting_passages())
            yield index

    @pytest.mark.parametrize("settings", OF_CONTRADICTIONS, ids=lambda given: " ".join(given))
    def test_gives_what_the_core_gives(self, index: PassageIndex, settings: dict[str, Any]) -> None:
        """A dropped setting leaves a list that looks right."""
        core_settings = dict(settings)
        called = {name: core_settings.pop(name) for name in ("k", "filter") if name in settings}
        retriever = self.make(index, **settings)
        core = ContradictionSearch(index, **core_settings)
        for statement in STATEMENTS:
            found, expected = self.retrieve(retriever, statement), core.search(statement, **called)
            check_results(found, expected)
            check_evidence(found, expected)

    def test_the_statement_itself_is_left_out(self, index: PassageIndex) -> None:
        """A statement is nearest to itself but does not contradict itself."""
        results = [result.id for result in self.retrieve(self.make(index, k=100), NINE)]
        assert set(results) == {one.id for one in contradicting_passages()} - {"nine", "twin"}
        assert set(results[:2]) == {"7", "never"}

    def test_a_collection_without_the_vector_is_refused(self, encoder: WatchedEncoder) -> None:
        """Making vectors of a thousand candidates for a query would silently take minutes."""
        with PassageIndex.open("bare", encoder, vectors=("topical",)) as index:
            index.add(contradicting_passages())
            with pytest.raises(MissingVectorError, match="backfill"):
                self.retrieve(self.make(index), NINE)

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"k": 0}, "k"),
            ({"candidates": 0}, "candidates"),
            ({"min_probability": 2}, "min_prob"),
            ({"alpha": -1.0}, "alpha"),
            ({"filter": {"source": []}}, "empty list"),
            ({"judge": FixedModel()}, "contradict each other"),
        ],
        ids=str,
    )
    def test_bad_settings_fail_at_construction(
        self, index: PassageIndex, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting must not wait for a user's first query."""
        with pytest.raises(ValueError, match=words):
            self.make(index, **settings)


def _spoil(metadata: Any) -> None:
    """Change a result's metadata at every depth."""
    for value in metadata.values():
        if isinstance(value, dict):
            _spoil(value)
        elif isinstance(value, list):
            value.append("spoiled")
    metadata.clear()
