"""Opening: what fits is opened, what does not is named."""

from __future__ import annotations

import asyncio
import inspect
import pickle

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from suites import HashedEncoder

from logic_retrievers.errors import (
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
    ServerUnavailableError,
)
from logic_retrievers.index import Connection, EncodedVectorQuery, PassageIndex
from logic_retrievers.types import Passage


def test_a_new_collection_is_described_by_itself(opened):
    """The next process knows only what the collection says."""
    index = opened(lexical=True)
    info = index.client.get_collection("lr-test")
    assert {
        n: (v.size, v.distance) for n, v in info.config.params.vectors.items()
    } == dict.fromkeys(("topical", "compatibility"), (32, models.Distance.COSINE))
    assert info.config.params.sparse_vectors["lexical"].modifier == models.Modifier.IDF
    assert info.config.metadata["logic"]["format"] == 1
    again = opened()
    assert again.vectors == ("topical", "compatibility", "lexical")


def test_another_encoder_is_refused(opened):
    """Vectors of two encoders in one space give scores that mean nothing."""
    opened()
    with pytest.raises(FingerprintMismatchError, match=r"'topical'.*another encoder.*reindex"):
        opened(encoder=HashedEncoder(version="2"))
    with pytest.raises(CollectionMismatchError, match="dimension 32, the encoder's"):
        opened(encoder=HashedEncoder(dimension=16))


def test_a_better_head_does_not_orphan_the_topical_vectors(opened):
    """Each named vector has its own fingerprint."""
    opened()
    newer = HashedEncoder(versions={"compatibility": "2"})
    with pytest.raises(FingerprintMismatchError, match="'compatibility'"):
        opened(encoder=newer)
    assert opened(encoder=newer, vectors=["topical"]).vectors == ("topical",)


def test_a_vector_that_is_asked_for_must_be_there(opened):
    """Silently without it, a policy would rank by half of its evidence."""
    opened(encoder=HashedEncoder(["topical"]))
    richer = HashedEncoder(["topical", "contradiction"])
    with pytest.raises(MissingVectorError, match=r"'contradiction'.*backfill"):
        opened(encoder=richer, vectors=["topical", "contradiction"])
    with pytest.raises(MissingVectorError, match="'lexical'"):
        opened(encoder=richer, lexical=True)
    index = opened(encoder=richer)
    assert index.vectors == ("topical",)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"vectors": ["nonsense"]}, ConfigurationError, "nonsense"),
        ({"vectors": []}, ConfigurationError, "nothing"),
        ({"vectors": [[]]}, ConfigurationError, "The encoder makes"),
        ({"vectors": 5}, ConfigurationError, "vectors"),
        ({"create": "no"}, ConfigurationError, "create"),
        ({"collection": ""}, ConfigurationError, "collection"),
        ({"create": False}, CollectionNotFoundError, "no collection 'lr-test'"),
        ({"retries": -1}, ConfigurationError, "retries"),
        ({"timeout": 0}, ConfigurationError, "timeout"),
        ({"location": "localhost:6333"}, ConfigurationError, "http://localhost:6333"),
        ({"location": ":memory:", "api_key": "k"}, ConfigurationError, "API key"),
        ({"location": "\0"}, ConfigurationError, "null"),
    ],
)
def test_settings_that_cannot_work(encoder, settings, error, message):
    """A wrong setting must be named before any work is done."""
    with pytest.raises(error, match=message):
        PassageIndex.open(settings.pop("collection", "lr-test"), encoder, **settings)


def test_unknown_settings_are_refused(encoder):
    """A mistyped setting must not be ignored."""
    with pytest.raises(ConfigurationError, match="tennant"):
        PassageIndex.open("lr-test", encoder, tennant="t")
    with pytest.raises(ConfigurationError, match="location="):
        PassageIndex.open("lr-test", "a-folder")
    for keys in ({"text_key": "logic"}, {"text_key": "a", "metadata_key": "a"}):
        with pytest.raises(ConfigurationError, match="must differ"):
            PassageIndex.open("lr-test", encoder, **keys)


def test_a_collection_keeps_its_keys(encoder, location):
    """Half of a collection under other keys would be found by no filter, and read without them."""
    with PassageIndex.open("lr-test", encoder, **location) as index:
        index.add([Passage("a", "text", {"y": 1})])
        with pytest.raises(CollectionMismatchError, match="Leave"):
            PassageIndex.open("lr-test", encoder, client=index.client, metadata_key="other")


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        (
            models.VectorParams(size=32, distance=models.Distance.DOT),
            CollectionMismatchError,
            "Dot",
        ),
        (
            models.VectorParams(size=8, distance=models.Distance.COSINE),
            CollectionMismatchError,
            "8",
        ),
        (
            {n: models.VectorParams(size=32, distance=models.Distance.COSINE) for n in ("x", "y")},
            CollectionMismatchError,
            "vector_names",
        ),
    ],
)
def test_foreign_collections_that_do_not_fit(encoder, config, error, message):
    """Dot products taken for cosines, or a vector taken for another."""
    client = QdrantClient(":memory:")
    client.create_collection("lr-test", config)
    with pytest.raises(CollectionMismatchError, match=message):
        PassageIndex.open("lr-test", encoder, client=client)
    client.close()


def test_a_newer_format_is_refused(encoder):
    """An old version that writes into a newer collection damages it."""
    client = QdrantClient(":memory:")
    PassageIndex.open("lr-test", encoder, client=client)
    client.update_collection(
        "lr-test", metadata={"logic": {"format": 2, "vectors": {}, "prefixes": []}}
    )
    with pytest.raises(CollectionMismatchError, match="format 2"):
        PassageIndex.open("lr-test", encoder, client=client)
    client.close()


def test_no_server_there(encoder):
    """Wrong address or server down: one message that names the address."""
    with pytest.raises(ServerUnavailableError, match=r"http://127\.0\.0\.1:9 .*running"):
        PassageIndex.open("lr-test", encoder, location="http://127.0.0.1:9", retries=0)


def test_the_default_encoder():
    """Three lines must be enough to begin."""
    with PassageIndex.open() as index:
        index.add(
            [Passage("a", "A quiet room by the river."), Passage("b", "Loud music all night.")]
        )
        query = index.encoder.encode_queries(["silence near the water"])["topical"][0]
        search = EncodedVectorQuery("topical", "topical", query, 1)
        [pool] = index.run(index.find_candidates([[search]]))
        assert [p.id for p in index.run(index.fetch_passages(pool.ids)).values()] == ["a"]
        assert index.add([Passage("a", "A quiet room by the river.")]).unchanged == 1


def test_given_clients_stay_open(encoder):
    """A framework's own store would stop working when ours is closed."""
    client = QdrantClient(":memory:")
    with PassageIndex.open("lr-test", encoder, client=client) as index:
        index.add([Passage("a", "text")])
    assert client.count("lr-test").count == 1
    client.close()


def test_an_asynchronous_client_alone(encoder):
    """Web applications have no synchronous one."""

    async def use_async_methods():
        client = AsyncQdrantClient(":memory:")
        index = await PassageIndex.aopen("lr-test", encoder, async_client=client)
        async with index:
            assert not index.embedded
            await index.aadd([Passage("a", "text")])
            query = EncodedVectorQuery("topical", "topical", np.ones(32), 1)
            [pool] = await index.arun(index.find_candidates([[query]]))
            assert len(pool.ids) == 1
            with pytest.raises(ConfigurationError, match="client="):
                index.count()
        assert (await client.count("lr-test")).count == 1
        await client.close()

    asyncio.run(use_async_methods())


def test_daily_methods_have_an_asynchronous_form():
    """A setting that only one of the two has."""
    names = ["open", "add", "delete", "count", "get", "scroll", "backfill", "close", "run"]
    names += ["use_query_encoder", "unknown_fields"]
    for name in names:
        one, other = getattr(PassageIndex, name), getattr(PassageIndex, f"a{name}")
        assert (
            inspect.signature(one).parameters.keys() == inspect.signature(other).parameters.keys()
        )
        assert inspect.iscoroutinefunction(other) or inspect.isasyncgenfunction(other)
    methods = {name for name, _ in inspect.getmembers(PassageIndex, callable) if name[0] != "_"}
    assert methods - {*names, *(f"a{name}" for name in names)} == {
        *("find_candidates", "fetch_passages", "fetch_vectors", "stored_vectors"),
        *("get_passages", "read_page", "delete_passages"),
        *("hide", "unhide", "quarantined_page", "fingerprints", "note", "noted"),
        *("copy_to", "reindex", "optimize"),  # maintenance, which blocks
    }


def test_the_key_is_nowhere_to_be_seen(encoder, wire_double):
    """A key in a log is a key given away."""
    key = "very-secret-key"
    url = wire_double.url.replace("http://", "http://user:concealed@")
    with pytest.raises(ConfigurationError, match="api_key=") as caught:
        Connection.open(url, api_key=key)
    with PassageIndex.open("lr-test", encoder, location=wire_double.url, api_key=key) as index:
        texts = [str(caught.value), repr(index), str(vars(index)), repr(index.connection)]
    assert not any(key in text or "concealed" in text for text in texts)


def test_a_collection_of_tenants_is_not_opened_for_everybody_by_accident(opened, location):
    """A setting that was forgotten shows one customer another one's passages."""
    opened().add([Passage("a", "quiet hotel")])
    assert opened().count() == 1  # no tenants yet
    mine = opened(tenant="mine")
    mine.add([Passage("b", "noisy hostel")])
    with pytest.raises(ConfigurationError, match=r"tenant=.*all_tenants=True"):
        opened()
    everybody = opened(all_tenants=True)
    with pytest.raises(ConfigurationError, match="tenant="):
        everybody.add([Passage("c", "a passage that no tenant would see")])
    assert everybody.backfill().vectors == ()
    with pytest.raises(ConfigurationError, match="tenant="):
        asyncio.run(everybody.aadd([Passage("c", "the same")]))
    assert everybody.count() == 2
    assert opened(tenant="mine").count() == 1
    mine.delete(["b"])
    assert opened().count() == 1


@pytest.mark.parametrize(
    "wrong", [{"tenant": ""}, {"tenant": 7}, {"tenant": "a", "all_tenants": True}]
)
def test_a_tenant_that_cannot_be_one(encoder, wrong):
    """An empty name could mean all tenants or none."""
    with pytest.raises(ConfigurationError, match="tenant="):
        PassageIndex.open("lr-test", encoder, **wrong)


def test_a_misspelt_collection_is_told_from_those_that_there_are(encoder, tmp_path):
    """Nothing else lists them; the most similar name comes first."""
    names = ["a/b. c", "handbook", "minutes", "news", "walks", "zoo"]
    for name in names:
        PassageIndex.open(name, encoder, location=tmp_path).close()
    with pytest.raises(CollectionNotFoundError) as caught:
        PassageIndex.open("handbok", encoder, location=tmp_path, create=False)
    assert str(caught.value).startswith(
        "There is no collection 'handbok'; there are 'handbook', 'a/b. c', 'minutes', 'news',"
        " 'walks' and others. Index"
    )


def test_an_open_index_is_not_pickled(opened):
    """A TypeError about a lock does not say what to do instead."""
    with pytest.raises(ConfigurationError, match="Open it where it is needed"):
        pickle.dumps(opened())
