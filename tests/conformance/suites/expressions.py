"""Tests that a framework's part that reads Boolean expressions must pass."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.errors import ExpressionError
from logic_retrievers.index import PassageIndex
from logic_retrievers.queries import Expression
from logic_retrievers.ranking.query_input import Query
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit
from suites.evidence import check_evidence, check_results, evidence_in
from suites.hashed_encoder import HashedEncoder
from suites.sample_passages import QUERIES, Retrieved, hotel_passages

POLICIES = ["auto", "boolean"]
EXPRESSIONS = (
    '"a quiet hotel" AND garden AND NOT nightclub',
    '("hotels near the harbour" OR "a farm stay") AND NOT ("a bar" AND pool)',
    "metals that rust",
)
WRONG = {
    "never closed": ('hotel AND NOT ("a bar"', 14),
    "nothing to look for": ("hotel AND", 9),
    "nothing wanted": ("NOT hotel", None),
}
"""What is no expression that can be searched for, and the position that the error names."""
VERDICTS = {"satisfied", "unsatisfied", "violated", "avoided"}


class ExpressionConformance(ABC):
    """A retriever with ``query_syntax="expression"`` answers as the core does.

    ::

        class TestMyRetrieverReadsExpressions(ExpressionConformance):
            def make(self, index, **settings):
                return MyRetriever(index=index, k=5, **settings)

            def ask(self, made, query):
                found = made.invoke(query)
                return [Retrieved(one.id, one.text, one.score, one.metadata) for one in found]

            async def aask(self, made, query):
                ...
    """

    @abstractmethod
    def make(self, index: PassageIndex, **settings: Any) -> Any:
        """The part; settings are ``policy`` and ``query_syntax``."""

    @abstractmethod
    def ask(self, made: Any, query: str) -> list[Retrieved]:
        """What the framework's own callers get for a query."""

    @abstractmethod
    async def aask(self, made: Any, query: str) -> list[Retrieved]:
        """Call :meth:`ask` asynchronously."""

    def expected(self, index: PassageIndex, query: Query, policy: str) -> list[Hit]:
        """What the core gives; for a retriever of five."""
        return Engine(index, policy).search(query, 5)

    @pytest.fixture
    def index(self) -> Iterator[PassageIndex]:
        """A small collection in memory; without metadata, which some frameworks embed."""
        with PassageIndex.open("conformance", HashedEncoder(dimension=64)) as index:
            index.add([replace(passage, metadata={}) for passage in hotel_passages()])
            yield index

    @pytest.mark.parametrize("policy", POLICIES)
    def test_an_expression_is_read_as_one(self, index: PassageIndex, policy: str) -> None:
        """Searched for as a phrase, what stands under NOT is what comes first."""
        made = self.make(index, policy=policy, query_syntax="expression")
        for text in EXPRESSIONS:
            expected = self.expected(index, Expression.parse(text), policy)
            check_results(self.ask(made, text), expected)

    def test_asynchronous_calls_read_it_too(self, index: PassageIndex) -> None:
        """The asynchronous method searches for the expression as for words."""
        made = self.make(index, policy="boolean", query_syntax="expression")

        async def run_all() -> list[list[Retrieved]]:
            return [await self.aask(made, text) for text in EXPRESSIONS]

        assert asyncio.run(run_all()) == [self.ask(made, text) for text in EXPRESSIONS]

    def test_evidence_tells_of_every_atom(self, index: PassageIndex) -> None:
        """A combined score alone does not say which of the parts a passage lacks."""
        made = self.make(index, policy="boolean", query_syntax="expression")
        for text in EXPRESSIONS:
            expression = Expression.parse(text)
            results = self.ask(made, text)
            check_evidence(results, self.expected(index, expression, "boolean"))
            for result in results:
                details = evidence_in(result)["details"]
                assert Expression.parse(details["expression"]) == expression.simplified()
                assert tuple(atom["text"] for atom in details["atoms"]) == expression.atoms
                assert {atom["verdict"] for atom in details["atoms"]} <= VERDICTS

    def test_words_stay_words(self, index: PassageIndex) -> None:
        """A sentence with an AND in capitals, or a bracket, fails in front of a user."""
        made = self.make(index, policy="auto")
        for text in (*QUERIES, EXPRESSIONS[0], "hotel (harbour"):
            check_results(self.ask(made, text), self.expected(index, text, "auto"))

    @pytest.mark.parametrize("kind", WRONG)
    def test_what_is_no_expression_is_refused(self, index: PassageIndex, kind: str) -> None:
        """Searched for as words instead, a forgotten bracket finds what was ruled out."""
        text, position = WRONG[kind]
        made = self.make(index, policy="auto", query_syntax="expression")
        with pytest.raises(ExpressionError) as error:
            self.ask(made, text)
        assert error.value.position == position
        with pytest.raises(ExpressionError):
            asyncio.run(self.aask(made, text))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"query_syntax": "sql"}, "query_syntax"),
            ({"query_syntax": "expression", "policy": "sequential"}, "boolean"),
        ],
        ids=["syntax", "policy"],
    )
    def test_syntaxes_that_cannot_work_fail_at_construction(
        self, index: PassageIndex, settings: dict[str, Any], words: str
    ) -> None:
        """A policy that knows words alone would rank by the phrase, unnoticed."""
        with pytest.raises(ValueError, match=words):
            self.make(index, **settings)
