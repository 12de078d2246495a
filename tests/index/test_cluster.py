"""Clusters: requests skip a dead node, and every call sends its consistency guarantees."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from fault_injection import WireDouble
from typer.testing import CliRunner

from logic_retrievers import Engine, Passage
from logic_retrievers.cli.app import app
from logic_retrievers.errors import ConfigurationError, ServerUnavailableError, StorageError
from logic_retrievers.http import RequestLimits
from logic_retrievers.index import Connection, PassageIndex
from logic_retrievers.index.cluster import NodesConnection

PASSAGES = [Passage(f"p{n}", f"quiet hotel {n}") for n in range(20)]
DEAD = "http://127.0.0.1:9"


@pytest.fixture
def cluster() -> Iterator[tuple[WireDouble, WireDouble]]:
    """Two servers over the same data."""
    with WireDouble() as first, WireDouble() as second:
        second._store = first._store
        yield first, second


def found(index: PassageIndex) -> list[str]:
    return [hit.passage.id for hit in Engine(index).search("quiet hotel 7", k=3)]  # type: ignore[arg-type]


def test_a_dead_node_is_passed_over_from_the_opening_on(wire_double, encoder, monkeypatch):
    """After a failure a node is tried last for a while, so that not every request waits for it."""
    asked: list[str] = []
    handle = Connection.handle

    def noted(self: Connection, effect):
        if not isinstance(self, NodesConnection):
            asked.append(self.place)
        return handle(self, effect)

    monkeypatch.setattr(Connection, "handle", noted)
    with PassageIndex.open("p", encoder, location=[DEAD, wire_double.url]) as index:
        assert index.add(PASSAGES).added == 20
        assert len(found(index)) == 3
    assert asked.count(DEAD) == 1
    assert asked.count(wire_double.url) > 4


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_node_dies_in_the_middle(encoder, protocol, asynchronous):
    """A node's death must cause no error, no short list and no duplicate write."""
    with WireDouble() as second:
        with WireDouble() as first:
            own, first._store = first._store, second._store
            connections = [
                Connection.open(
                    double.url,
                    prefer_grpc=protocol == "grpc",
                    grpc_port=double.grpc_port,
                    retries=0,
                )
                for double in (first, second)
            ]
            PassageIndex.open("p", encoder, location=first.url).close()
            both = NodesConnection(connections, RequestLimits(30, 3))
            opened = PassageIndex.open("p", encoder, location=second.url)
            index = PassageIndex(both, encoder, opened._collection)
            opened.close()
            await index.aadd(PASSAGES[:10])
            assert len(first.requests) > len(second.requests)
            first._store = own  # otherwise the second index would close with the first
        if asynchronous:
            report = await index.aadd(PASSAGES)
            hits = await asyncio.gather(
                *(Engine(index).asearch("quiet hotel 7", k=3) for _ in range(8))
            )
            assert {len(one) for one in hits} == {3}
            await index.aclose()
        else:
            report = index.add(PASSAGES)
            assert len(found(index)) == 3
            index.close()
        assert (report.added, report.unchanged) == (10, 10)


def test_a_node_that_is_back_is_asked_again(cluster, encoder, monkeypatch):
    """A node that recovers must get requests again, so that no single node carries all load."""
    monkeypatch.setattr("logic_retrievers.index.cluster.REST", 0.2)
    first, second = cluster
    with PassageIndex.open("p", encoder, location=[first.url, second.url]) as index:
        index.add(PASSAGES)
        first.fail(1, "503", "points/count")
        first.requests.clear()
        second.requests.clear()
        assert index.count() == 20
        assert index.count() == 20
        assert len(second.requests) == 2
        time.sleep(0.25)
        assert index.count() == 20
        assert len(first.requests) == 2


def test_all_are_dead(encoder):
    """The error names all nodes; each is tried, even for calls that are not repeated."""
    with pytest.raises(ServerUnavailableError, match=f"None of {DEAD}, {DEAD}0 gave an answer"):
        PassageIndex.open("p", encoder, location=[DEAD, f"{DEAD}0"], retries=0)


def test_a_refusal_is_final(cluster, encoder):
    """A refusal must not be retried: every node would answer the same."""
    first, second = cluster
    with PassageIndex.open("p", encoder, location=[first.url, second.url]) as index:
        second.requests.clear()
        first.fail(1, "507", "points/count")
        with pytest.raises(StorageError):
            index.count()
        assert not second.requests


def test_a_node_that_comes_back_without_its_shard(cluster, encoder):
    """Such a node answers 500 for a moment, while the others have a copy."""
    first, second = cluster
    with PassageIndex.open("p", encoder, location=[first.url, second.url]) as index:
        index.add(PASSAGES)
        first.fail(1, "shard not found", "points/count")
        assert index.count() == 20
        assert ("rest", "points/count") in second.requests


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ([], "each once"),
        ([DEAD, DEAD], "each once"),
        ([DEAD, "a-folder"], "a folder stands alone"),
        (["a:6333", "b:6333"], "begin with http:// or https://"),
        ([DEAD, 3], "location="),
        ([DEAD, "http://user@host"], "address"),
    ],
)
def test_addresses_that_cannot_be(encoder, location, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=words):
        PassageIndex.open("p", encoder, location=location)


def test_the_command_line_takes_them_with_commas(wire_double, tmp_path):
    (tmp_path / "a.md").write_text("Dogs are welcome.", "utf-8")
    arguments = ["index", str(tmp_path / "a.md"), "--location", f"{DEAD},{wire_double.url}"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "1 added" in result.output


READS = ("query_batch_points", "retrieve", "scroll")
CALLS = (*READS, "upsert", "delete", "update_vectors")


@pytest.mark.parametrize(
    ("consistency", "ordering"), [(2, "weak"), ("majority", "medium"), ("all", "strong")]
)
def test_each_call_says_what_is_guaranteed(
    wire_settings, encoder, monkeypatch, consistency, ordering
):
    """The client converts the guarantees for its protocol and refuses unknown words."""
    said: dict[str, set[Any]] = defaultdict(set)

    def noting(name: str, really: Any) -> Any:
        def call(**arguments: Any) -> Any:
            said[name].add((arguments.get("consistency"), arguments.get("ordering")))
            return really(**arguments)

        return call

    with PassageIndex.open(
        "p", encoder, **wire_settings, consistency=consistency, ordering=ordering
    ) as index:
        for name in CALLS:
            monkeypatch.setattr(index.client, name, noting(name, getattr(index.client, name)))
        index.add([Passage("a", "quiet hotel", source="s"), Passage("b", "bar", source="s")])
        index.backfill()
        index.add([Passage("a", "quiet hotel", source="s")], replace_sources=True)
        assert index.get(["a", "b"]) == [Passage("a", "quiet hotel", source="s")]
        assert [passage.id for passage in index.scroll()] == ["a"]
    reads, writes = (consistency, None), (None, ordering)
    for name in said:
        assert said[name] == {reads if name in READS else writes}, name
    assert {"retrieve", "scroll", "upsert", "delete"} <= said.keys()


@pytest.mark.parametrize(
    "settings", [{"consistency": "most"}, {"consistency": True}, {"ordering": "strict"}]
)
def test_another_value_is_refused_before_anything_is_sent(wire_double, encoder, settings):
    with pytest.raises(ConfigurationError, match=f"{next(iter(settings))}= is "):
        PassageIndex.open("p", encoder, location=wire_double.url, **settings)
    assert not wire_double.requests


@pytest.mark.parametrize("settings", [{"consistency": 1}, {"ordering": "weak"}])
def test_the_embedded_engine_has_no_copies(encoder, settings):
    with pytest.raises(ConfigurationError, match="for a server"):
        PassageIndex.open("p", encoder, **settings)
