"""Tests that a framework's reranker over the core's must pass."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.errors import ExpressionError
from logic_retrievers.index import PassageIndex
from logic_retrievers.queries import Expression
from logic_retrievers.rerank import Reranker
from logic_retrievers.types import Passage
from suites.evidence import check_evidence, check_results
from suites.hashed_encoder import HashedEncoder
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


class RerankerConformance(ABC):
    """A framework's reranker orders as :class:`~logic_retrievers.rerank.Reranker` does.

    ::

        class TestMyReranker(RerankerConformance):
            def make(self, **settings):
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
    def make(self, **settings: Any) -> Any:
        """A reranker.

        Settings are ``policy``, ``top_n``, ``encoder``, ``index``, ``exclude``, ``hard`` and
        ``query_syntax``.
        """

    @abstractmethod
    def items(self, passages: Sequence[Passage]) -> list[Any]:
        """The passages as the framework's own type; one with an empty id stands for none.

        Where the framework gives every item an id, it may make one up for those.
        """

    @abstractmethod
    def rerank(self, reranker: Any, query: str, items: list[Any]) -> list[Retrieved]:
        """What the framework's own callers get, best first."""

    @abstractmethod
    async def arerank(self, reranker: Any, query: str, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`rerank` asynchronously."""

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return WatchedEncoder(HashedEncoder(query_prefix="query ", dimension=64))

    @pytest.fixture
    def passages(self) -> list[Passage]:
        """What is reranked; without metadata, which some frameworks embed together with the text.

        Only the metadata is taken away: a test that needs some gives it.
        """
        return [replace(passage, metadata={}) for passage in hotel_passages()]

    @pytest.fixture
    def index(self, encoder: WatchedEncoder, passages: list[Passage]) -> Iterator[PassageIndex]:
        """A collection in memory that holds some of the passages."""
        with PassageIndex.open("conformance", encoder) as index:
            index.add(passages[::2])
            encoder.documents.clear()
            yield index

    @pytest.mark.parametrize("policy", POLICIES)
    def test_orders_as_the_core_does(
        self, encoder: WatchedEncoder, passages: list[Passage], policy: str
    ) -> None:
        """An adapter with logic of its own orders a little otherwise, unnoticed."""
        reranker, core = self.make(policy=policy, encoder=encoder), Reranker(encoder, policy)
        for query in QUERIES:
            results = self.rerank(reranker, query, self.items(passages))
            expected = core.rerank(query, passages)
            check_results(results, expected)
            check_evidence(results, expected)

    def test_the_default_policy_reads_what_a_query_excludes(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """By topic or compatibility alone "no bars" finds bars."""
        results = self.rerank(self.make(encoder=encoder), EXCLUDING, self.items(passages))
        expected = Reranker(encoder, "auto").rerank(EXCLUDING, passages)
        check_evidence(results, expected)
        assert {hit.evidence.policy for hit in expected} == {"exclusion"}

    def test_any_order_of_the_items_gives_the_same(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A reranker that leaves the order as it came passes many a test."""
        reranker, distinct = self.make(encoder=encoder), without_equal_texts(passages)
        forth = self.rerank(reranker, PLAIN, self.items(distinct))
        back = self.rerank(reranker, PLAIN, self.items(distinct[::-1]))
        assert [one.id for one in forth] == [one.id for one in back]

    @pytest.mark.parametrize("top_n", [None, 3, 100])
    def test_top_n(
        self, encoder: WatchedEncoder, passages: list[Passage], top_n: int | None
    ) -> None:
        """A top_n that is dropped on the way fills the prompt with what ranked last."""
        results = self.rerank(self.make(encoder=encoder, top_n=top_n), PLAIN, self.items(passages))
        check_results(results, Reranker(encoder).rerank(PLAIN, passages, top_n))

    def test_what_is_excluded_by_name(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A list of what somebody must not eat, dropped on the way, shows just that."""
        named = ["gardens", "nightclub"]
        for policy, hard in (("auto", False), ("auto", True), ("sequential", True)):
            made = self.make(policy=policy, encoder=encoder, top_n=5, exclude=named, hard=hard)
            results = self.rerank(made, PLAIN, self.items(passages))
            core = Reranker(encoder, policy)
            check_results(results, core.rerank(PLAIN, passages, 5, exclude=named, hard=hard))
        with pytest.raises(ValueError, match="hard=True"):
            self.make(policy="sequential", encoder=encoder, exclude=named)

    def test_an_expression_is_read_as_one(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Read as a phrase, what stands under NOT comes first."""
        text = '"a quiet hotel" AND NOT (garden OR nightclub)'
        made = self.make(encoder=encoder, policy="boolean", query_syntax="expression")
        expected = Reranker(encoder, "boolean").rerank(Expression.parse(text), passages)
        results = self.rerank(made, text, self.items(passages))
        check_results(results, expected)
        check_evidence(results, expected)
        with pytest.raises(ExpressionError):
            self.rerank(made, "harbour AND", self.items(passages))
        with pytest.raises(ValueError, match="boolean"):
            self.make(encoder=encoder, policy="sequential", query_syntax="expression")

    def test_what_goes_in_stays_as_it_is(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Other steps of a chain hold the same items, and the same metadata."""
        metadata = {"tags": ["a"], "logic": {"score": 9.0}, "nested": {"list": [1, {}]}}
        items = self.items(
            [replace(passage, metadata=copy.deepcopy(metadata)) for passage in passages]
        )
        before = copy.deepcopy(items)
        results = self.rerank(self.make(encoder=encoder), EXCLUDING, items)
        assert items == before
        for result in results:
            assert result.metadata["tags"] == ["a"]
            assert result.metadata["nested"] == {"list": [1, {}]}
            result.metadata["tags"].append("mine")
            result.metadata.clear()  # type: ignore[attr-defined]
        assert items == before

    def test_no_items(self, encoder: WatchedEncoder) -> None:
        """A search that found nothing is no error."""
        reranker = self.make(encoder=encoder)
        assert self.rerank(reranker, PLAIN, []) == []
        assert asyncio.run(self.arerank(reranker, PLAIN, [])) == []

    def test_items_without_an_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Taken for one and the same, all but the first are lost."""
        expected = Reranker(encoder).rerank(PLAIN, passages)
        items = self.items([replace(passage, id="") for passage in passages])
        results = self.rerank(self.make(encoder=encoder), PLAIN, items)
        assert [result.text for result in results] == [hit.passage.text for hit in expected]

    def test_equal_ids_count_once(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """Two retrievers find the same passage, and it fills two places of the prompt."""
        twice = [*passages, *passages[:3]]
        results = self.rerank(self.make(encoder=encoder), PLAIN, self.items(twice))
        check_results(results, Reranker(encoder).rerank(PLAIN, passages))

    def test_different_items_of_one_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Parts of a document that carry the document's id: all but the first would vanish."""
        named = [replace(passage, id="same") for passage in without_equal_texts(passages)]
        expected = Reranker(encoder).rerank(PLAIN, named)
        assert len(expected) == len(named)
        made = self.make(encoder=encoder)
        check_results(self.rerank(made, PLAIN, self.items(named)), expected)
        results = asyncio.run(self.arerank(made, PLAIN, self.items(named)))
        check_results(results, expected)

    def test_items_that_are_read_once_are_all_ordered(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A generator that was checked to its end leaves an empty prompt."""
        expected = Reranker(encoder).rerank(PLAIN, passages)
        made, items = self.make(encoder=encoder), self.items(passages)
        check_results(self.rerank(made, PLAIN, iter(items)), expected)  # type: ignore[arg-type]
        check_results(
            asyncio.run(self.arerank(made, PLAIN, iter(items))),  # type: ignore[arg-type]
            expected,
        )

    def test_asynchronous_reranking_gives_the_same_and_blocks_no_event_loop(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Synchronous and asynchronous code drift apart; a blocked loop slows all users."""
        reranker, items = self.make(encoder=encoder, top_n=5), self.items(passages)

        async def run_all() -> list[list[Retrieved]]:
            return [await self.arerank(reranker, query, items) for query in QUERIES]

        assert asyncio.run(run_all()) == [self.rerank(reranker, query, items) for query in QUERIES]
        assert encoder.loop_runs_during(self.arerank(reranker, "a query that is new", items))

    def test_evidence_of_an_earlier_step_is_replaced_and_not_read(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Old evidence that is embedded as text moves every score; nested, it grows without end."""
        expected = Reranker(encoder).rerank(PLAIN, passages)
        old = {"logic": {**expected[-1].evidence.to_dict(), "score": 9.0, "rank": 99}}
        items = self.items([replace(passage, metadata=old) for passage in passages])
        results = self.rerank(self.make(encoder=encoder), PLAIN, items)
        check_results(results, expected)
        check_evidence(results, expected)

    def test_stored_vectors_are_used(
        self, encoder: WatchedEncoder, passages: list[Passage], index: PassageIndex
    ) -> None:
        """Encoding again what the collection has takes most of the time of a reranking."""
        results = self.rerank(self.make(index=index), PLAIN, self.items(passages))
        assert sorted(encoder.documents) == sorted(passage.text for passage in passages[1::2])
        check_results(results, Reranker(encoder).rerank(PLAIN, passages))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [({"policy": "no-such-policy"}, "no-such-policy"), ({"top_n": 0}, "top_[nk]")],
        ids=["policy", "top_n"],
    )
    def test_bad_settings_fail_at_construction(
        self, encoder: WatchedEncoder, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting that waits for the first query fails in front of a user."""
        with pytest.raises(ValueError, match=words):
            self.make(encoder=encoder, **settings)
