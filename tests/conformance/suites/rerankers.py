"""Tests for a framework's reranker built on the core's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.errors import ExpressionError
from logic_retrievers.queries import Expression
from logic_retrievers.rerank import Reranker
from logic_retrievers.types import Hit, Passage
from suites.evidence import against_gardens, check_evidence, check_results, shortest_first
from suites.hashed_encoder import HashedEncoder
from suites.items import ItemsConformance
from suites.sample_passages import (
    EXCLUDING,
    PLAIN,
    QUERIES,
    Retrieved,
    hotel_passages,
    without_equal_texts,
)
from suites.watched_encoder import WatchedEncoder

POLICIES = ["sequential", "union", "topical", "auto"]


class RerankerConformance(ItemsConformance):
    """A framework's reranker orders as :class:`~logic_retrievers.rerank.Reranker` does.

    ::

        class TestMyReranker(RerankerConformance):
            def make(self, **settings):  # policy, top_n, encoder, index, exclude, hard, ...
                return MyReranker(**settings)

            def items(self, passages):
                return [Document(id=p.id or None, text=p.text, metadata=dict(p.metadata))
                        for p in passages]

            def rerank(self, reranker, query, items):
                found = reranker.compress(items, query)
                return [Retrieved(one.id, one.text, one.score, one.metadata) for one in found]

            async def arerank(self, reranker, query, items):
                ...
    """

    @abstractmethod
    def rerank(self, reranker: Any, query: str, items: list[Any]) -> list[Retrieved]:
        """Return what the framework's own callers get, best first."""

    @abstractmethod
    async def arerank(self, reranker: Any, query: str, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`rerank` asynchronously."""

    def process(self, made: Any, items: list[Any]) -> list[Retrieved]:
        return self.rerank(made, PLAIN, items)

    async def aprocess(self, made: Any, items: list[Any]) -> list[Retrieved]:
        return await self.arerank(made, PLAIN, items)

    def expected(
        self, passages: Sequence[Passage], k: int | None = None, **settings: Any
    ) -> list[Hit]:
        return Reranker(**settings).rerank(PLAIN, passages, k)

    def check(self, found: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
        check_results(found, expected)
        check_evidence(found, expected)

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return WatchedEncoder(HashedEncoder(query_prefix="query ", dimension=64))

    @pytest.fixture
    def passages(self) -> list[Passage]:
        """Passages without metadata, which some frameworks embed with the text."""
        return [replace(passage, metadata={}) for passage in hotel_passages()]

    @pytest.mark.parametrize("policy", POLICIES)
    def test_orders_as_the_core_does(
        self, encoder: WatchedEncoder, passages: list[Passage], policy: str
    ) -> None:
        """An adapter with its own logic silently orders slightly differently."""
        reranker, core = self.make(policy=policy, encoder=encoder), Reranker(encoder, policy)
        for query in QUERIES:
            found = self.rerank(reranker, query, self.items(passages))
            self.check(found, core.rerank(query, passages))

    def test_the_default_policy_reads_what_a_query_excludes(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """By topic or compatibility alone "no bars" finds bars."""
        found = self.rerank(self.make(encoder=encoder), EXCLUDING, self.items(passages))
        assert {one.metadata["logic"]["policy"] for one in found} == {"constraint"}

    def test_any_order_of_the_items_gives_the_same(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A reranker that keeps the input order passes many tests."""
        reranker, distinct = self.make(encoder=encoder), without_equal_texts(passages)
        forth = self.rerank(reranker, PLAIN, self.items(distinct))
        back = self.rerank(reranker, PLAIN, self.items(distinct[::-1]))
        assert [one.id for one in forth] == [one.id for one in back]

    def test_what_is_excluded_by_name(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Losing a guest's list of forbidden foods shows exactly those."""
        named = ["gardens", "nightclub"]
        for policy, hard in (("auto", False), ("auto", True), ("sequential", True)):
            made = self.make(policy=policy, encoder=encoder, top_n=5, exclude=named, hard=hard)
            found = self.rerank(made, PLAIN, self.items(passages))
            core = Reranker(encoder, policy)
            check_results(found, core.rerank(PLAIN, passages, 5, exclude=named, hard=hard))

    def test_a_judge_is_asked(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """If the judge is dropped, the order still looks right."""
        for policy in ("auto", "judge"):
            settings = {"encoder": encoder, "policy": policy, "judge": against_gardens}
            found = self.rerank(self.make(**settings), EXCLUDING, self.items(passages))
            expected = Reranker(**settings).rerank(EXCLUDING, passages)
            check_evidence(found, expected)
            assert any("judge" in hit.evidence.details for hit in expected)

    def test_a_reranker_is_asked_about_every_query(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """If the reranker is dropped, the order still looks right."""
        made = self.make(encoder=encoder, reranker=shortest_first)
        expected = Reranker(encoder, reranker=shortest_first).rerank(PLAIN, passages)
        check_evidence(self.rerank(made, PLAIN, self.items(passages)), expected)
        assert any("reranker" in hit.evidence.details for hit in expected)

    def test_an_expression_is_read_as_one(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Read as a phrase, the text under NOT ranks first."""
        text = '"a quiet hotel" AND NOT (garden OR nightclub)'
        made = self.make(encoder=encoder, policy="boolean", query_syntax="expression")
        expected = Reranker(encoder, "boolean").rerank(Expression.parse(text), passages)
        self.check(self.rerank(made, text, self.items(passages)), expected)
        with pytest.raises(ExpressionError):
            self.rerank(made, "harbour AND", self.items(passages))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"policy": "no-such-policy"}, "no-such-policy"),
            ({"top_n": 0}, "top_[nk]"),
            ({"policy": "sequential", "exclude": ["gardens"]}, "hard=True"),
            ({"policy": "sequential", "query_syntax": "expression"}, "boolean"),
            ({"judge": 3}, "judge is 'auto', None, a callable"),
            ({"reranker": 3}, "reranker is 'auto', None, a callable"),
        ],
        ids=str,
    )
    def test_bad_settings_fail_at_construction(
        self, encoder: WatchedEncoder, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting must not wait for a user's first query."""
        with pytest.raises(ValueError, match=words):
            self.make(encoder=encoder, **settings)
