"""Count, get, walk through and delete."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest
from doubles import WireDouble
from qdrant_client import models

from logic_retrievers.errors import InputError, ServerError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage


def test_delete_by_each_of_the_three(index, make_passages):
    """Deleting too much cannot be undone."""
    index.add([*make_passages(10), *(Passage(f"s{i}", f"s {i}", source="s") for i in range(3))])
    assert index.delete(["p1", "p2", "unknown"]) == 2
    assert index.delete(filter={"number": {"lt": 5}}) == 3
    assert index.delete(source="s") == 3
    assert index.delete(source="s") == 0
    assert {p.id for p in index.scroll()} == {f"p{i}" for i in range(5, 10)}


@pytest.mark.parametrize(
    "what",
    [{}, {"ids": ["a"], "source": "s"}, {"filter": {}}, {"filter": models.Filter()}, {"ids": "a"}],
)
def test_delete_wants_exactly_one_restriction(index, what):
    """An empty filter matches everything."""
    index.add([Passage("a", "text")])
    with pytest.raises(InputError):
        index.delete(**what)
    assert index.count() == 1


def test_get_keeps_the_order_and_leaves_out_who_is_missing(index, make_passages):
    """A caller pairs the answer with its question by position."""
    index.add(make_passages(5))
    assert [p.id for p in index.get(["p4", "no", "p0", "p4"])] == ["p4", "p0"]
    assert index.get([]) == []


def test_ids_of_any_form(index):
    """Numbers longer than Qdrant's, UUIDs and paths are all used as ids."""
    ids = ["7", "9" * 30, "\u0663", "1b671a64-40d5-491e-99b0-da01ff1f3341", "a/b?c#d", " ", "\0"]
    index.add([Passage(one, f"text {n}") for n, one in enumerate(ids)])
    assert [p.id for p in index.get(ids)] == ids
    assert index.delete(ids) == len(ids)


def test_walking_through_meets_everybody_once(index, make_passages):
    """A page boundary that loses or repeats a passage spoils a copy or an audit."""
    index.add(make_passages(25))
    ids = [p.id for p in index.scroll(page_size=10)]
    assert len(ids) == 25
    assert set(ids) == {f"p{i}" for i in range(25)}
    assert {p.id for p in index.scroll({"parity": "odd"}, page_size=4)} == {
        f"p{i}" for i in range(1, 25, 2)
    }


def test_filters_read_metadata(index):
    """A filter on a key that is looked for in the wrong place finds nothing, without an error."""
    index.add(
        [
            Passage("a", "a", {"city": "Oslo", "year": 2020, "tags": ["x", "y"], "score": 0.5}),
            Passage("b", "b", {"city": "Bergen", "year": 2021, "open": True, "in": {"w": 1}}),
            Passage("c", "c", {"year": 2022, "day": "2024-05-01", "odd key": 1, "open": False}),
        ]
    )

    def matching_ids(**condition):
        return "".join(sorted(p.id for p in index.scroll(condition)))

    assert matching_ids(city="Oslo") == "a"
    assert matching_ids(city=["Oslo", "Bergen"]) == "ab"
    assert matching_ids(city=None) == "c"
    assert matching_ids(city={"not": None}) == "ab"
    assert matching_ids(city={"not": ["Oslo", "Rome"]}) == "bc"
    assert matching_ids(year=2021) == "b"
    assert matching_ids(year=[2020, 2022]) == "ac"
    assert matching_ids(year={"gt": 2020, "lte": 2022}) == "bc"
    assert matching_ids(tags="y") == "a"
    assert matching_ids(tags=["y", "z"]) == "a"
    assert matching_ids(score=0.5) == "a"
    assert matching_ids(open=True) == "b"
    assert matching_ids(**{"in.w": 1}) == "b"
    assert matching_ids(**{"odd key": 1}) == "c"
    assert matching_ids(day={"gte": "2024-01-01", "lt": date(2024, 6, 1)}) == "c"
    assert matching_ids(city="Oslo", year=2021) == ""
    condition = models.FieldCondition(key="metadata.city", match=models.MatchText(text="Oslo"))
    assert [p.id for p in index.scroll(models.Filter(must=[condition]))] == ["a"]


def test_the_asynchronous_methods_do_the_same(index, make_passages):
    """The synchronous and the asynchronous form could drift apart."""

    async def use_async_methods():
        await index.aadd(make_passages(6))
        matching_ids = [p.id async for p in index.ascroll({"parity": "odd"}, page_size=2)]
        count = await index.acount()
        got = await index.aget(["p2"])
        deleted = await index.adelete(ids=["p2"])
        report = await index.abackfill()
        await index.aclose()
        return matching_ids, count, got, deleted, report.filled

    matching_ids, count, got, deleted, filled = asyncio.run(use_async_methods())
    assert (set(matching_ids), count, got) == ({"p1", "p3", "p5"}, 6, [make_passages(6)[2]])
    assert (deleted, filled) == (1, 0)


def test_a_strict_server_takes_our_filters_and_names_the_index_that_theirs_lack(encoder):
    """Qdrant Cloud refuses a filter on a key without a payload index."""
    with WireDouble(strict=True) as double:
        index = PassageIndex.open("lr-test", encoder, location=double.url, tenant="t")
        index.add([Passage("a", "text", {"city": "Oslo"}, source="s")])
        assert index.delete(source="s") == 1
        with pytest.raises(ServerError, match=r"metadata\.city"):
            index.count({"city": "Oslo"})
        index.close()
