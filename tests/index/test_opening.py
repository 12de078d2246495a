"""Opening: a fitting collection opens; the error names what does not fit."""

from __future__ import annotations

import asyncio
import os
import pickle
from inspect import isfunction, signature
from typing import get_type_hints

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from suites import HashedEncoder
from vector_queries import vector_queries

from logic_retrievers.errors import (
    CollectionError,
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
    ServerUnavailableError,
)
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.types import Passage


def test_a_new_collection_is_described_by_itself(opened):
    """The next process knows only what the collection records."""
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
    """Scores between vectors of two encoders mean nothing."""
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
    """Without an error a policy would rank by half of its evidence."""
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
        ({"vectors": [[]]}, ConfigurationError, "makes no vector"),
        ({"vectors": 5}, ConfigurationError, "vectors"),
        ({"create": "no"}, ConfigurationError, "create"),
        ({"collection": ""}, ConfigurationError, "collection"),
        ({"create": False}, CollectionNotFoundError, "no collection 'lr-test'"),
        ({"location": ":memory:", "api_key": "k"}, ConfigurationError, "API key"),
    ],
)
def test_settings_that_cannot_work(encoder, settings, error, message):
    """A wrong setting must be reported before any work starts."""
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
    """Passages stored under different keys would match no filter and lose fields when read."""
    with PassageIndex.open("lr-test", encoder, **location) as index:
        index.add([Passage("a", "text", {"y": 1})])
        with pytest.raises(CollectionMismatchError, match="Leave"):
            PassageIndex.open("lr-test", encoder, client=index.client, metadata_key="other")


def test_foreign_collections_that_do_not_fit(encoder):
    """Dot products must not pass for cosines, nor one vector for another."""
    client, cosine = QdrantClient(":memory:"), models.Distance.COSINE
    for name, config, message in (
        ("a", models.VectorParams(size=32, distance=models.Distance.DOT), "Dot"),
        ("b", models.VectorParams(size=8, distance=cosine), "8"),
        ("c", dict.fromkeys("xy", models.VectorParams(size=32, distance=cosine)), "vector_names"),
    ):
        client.create_collection(name, config)
        with pytest.raises(CollectionMismatchError, match=message):
            PassageIndex.open(name, encoder, client=client)
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
    """For a wrong address or a server that is down, the message names the address."""
    with pytest.raises(ServerUnavailableError, match=r"http://127\.0\.0\.1:9 .*running"):
        PassageIndex.open("lr-test", encoder, location="http://127.0.0.1:9", retries=0)


def test_given_clients_stay_open(encoder, recwarn):
    """Closing our index must not stop a framework's own store.

    Nor does the index pass parameters that make local mode warn.
    """
    client = QdrantClient(":memory:")
    with PassageIndex.open("lr-test", encoder, client=client) as index:
        index.add([Passage("a", "text")])
        index.run(index.find_candidates([vector_queries(encoder, "text")]))
    assert client.count("lr-test").count == 1
    assert not recwarn.list
    client.close()


def test_an_asynchronous_client_alone(encoder):
    """Web applications have no synchronous client."""

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


@pytest.mark.filterwarnings("ignore:Payload indexes have no", "ignore:Local mode performs")
async def test_an_asynchronous_client_in_local_mode_beside_one_of_a_server(encoder, wire):
    """Its searches were sent through an API that local mode lacks."""
    local = AsyncQdrantClient(":memory:")
    index = await PassageIndex.aopen("p", encoder, client=wire.connect(), async_client=local)
    await index.aadd([Passage("a", "text")])
    query = EncodedVectorQuery("topical", "topical", np.ones(32), 1)
    [pool] = await index.arun(index.find_candidates([[query]]))
    assert len(pool.ids) == 1
    await local.close()


def test_a_collection_of_tenants_is_not_opened_for_all_by_accident(opened, location):
    """A forgotten setting must not show one customer another customer's passages."""
    opened().add([Passage("a", "quiet hotel")])
    assert opened().count() == 1  # no tenants yet
    mine = opened(tenant="mine")
    with pytest.raises(AttributeError, match="tenant"):
        mine.tenant = "theirs"  # assigning would have no effect
    mine.add([Passage("b", "noisy hostel")])
    with pytest.raises(ConfigurationError, match=r"tenant=.*all_tenants=True"):
        opened()
    whole = opened(all_tenants=True)
    with pytest.raises(ConfigurationError, match="tenant="):
        whole.add([Passage("c", "a passage that no tenant would see")])
    assert whole.backfill().vectors == ()
    with pytest.raises(ConfigurationError, match="tenant="):
        asyncio.run(whole.aadd([Passage("c", "the same")]))
    assert whole.count() == 2
    assert opened(tenant="mine").count() == 1
    mine.delete(["b"])
    assert opened().count() == 1


@pytest.mark.parametrize(
    "wrong", [{"tenant": ""}, {"tenant": 7}, {"tenant": "a", "all_tenants": True}]
)
def test_a_tenant_that_cannot_be_one(encoder, wrong):
    """An empty name could mean all tenants or none."""
    with pytest.raises(ConfigurationError, match="tenant"):
        PassageIndex.open("lr-test", encoder, **wrong)


def test_a_misspelt_collection_is_told_from_those_that_there_are(encoder, tmp_path):
    """Nothing else lists the existing names; the most similar come first."""
    names = ["a/b. c", "handbook", "minutes", "news", "walks", "zoo"]
    for name in names:
        PassageIndex.open(name, encoder, location=tmp_path).close()
    with pytest.raises(CollectionNotFoundError) as caught:
        PassageIndex.open("handbok", encoder, location=tmp_path, create=False)
    assert str(caught.value).startswith(
        "There is no collection 'handbok'; there are 'handbook', 'walks', 'a/b. c', 'zoo', 'news'"
        " and others. Index"
    )


def test_methods_are_shown_as_they_are_called():
    """Methods showed the operations' return types; twins showed each other's names."""
    methods = {name: each for name, each in vars(PassageIndex).items() if isfunction(each)}
    for name, method in methods.items():
        assert (method.__name__, method.__qualname__) == (name, f"PassageIndex.{name}")
        if not name.startswith("_"):
            get_type_hints(method)
    for name in ("count", "acount"):
        assert str(signature(methods[name])) == "(self, filter: 'UserFilter' = None) -> 'int'"
        assert get_type_hints(methods[name]) == {"filter": UserFilter, "return": int}
    assert signature(methods["get"]).return_annotation == "list[Passage]"


def test_an_encoder_is_not_assigned(opened, encoder):
    """An assigned encoder would not be checked against the stored vectors."""
    with pytest.raises(AttributeError, match="encoder"):
        opened().encoder = encoder


def test_an_open_index_is_not_pickled(opened):
    """A TypeError about a lock does not say what to do instead."""
    with pytest.raises(ConfigurationError, match="Open it where it is needed"):
        pickle.dumps(opened())


def test_folders_that_are_none(encoder, tmp_path):
    """A file, or another program's JSON, must not be taken for an index or overwritten."""
    file = tmp_path / "file"
    file.write_text("hello")
    with pytest.raises(CollectionError, match="is a file"):
        PassageIndex.open("lr-test", encoder, location=file)
    (tmp_path / "lr-test").mkdir()
    (tmp_path / "lr-test" / "collection.json").write_text("not json")
    with pytest.raises(CollectionError, match=r"collection\.json is damaged"):
        PassageIndex.open("lr-test", encoder, location=tmp_path)
    assert file.read_text() == "hello"


def test_a_folder_of_local_mode(encoder, tmp_path):
    """Its passages stay, and nothing is written next to them."""
    old = QdrantClient(path=str(tmp_path / "old"))
    with PassageIndex.open("lr-test", encoder, client=old) as index:
        index.add([Passage("a", "text", {"n": 1})])
        with pytest.raises(CollectionError, match=r"local mode.*copy_to"):
            PassageIndex.open("lr-test", encoder, location=tmp_path / "old")
        assert index.copy_to(location=tmp_path / "new") == 1
    old.close()
    with PassageIndex.open("lr-test", encoder, location=tmp_path / "new") as index:
        assert index.get(["a"]) == [Passage("a", "text", {"n": 1})]
        assert index.add([Passage("a", "text", {"n": 1})]).unchanged == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_new_folder_is_its_owners_alone(encoder, tmp_path):
    """Other users of the machine must not read the passages."""
    folder = tmp_path / "new"
    PassageIndex.open("lr-test", encoder, location=folder).close()
    assert folder.stat().st_mode & 0o777 == 0o700
