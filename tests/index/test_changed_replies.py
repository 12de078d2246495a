"""Replies of a server with a few values changed: every call ends in a result or an own error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from fault_injection import Call, StrangeReply, WireDouble
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_core import to_json
from suites import HashedEncoder

from logic_retrievers.errors import LogicRetrieversError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

PASSAGES = [Passage(f"inn-{n}", f"quiet inn {n} by the river", source="guide") for n in range(4)]
ENCODER = HashedEncoder(dimension=32)


def search(index: PassageIndex) -> None:
    hits = Engine(index, "hybrid").search("quiet inns by the river", 3)
    json.dumps([hit.to_dict() for hit in hits], allow_nan=False)


CALLS: dict[str, Callable[[PassageIndex], Any]] = {
    "open": lambda index: None,
    "count": lambda index: index.count(),
    "get": lambda index: index.get(["inn-1", "inn-2"]),
    "scroll": lambda index: list(index.scroll()),
    "search": search,
    "add": lambda index: index.add([Passage("inn-0", "changed"), Passage("new", "new")]),
    "delete": lambda index: index.delete(["inn-3"]),
    "backfill": lambda index: index.backfill(["topical"]),
    "hide": lambda index: index.run(index.hide(["inn-2"])),
    "vectors": lambda index: index.run(index.fetch_vectors(["topical"], [point_id("inn-1", None)])),
    "quarantined": lambda index: index.run(index.quarantined_page()),
}
VALUES = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, 1e308, 10**30, float("nan"), "", "\ud800", "2024", [], {}),
        *([[]], [None], ["x"], [1, 2], [{"id": 1}], {"logic": 5}, {"points": []}),
    ]
)


class ChangingDouble(WireDouble):
    """Changes the answers of one endpoint."""

    change: tuple[str, Callable[[Any], Any]] | None = None

    def answer(self, protocol: str, call: Call, parse: Callable[[], Any], api_key: Any) -> Any:
        result = super().answer(protocol, call, parse, api_key)
        if self.change is None or self.change[0] != call.endpoint:
            return result
        _, change = self.change
        reply = to_json({"result": result, "status": "ok"}, by_alias=True, exclude_none=True)
        self.change = None
        raise StrangeReply(json.dumps(change(json.loads(reply))).encode())


@pytest.fixture
def double() -> Iterator[ChangingDouble]:
    with ChangingDouble() as double:
        yield double


def opened(double: WireDouble) -> PassageIndex:
    return PassageIndex.open("p", ENCODER, location=double.url, retries=0, timeout=5)


def places(container: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a reply, with each of its keys or positions."""
    for place in list(container) if isinstance(container, dict) else range(len(container)):
        yield container, place
        if isinstance(container[place], dict | list):
            yield from places(container[place])


changes = st.lists(st.tuples(st.integers(0, 10**6), VALUES), min_size=1, max_size=3)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(sorted(CALLS)), changed=changes)
def test_a_changed_reply_ends_in_a_result_or_an_own_error(double, data, name, changed):
    """An error of pydantic's or a KeyError says nothing of the server."""
    with closing(opened(double)) as index:
        index.add(PASSAGES)
    double.requests.clear()
    with closing(opened(double)) as index:
        CALLS[name](index)
    endpoint = data.draw(st.sampled_from(sorted({endpoint for _, endpoint in double.requests})))

    def change(reply: Any) -> Any:
        for number, value in changed:
            found = [*places(reply)]
            container, place = found[number % len(found)]
            container[place] = value
        return reply

    double.change = (endpoint, change)
    try:
        with closing(opened(double)) as index:
            CALLS[name](index)
    except LogicRetrieversError:
        pass
    finally:
        double.change = None
