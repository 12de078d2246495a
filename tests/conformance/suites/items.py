"""Tests for adapters that take a framework's items and return some with evidence."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Hit, Passage
from suites.sample_passages import Retrieved, without_equal_texts
from suites.watched_encoder import WatchedEncoder


class ItemsConformance(ABC):
    """Tests shared by rerankers and filters; subclass one of their suites.

    Attributes:
        vectors: vector names of the collection that lends some.
    """

    vectors: ClassVar[Sequence[str] | None] = None

    @abstractmethod
    def make(self, **settings: Any) -> Any:
        """Return the framework's object; settings are ``top_n`` and the core's."""

    @abstractmethod
    def items(self, passages: Sequence[Passage]) -> list[Any]:
        """Return the passages as the framework's own type; an empty id means no id.

        A framework that gives every item an id may invent one for those. If it embeds
        metadata together with the text, the items must exclude metadata.
        """

    @abstractmethod
    def process(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Return what the framework's own callers get."""

    @abstractmethod
    async def aprocess(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`process` asynchronously."""

    @abstractmethod
    def expected(
        self, passages: Sequence[Passage], k: int | None = None, **settings: Any
    ) -> list[Hit]:
        """Return the core's hits; settings are the core's."""

    @abstractmethod
    def check(self, found: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
        """Check that these are the core's hits, with their evidence."""

    @pytest.fixture
    def index(self, encoder: WatchedEncoder, passages: list[Passage]) -> Iterator[PassageIndex]:
        """A collection in memory that holds every second passage."""
        with PassageIndex.open("conformance", encoder, vectors=self.vectors) as index:
            index.add(passages[::2])
            encoder.documents.clear()
            yield index

    @pytest.mark.parametrize("top_n", [None, 1, 3, 100])
    def test_top_n(
        self, encoder: WatchedEncoder, passages: list[Passage], top_n: int | None
    ) -> None:
        """Dropping top_n fills the prompt with what ranked last."""
        found = self.process(self.make(encoder=encoder, top_n=top_n), self.items(passages))
        self.check(found, self.expected(passages, top_n, encoder=encoder))

    def test_what_goes_in_stays_as_it_is(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A chain's other steps hold the same items and metadata."""
        metadata = {"tags": ["a"], "logic": {"score": 9.0}, "nested": {"list": [1, {}]}}
        items = self.items(
            [replace(passage, metadata=copy.deepcopy(metadata)) for passage in passages]
        )
        before = copy.deepcopy(items)
        found = self.process(self.make(encoder=encoder), items)
        assert items == before
        for result in found:
            assert result.metadata["tags"] == ["a"]
            assert result.metadata["nested"] == {"list": [1, {}]}
            result.metadata["tags"].append("mine")
            result.metadata.clear()  # type: ignore[attr-defined]
        assert items == before

    def test_no_items(self, encoder: WatchedEncoder) -> None:
        """An empty search result is not an error."""
        made = self.make(encoder=encoder)
        assert self.process(made, []) == []
        assert asyncio.run(self.aprocess(made, [])) == []

    def test_items_without_an_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Counting them as one item would lose all but the first."""
        items = self.items([replace(passage, id="") for passage in passages])
        found = self.process(self.make(encoder=encoder), items)
        expected = self.expected(passages, encoder=encoder)
        assert [one.text for one in found] == [hit.passage.text for hit in expected]

    def test_equal_ids_count_once(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """A passage found by two retrievers must not fill two places of the prompt."""
        items = self.items([*passages, *passages[:3]])
        found = self.process(self.make(encoder=encoder), items)
        self.check(found, self.expected(passages, encoder=encoder))

    def test_different_items_of_one_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Parts of a document may share its id: none of them may vanish."""
        named = [replace(passage, id="same") for passage in without_equal_texts(passages)]
        expected = self.expected(named, encoder=encoder)
        assert len(expected) == len(named)
        found = self.process(self.make(encoder=encoder), self.items(named))
        assert [one.text for one in found] == [hit.passage.text for hit in expected]

    def test_items_that_are_read_once_are_all_processed(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A generator consumed by a check leaves an empty prompt."""
        expected = self.expected(passages, encoder=encoder)
        made, items = self.make(encoder=encoder), self.items(passages)
        self.check(self.process(made, iter(items)), expected)  # type: ignore[arg-type]
        found = asyncio.run(self.aprocess(made, iter(items)))  # type: ignore[arg-type]
        self.check(found, expected)

    def test_asynchronous_calls_give_the_same_and_block_no_event_loop(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Synchronous and asynchronous code must agree; a blocked loop slows all users."""
        made, items = self.make(encoder=encoder, top_n=4), self.items(passages)
        assert asyncio.run(self.aprocess(made, items)) == self.process(made, items)
        assert encoder.loop_runs_during(self.aprocess(self.make(encoder=encoder), items))

    def test_evidence_of_an_earlier_step_is_replaced_and_not_read(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Old evidence embedded as text shifts every score; nested evidence grows without end."""
        expected = self.expected(passages, encoder=encoder)
        old = {"logic": {**expected[0].evidence.to_dict(), "score": 9.0, "rank": 99}}
        items = self.items(
            [replace(passage, metadata={**passage.metadata, **old}) for passage in passages]
        )
        self.check(self.process(self.make(encoder=encoder), items), expected)

    def test_a_collection_lends_its_vectors(
        self, encoder: WatchedEncoder, passages: list[Passage], index: PassageIndex
    ) -> None:
        """Encoding texts whose vectors are stored would take most of the time."""
        found = self.process(self.make(index=index), self.items(passages))
        assert sorted(encoder.documents) == sorted(passage.text for passage in passages[1::2])
        self.check(found, self.expected(passages, encoder=encoder))
