"""Tests for an index over any backend."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage
from suites.evidence import check_same_hits
from suites.hashed_encoder import HashedEncoder
from suites.sample_passages import EXCLUDING, PLAIN, QUERIES, hotel_passages, without_equal_texts
from suites.watched_encoder import WatchedEncoder

Admits = Callable[[Mapping[str, Any]], bool]
MANY = 40

FILTERS: dict[str, tuple[dict[str, Any], Admits]] = {
    "value": ({"city": "Oslo"}, lambda m: m.get("city") == "Oslo"),
    "in a list": ({"tags": "quiet"}, lambda m: "quiet" in m.get("tags", [])),
    "list": ({"city": ["Oslo", "Voss"]}, lambda m: m.get("city") in ("Oslo", "Voss")),
    "range": ({"stars": {"gte": 2, "lt": 5}}, lambda m: 2 <= m.get("stars", -1) < 5),
    "not": ({"city": {"not": "Oslo"}}, lambda m: m.get("city") != "Oslo"),
    "not in": ({"stars": {"not": [1, 2]}}, lambda m: m.get("stars") not in (1, 2)),
    "absent": ({"city": None}, lambda m: "city" not in m),
    "present": ({"city": {"not": None}}, lambda m: "city" in m),
    "two keys": (
        {"city": "Oslo", "stars": {"gt": 1}},
        lambda m: m.get("city") == "Oslo" and m.get("stars", -1) > 1,
    ),
    "nobody": ({"city": "Rome"}, lambda m: m.get("city") == "Rome"),
}


class IndexConformance:
    """An index over any backend behaves like one in memory.

    ::

        class TestMyServer(IndexConformance):
            @pytest.fixture
            def open_index(self, my_server):
                opened = []

                def open_index(encoder):
                    my_server.delete_everything()
                    opened.append(PassageIndex.open(encoder=encoder, location=my_server.url))
                    return opened[-1]

                yield open_index
                for index in opened:
                    index.close()
    """

    @pytest.fixture
    def open_index(self) -> Callable[[Encoder], PassageIndex]:
        """Open an empty index; to be overridden. Each test calls it once."""
        pytest.fail("override the fixture `open_index`")

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return WatchedEncoder(HashedEncoder(query_prefix="query ", dimension=64))

    @pytest.fixture
    def index(
        self, open_index: Callable[[Encoder], PassageIndex], encoder: WatchedEncoder
    ) -> PassageIndex:
        return open_index(encoder)

    @pytest.fixture
    def reference(self, encoder: WatchedEncoder) -> Iterator[PassageIndex]:
        """Passages in memory, for comparison."""
        with PassageIndex.open("reference", encoder) as reference:
            reference.add(without_equal_texts(hotel_passages()))
            yield reference

    def test_what_goes_in_comes_out(self, index: PassageIndex) -> None:
        """A lost field is missed only when it is needed."""
        whole = Passage(
            "whole",
            "Quiet rooms.\n\nNo\tcars: «Ruhe» 🛏",
            {"n": 1, "x": 0.5, "yes": True, "no": None, "d": {"list": [1, [], {"deep": "é"}]}},
            source="a/b.md",
            span=(3, 15),
            embed_text="Title: Quiet rooms.",
            extra={"node": {"relations": {"1": "other"}}, "kind": "text"},
        )
        assert index.add([whole]).added == 1
        assert index.get(["whole"]) == [whole]
        assert list(index.scroll()) == [whole]
        [hit] = Engine(index, "topical").search("quiet rooms", 1)
        assert hit.passage == whole

    def test_ids_of_any_form(self, index: PassageIndex) -> None:
        """An id that a backend cannot hold comes back changed, or replaces a different one."""
        ids = [
            *("7", "07", "9" * 30, "1b671a64-40d5-491e-99b0-da01ff1f3341", "a/b?c#d", " ", "٣"),
            *("é", "e\u0301", "日本", "x" * 1000),
        ]
        index.add([Passage(one, f"text {n}") for n, one in enumerate(ids)])
        assert index.count() == len(ids)
        assert [passage.id for passage in index.get(ids)] == ids
        assert {hit.passage.id for hit in Engine(index, "topical").search("text", 50)} == set(ids)
        assert index.delete(ids[::2]) == len(ids[::2])
        assert {passage.id for passage in index.scroll()} == set(ids[1::2])

    def test_get_keeps_the_order_and_leaves_out_what_is_missing(self, index: PassageIndex) -> None:
        """A caller pairs results and ids by position."""
        index.add(hotel_passages())
        results = index.get(["gold", "nobody", "7", "gold", "inn"])
        assert [passage.id for passage in results] == ["gold", "7", "inn"]
        assert index.get([]) == []

    def test_the_same_id_is_replaced(self, index: PassageIndex) -> None:
        """A text with the previous text's vector is found by words that it lacks."""
        index.add([Passage("a", "A quiet garden.", {"n": 1}), Passage("b", "A loud bar.")])
        report = index.add([Passage("a", "Copper prices rose.", {"n": 2})])
        assert (report.added, report.updated) == (0, 1)
        assert index.count() == 2
        assert index.get(["a"])[0].metadata == {"n": 2}
        assert index.count({"n": 1}) == 0
        [hit] = Engine(index, "topical").search("copper prices rose", 1)
        assert hit.passage.text == "Copper prices rose."

    def test_what_is_unchanged_is_not_encoded_again(
        self, index: PassageIndex, encoder: WatchedEncoder
    ) -> None:
        """Repeating an ingestion must not cost as much as the first."""
        index.add(hotel_passages())
        encoder.documents.clear()
        one, *others = hotel_passages()
        report = index.add([replace(one, metadata={"stars": 9}), *others, Passage("new", "New.")])
        assert (report.added, report.updated) == (1, 1)
        assert report.unchanged == len(others)
        assert sorted(encoder.documents) == sorted([one.text, "New."])

    def test_the_embedded_text_is_searched(self, index: PassageIndex) -> None:
        """If a title embedded with the text gets lost, searches for it find nothing."""
        index.add([Passage("a", "Ten euros.", embed_text="copper prices"), Passage("b", "Copper.")])
        hits = Engine(index, "topical").search("copper prices", 2)
        assert [hit.passage.id for hit in hits] == ["a", "b"]
        assert hits[0].passage.text == "Ten euros."

    def test_delete(self, index: PassageIndex) -> None:
        """Deleting too much cannot be undone."""
        index.add(
            [*hotel_passages(), Passage("s1", "one", source="s"), Passage("s2", "two", source="s")]
        )
        assert index.delete(["inn", "nobody"]) == 1
        assert index.delete(filter={"city": "Voss"}) == 2
        assert index.delete(source="s") == 2
        expected = {
            p.id for p in hotel_passages() if p.id != "inn" and p.metadata.get("city") != "Voss"
        }
        assert {passage.id for passage in index.scroll()} == expected

    def test_walking_through_meets_each_once(self, index: PassageIndex) -> None:
        """A page that loses or repeats a passage spoils a copy."""
        index.add(_many())
        ids = [passage.id for passage in index.scroll(page_size=7)]
        assert sorted(ids) == sorted(passage.id for passage in _many())
        odd = [passage.id for passage in index.scroll({"parity": 1}, page_size=3)]
        assert sorted(odd) == sorted(p.id for p in _many() if p.metadata["parity"] == 1)

    @pytest.mark.parametrize("kind", FILTERS)
    def test_filters(self, index: PassageIndex, kind: str) -> None:
        """A misread filter finds nothing, or everything, without an error."""
        index.add(hotel_passages())
        condition, admits = FILTERS[kind]
        expected = {passage.id for passage in hotel_passages() if admits(passage.metadata)}
        assert {passage.id for passage in index.scroll(condition)} == expected
        assert index.count(condition) == len(expected)
        hits = Engine(index, "topical").search(PLAIN, 50, filter=condition)
        assert {hit.passage.id for hit in hits} == expected

    @pytest.mark.parametrize("policy", ["topical", "sequential", "union"])
    def test_k_holds_under_a_filter(self, index: PassageIndex, policy: str) -> None:
        """Filtering the first few hits leaves none of those far from the query."""
        index.add(_many())
        nearest = Engine(index, "topical").search("word 0", MANY)
        far = [hit.passage.metadata["number"] for hit in nearest[-6:]]
        hits = Engine(index, policy).search("word 0", 5, filter={"number": far})
        assert len(hits) == 5
        assert {hit.passage.metadata["number"] for hit in hits} <= set(far)

    @pytest.mark.parametrize("policy", ["auto", "topical", "sequential", "union"])
    def test_policies_order_as_in_memory(
        self, index: PassageIndex, reference: PassageIndex, policy: str
    ) -> None:
        """A search tried on a laptop must be the same on the server."""
        index.add(without_equal_texts(hotel_passages()))
        for query in QUERIES:
            everything = Engine(reference, policy).search(query, 50)
            for k in (1, 4, 50):
                check_same_hits(Engine(index, policy).search(query, k), everything, k)

    def test_many_queries_at_once(self, index: PassageIndex) -> None:
        """Results of a batch must not go to the wrong queries."""
        index.add(hotel_passages())
        engine = Engine(index)
        assert engine.search_many(QUERIES, 3) == [engine.search(query, 3) for query in QUERIES]

    def test_asynchronous_twins_do_the_same(self, index: PassageIndex) -> None:
        """Synchronous and asynchronous code must not drift apart."""
        index.add(_many())
        engine = Engine(index, "union")
        condition = {"number": {"lt": 30}}
        expected = [engine.search(query, 5, filter=condition) for query in QUERIES]
        odd = {passage.id for passage in index.scroll({"parity": 1})}

        async def run_all() -> None:
            try:
                results = [await engine.asearch(query, 5, filter=condition) for query in QUERIES]
                assert results == expected
                assert await index.acount({"parity": 1}) == len(odd)
                assert {p.id async for p in index.ascroll({"parity": 1}, page_size=4)} == odd
                assert (await index.aadd(_many())).unchanged == MANY
                assert (await index.aadd([Passage("late", "Late.")])).added == 1
                assert await index.aget(["late", "nobody"]) == [Passage("late", "Late.")]
                assert await index.adelete(["late"]) == 1
                assert await index.acount() == MANY
            finally:
                await index.aclose()  # where the loop's own client can be closed

        asyncio.run(run_all())

    @pytest.mark.parametrize("what", ["search", "add"])
    def test_asynchronous_calls_leave_the_event_loop_free(
        self, index: PassageIndex, encoder: WatchedEncoder, what: str
    ) -> None:
        """A server that blocks for each ingestion or search slows all users."""
        index.add(hotel_passages())

        async def work() -> None:
            try:
                if what == "search":
                    await Engine(index).asearch(EXCLUDING, 3)
                else:
                    await index.aadd([Passage("late", "Late.")])
            finally:
                await index.aclose()

        assert encoder.loop_runs_during(work())


def _many() -> list[Passage]:
    """More than a page or a small pool; texts of three words in common combinations."""
    return [
        Passage(
            f"p{n}",
            f"word {n % 7} word {n % 5} word {n % 11} passage {n}",
            {"number": n, "parity": n % 2},
        )
        for n in range(MANY)
    ]
