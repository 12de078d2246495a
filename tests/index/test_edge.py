"""The embedded engine: its own filters, HNSW during searches, crashes and forks."""

from __future__ import annotations

import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from qdrant_client import models
from vector_queries import QUERIES, vector_queries

from logic_retrievers.errors import CollectionError, ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import EdgeClient, collection
from logic_retrievers.index.edge.collection import open_folder
from logic_retrievers.index.faults import EdgeError
from logic_retrievers.types import Passage

POINTS = {
    1: {"n": 1, "s": "red", "flag": True, "d": "2024-01-05T00:00:00Z", "t": ["a", "b"]},
    2: {"n": 2.5, "s": "blue", "flag": False, "note": "A Warm quiet room", "deep": {"x": [1, 2]}},
    3: {"n": [1, 7], "s": "", "d": "2025-01-01T00:00:00Z", "list": [{"a": 1, "b": 2}]},
    4: {},
}


INDEXES = {"flag": "bool", "n": "float", "s": "keyword", "d": "datetime", "note": "text"}


@pytest.fixture(params=[False, True], ids=["plain", "indexed"])
def client(request):
    """A client with and without payload indexes."""
    client = EdgeClient()
    vectors = {"a": models.VectorParams(size=2, distance=models.Distance.COSINE)}
    client.create_collection("c", vectors)
    for key, kind in INDEXES.items() if request.param else ():
        client.create_payload_index("c", key, models.PayloadSchemaType(kind))
    client.upsert(
        "c",
        [models.PointStruct(id=i, vector={"a": [1.0, i]}, payload=p) for i, p in POINTS.items()],
    )
    yield client
    client.close()


def field(key, **fields):
    return models.FieldCondition(key=key, **fields)


CONDITIONS = {
    "true, which is no 1": (field("flag", match=models.MatchValue(value=True)), {1}),
    "false": (field("flag", match=models.MatchValue(value=False)), {2}),
    "1, which is not true": (field("n", match=models.MatchValue(value=1)), {1, 3}),
    "any": (field("s", match=models.MatchAny(any=["red", "blue"])), {1, 2}),
    "except": (field("s", match=models.MatchExcept(**{"except": ["red"]})), {2, 3}),
    "words in any case": (field("note", match=models.MatchText(text="quiet WARM")), {2}),
    "phrase": (field("note", match=models.MatchPhrase(phrase="warm quiet")), {2}),
    "part of a word": (field("note", match=models.MatchText(text="qui")), set()),
    "numbers": (field("n", range=models.Range(gt=1, lte=7)), {2, 3}),
    "dates": (field("d", range=models.DatetimeRange(gte=datetime(2024, 6, 1, tzinfo=UTC))), {3}),
    "count": (field("t", values_count=models.ValuesCount(gte=2)), {1}),
    "nested": (
        models.NestedCondition(
            nested=models.Nested(
                key="list",
                filter=models.Filter(must=[field("a", match=models.MatchValue(value=1))]),
            )
        ),
        {3},
    ),
    "empty": (models.IsEmptyCondition(is_empty=models.PayloadField(key="s")), {4}),
    "ids": (models.HasIdCondition(has_id=[1, 4, 9]), {1, 4}),
    "two of three": (
        models.Filter(
            min_should=models.MinShould(
                conditions=[
                    field("s", match=models.MatchValue(value="red")),
                    field("n", match=models.MatchValue(value=1)),
                    field("flag", match=models.MatchValue(value=False)),
                ],
                min_count=2,
            )
        ),
        {1},
    ),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_mean_what_they_mean_on_a_server(client, name):
    """A wrongly translated filter finds what the user ruled out."""
    condition, wanted = CONDITIONS[name]
    asked = models.Filter(must=[condition])
    assert {point.id for point in client.scroll("c", asked)[0]} == wanted
    assert client.count("c", asked).count == len(wanted)
    denied = models.Filter(must_not=[condition])
    assert {point.id for point in client.scroll("c", denied)[0]} == {*POINTS} - wanted
    request = models.QueryRequest(
        query=models.NearestQuery(nearest=[1.0, 0.0]), using="a", filter=asked, limit=9
    )
    [response] = client.query_batch_points("c", [request])
    assert {point.id for point in response.points} == wanted


def test_a_condition_that_cannot_be_translated_is_refused(client):
    """Silently dropping a condition would let every passage through."""
    circle = models.GeoRadius(center=models.GeoPoint(lon=1, lat=1), radius=5)
    with pytest.raises(ValueError, match="GeoPoint"):
        client.count("c", models.Filter(must=[field("place", geo_radius=circle)]))


def test_threads_add_to_the_metadata():
    """A thread's note must not be lost because a different thread read the metadata earlier."""
    client = EdgeClient()
    client.create_collection("c", {"a": models.VectorParams(size=2, distance="Cosine")})
    wanted = {f"{thread}-{n}": n for thread in range(4) for n in range(40)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: client.update_collection("c", {key: wanted[key]}), wanted))
    assert client.get_collection("c").config.metadata == wanted
    client.close()


def test_threads_open_the_same_new_collection(encoder, tmp_path):
    """The folder's lock must not refuse a thread because its own process has the folder open."""
    client = EdgeClient(str(tmp_path))
    together = threading.Barrier(8)
    looked = client.get_collection

    def look(collection_name):  # all see that the collection is missing, and only then create it
        try:
            return looked(collection_name)
        finally:
            if len(waited) < 8:
                waited.append(collection_name)
                together.wait(10)

    waited: list[str] = []
    client.get_collection = look
    with ThreadPoolExecutor(8) as threads:
        opened = threads.map(lambda _: PassageIndex.open("p", encoder, client=client), range(8))
        assert [index.collection for index in opened] == ["p"] * 8
    with pytest.raises(EdgeError, match="exists already"):
        client.create_collection("p", {})
    client.close()


def test_a_count_that_fails_at_the_closing(tmp_path, monkeypatch):
    """The next process must not enter the folder while the engine still writes to it."""
    client = EdgeClient(str(tmp_path))
    client.create_collection("c", {"a": models.VectorParams(size=2, distance="Cosine")})
    client.upsert("c", [models.PointStruct(id=1, vector={"a": [1.0, 1.0]}, payload={})])
    client.close()
    opened = open_folder(client.folder_of("c"), 1)

    def fails():
        raise EdgeError("the engine fails")

    opened.describe(points=None)
    monkeypatch.setattr(opened, "count", fails)
    opened.close()
    with pytest.raises(EdgeError):
        opened.info()
    again = EdgeClient(str(tmp_path))
    assert again.count("c").count == 1
    again.close()


def test_what_is_in_memory_goes_with_the_index(encoder, make_passages):
    """A temporary folder that stays fills the disk of a test machine."""
    index = PassageIndex.open("p", encoder)
    index.add(make_passages(5))
    folder = Path(index.client._folder)
    assert folder.is_dir()
    index.close()
    assert not folder.exists()


def found(index, encoder, condition=None):
    searches = [vector_queries(encoder, query) for query in QUERIES]
    return index.run(index.find_candidates(searches, condition))


@pytest.fixture
def small_limit(monkeypatch):
    """Build HNSW from 50 points on."""
    monkeypatch.setattr(collection, "EXACT_LIMIT", 50)


def test_searches_go_on_beside_an_optimisation(small_limit, encoder, make_passages, monkeypatch):
    """The engine's own function stops every thread of the application for minutes."""
    with PassageIndex.open("p", encoder, lexical=False) as index:
        monkeypatch.setattr(collection, "unindexed_points", lambda _: 0)
        index.add(make_passages(200))
        thread = threading.Thread(target=index.optimize)
        thread.start()
        counts = []
        while thread.is_alive():
            begun = time.perf_counter()
            counts.append(len(found(index, encoder)[0].ids))
            assert time.perf_counter() - begun < 1
        thread.join()
        assert len(counts) > 10
        assert len(set(counts)) == 1
        assert index.client.get_collection("p").indexed_vectors_count == 400


def test_what_an_interrupted_optimisation_left_is_removed(encoder, make_passages, tmp_path):
    """Half a copy next to the points must neither be taken for the points nor stay for ever."""
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add(make_passages(20))
    [shard] = (tmp_path / "p").glob("shard-*")
    shutil.copytree(shard, tmp_path / "p" / f"shard-{'0' * 32}")
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert index.count() == 20
    assert len(list((tmp_path / "p").glob("shard-*"))) == 1


def test_what_an_interrupted_creation_left_is_removed(encoder, tmp_path):
    """A collection without its description does not exist and must not block a new one."""
    with PassageIndex.open("p", encoder, location=tmp_path):
        pass
    (tmp_path / "p" / "collection.json").unlink()
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert index.count() == 0


def test_nothing_of_the_user_is_deleted(encoder, tmp_path):
    """A user's folder with the collection's name, or a collection without a name, must stay."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.txt").write_text("mine")
    with PassageIndex.open("docs", encoder, location=tmp_path) as index:
        index.add([Passage("a", "text")])
        with pytest.raises(ConfigurationError, match="a name that is not empty"):
            PassageIndex.open("", encoder, client=index.client)
    assert (tmp_path / "docs" / "mine.txt").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_says_so(encoder, make_passages):
    """A fork lacks the engine's threads: a search would hang, its exit delete the folder."""
    with PassageIndex.open("p", encoder) as index:
        index.add(make_passages(3))
        child = os.fork()
        if child == 0:
            try:
                with pytest.raises(EdgeError, match="fork"):
                    index.client.create_collection("q", {})
                index.count()
            except CollectionError as error:
                index.client._end()
                index.close()
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert index.count() == 3


def test_points_that_were_lost_since_the_closing_are_noticed(encoder, tmp_path):
    """A store that lost its files must not answer "nothing found"."""
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add([Passage(str(n), f"text {n}") for n in range(40)])
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert index.count() == 40
    for segment in tmp_path.glob("p/shard-*/segments/*"):
        shutil.rmtree(segment)
    with pytest.raises(CollectionError, match=r"damaged: it holds \d+ points, and 40 when"):
        PassageIndex.open("p", encoder, location=tmp_path)


def test_a_crash_leaves_little_to_write_again(encoder, make_passages, tmp_path, monkeypatch):
    """Opening after a crash must not replay all writes since the last opening."""
    monkeypatch.setattr(collection, "FLUSH_EVERY", 100)
    passages = list(make_passages(150))
    with PassageIndex.open("p", encoder, location=tmp_path / "whole") as index:
        index.add(passages, batch_size=40)
        shutil.copytree(tmp_path / "whole", tmp_path / "copy")  # as after a kill
    [log] = (tmp_path / "copy").rglob("wal")
    shutil.rmtree(log)
    with PassageIndex.open("p", encoder, location=tmp_path / "copy") as index:
        assert index.count() > len(passages) - 100
