"""Fixtures that run the same tests embedded, over the wire double and on a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fault_injection import WireDouble
from live_server import Server, live_server
from suites import HashedEncoder

from logic_retrievers.index import Connection, PassageIndex
from logic_retrievers.types import Passage

WORDS = ("quiet", "noisy", "hotel", "hostel", "river", "garden", "pool", "pets", "cheap", "warm")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A real server, if one is available."""
    with live_server() as found:
        yield found


@pytest.fixture(params=["rest", "grpc"])
def wire_settings(request: pytest.FixtureRequest, wire_double: WireDouble) -> dict[str, Any]:
    """Settings that point to the wire double."""
    return wire_double.place(prefer_grpc=request.param == "grpc")


@pytest.fixture(
    params=[
        "memory",
        "grpc",  # REST: by the conformance suite, and by `wire_settings`
        pytest.param("server-rest", marks=pytest.mark.server),
        pytest.param("server-grpc", marks=pytest.mark.server),
    ]
)
def location(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """Settings for the collection's location; the location is empty before and after the test."""
    if request.param == "memory":
        yield {}
    elif request.param == "grpc":
        yield request.getfixturevalue("wire_double").place(prefer_grpc=True)
    else:
        server = request.getfixturevalue("server")
        settings = {
            "location": server.url,
            "api_key": server.api_key,
            "prefer_grpc": request.param == "server-grpc",
            "grpc_port": server.grpc_port,
        }
        _clear(settings)
        yield settings
        _clear(settings)


def _clear(settings: dict[str, Any]) -> None:
    """Remove only what these tests make: the server may hold other collections."""
    connection = Connection.open(**settings)
    for found in connection.client.get_collections().collections:
        if found.name.startswith("lr-test"):
            connection.client.delete_collection(found.name)
    connection.close()


@pytest.fixture
def encoder() -> HashedEncoder:
    return HashedEncoder()


@pytest.fixture
def opened(
    location: dict[str, Any], encoder: HashedEncoder
) -> Iterator[Callable[..., PassageIndex]]:
    """Open indexes of the same location and close them; in memory they share one client."""
    indexes: list[PassageIndex] = []

    def open_index(**settings: Any) -> PassageIndex:
        place = location
        if (location.get("location") is None and indexes) or (indexes and indexes[0].embedded):
            place = {"client": indexes[0].client}
        encoding = settings.pop("encoder", encoder)
        settings.setdefault("lexical", False)  # most tests cover dense vectors
        index = PassageIndex.open(
            settings.pop("collection", "lr-test"), encoding, **place, **settings
        )
        indexes.append(index)
        return index

    yield open_index
    for index in reversed(indexes):
        index.close()


@pytest.fixture
def index(opened: Callable[..., PassageIndex]) -> PassageIndex:
    return opened()


def passages(count: int, **fields: Any) -> list[Passage]:
    """Passages of five words each, all different."""
    return [
        Passage(
            f"p{i}",
            " ".join(WORDS[(i * (2 * j + 3) + i // 7 + j) % len(WORDS)] for j in range(5))
            + f" {i}",
            {"number": i, "parity": "even" if i % 2 == 0 else "odd"},
            **fields,
        )
        for i in range(count)
    ]


@pytest.fixture
def make_passages() -> Callable[..., list[Passage]]:
    return passages
