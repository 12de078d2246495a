"""The flag in collections of langchain-qdrant and LlamaIndex: it hides, and leaves no trace."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore
from llama_index.core.schema import TextNode
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaStore
from qdrant_client import QdrantClient, models
from test_foreign_stores import TEXTS, TopicalEmbeddings
from vector_queries import stored_points

from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.types import Passage

# LlamaIndex's store asks for payload indexes in local mode too
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")

FLAG = {"logic": {"quarantined": True}}
STORES = ("langchain", "langchain with keys", "llama-index")


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


def write(client, store, *metadata):
    """The texts as that store keeps them; their ids."""
    ids = [str(uuid.uuid4()) for _ in metadata]
    rows = list(zip(ids, TEXTS, metadata, strict=False))
    if store == "llama-index":
        embed = TopicalEmbeddings().embed_query
        nodes = [
            TextNode(id_=one, text=text, metadata=more, embedding=embed(text))
            for one, text, more in rows
        ]
        LlamaStore("p", client=client, enable_hybrid=False).add(nodes)
        return ids
    size = models.VectorParams(size=32, distance=models.Distance.COSINE)
    if not client.collection_exists("p"):
        client.create_collection("p", size)
    keys = {"content_payload_key": "body", "metadata_payload_key": "about"}
    made = QdrantVectorStore(
        client, "p", TopicalEmbeddings(), **(keys if store == "langchain with keys" else {})
    )
    made.add_documents([Document(text, metadata=more) for _, text, more in rows], ids=ids)
    return ids


def opened(client, encoder, store, **more):
    keys = {"text_key": "body", "metadata_key": "about"} if store == "langchain with keys" else {}
    return PassageIndex.open("p", encoder, client=client, **keys, **more)


def search_texts(index, condition=None):
    query = index.encoder.encode_queries(["a quiet place"])["topical"][0]
    [pool] = index.run(
        index.find_candidates([[EncodedVectorQuery("topical", "topical", query, 10)]], condition)
    )
    return {passage.text for passage in index.run(index.fetch_passages(pool.ids)).values()}


@pytest.mark.parametrize("store", STORES)
def test_hidden_and_shown_again(client, encoder, store):
    """A user's existing collection is cleaned first, and must come back as it was."""
    ids = write(client, store, {"n": 0}, {"n": 1}, {"n": 2})
    before = stored_points(client, "p")
    index = opened(client, encoder, store)
    taken = index.run(index.fingerprints(ids))
    assert index.run(index.hide(ids[1:])) == ids[1:]
    assert search_texts(index) == {TEXTS[0]}
    assert search_texts(index, {"n": [1, 2]}) == set()
    assert search_texts(opened(client, encoder, store)) == {TEXTS[0]}
    assert search_texts(opened(client, encoder, store, show_quarantined=True)) == set(TEXTS)
    assert [one.quarantined for one in index.get(ids)] == [False, True, True]
    assert {one.id for one in index.run(index.quarantined_page())[0]} == {*ids[1:]}
    assert index.count() == 3
    assert index.run(index.fingerprints(ids)) == taken
    assert index.run(index.unhide(ids)) == ids[1:]
    assert stored_points(client, "p") == before
    assert search_texts(index) == set(TEXTS)


@pytest.mark.parametrize("store", STORES)
def test_a_flag_that_came_with_the_metadata(client, encoder, store):
    """A framework's store puts our flag among the metadata, when a screening passes it on."""
    ids = write(client, store, {"n": 0}, {"n": 1, **FLAG}, {"n": 2})
    index = opened(client, encoder, store)
    assert search_texts(index) == {TEXTS[0], TEXTS[2]}
    assert [one.quarantined for one in index.get(ids)] == [False, True, False]
    assert [one.id for one in index.run(index.quarantined_page())[0]] == [ids[1]]
    taken = index.run(index.fingerprints(ids))
    assert index.run(index.hide(ids)) == [ids[0], ids[2]]
    assert index.run(index.fingerprints(ids)) == taken
    assert set(index.run(index.unhide(ids))) == {*ids}
    assert index.run(index.fingerprints(ids)) == taken
    assert search_texts(index) == set(TEXTS)
    assert index.run(index.quarantined_page()) == ([], None)


@pytest.mark.parametrize("store", STORES)
def test_what_we_add_beside_theirs(client, encoder, store):
    """Two layouts in one collection, and one filter for both."""
    ids = write(client, store, {"n": 0}, {"n": 1}, {"n": 2})
    index = opened(client, encoder, store)
    index.add([Passage("ours", "quiet hut", {"n": 1})])
    before = stored_points(client, "p")
    assert index.run(index.hide(["ours", ids[0]])) == ["ours", ids[0]]
    assert search_texts(index) == set(TEXTS[1:])
    index.add([Passage("ours", "quiet hut", {"n": 4})])
    assert search_texts(index, {"n": 4}) == set(), "the same text stays hidden"
    index.add([Passage("ours", "quiet hut", {"n": 1})])
    assert index.run(index.unhide(["ours", ids[0]])) == ["ours", ids[0]]
    assert {one: kept[0] for one, kept in stored_points(client, "p").items()} == {
        one: kept[0] for one, kept in before.items()
    }


@pytest.mark.parametrize("store", STORES)
def test_a_tenant_hides_nothing_of_theirs(client, encoder, store):
    """What a tenant cannot read it must not be able to hide, though it may know the id."""
    ids = write(client, store, {"n": 0}, {"n": 1})
    tenant = opened(client, encoder, store, tenant="one")
    assert tenant.run(tenant.hide(ids)) == []
    assert tenant.run(tenant.fingerprints(ids)) == {}
    index = opened(client, encoder, store)
    index.run(index.hide(ids[:1]))
    assert tenant.run(tenant.unhide(ids)) == []
    assert tenant.run(tenant.quarantined_page()) == ([], None)
    assert search_texts(index) == {TEXTS[1]}


@pytest.mark.parametrize("store", STORES)
def test_completed_they_stay_hidden(client, encoder, store):
    """A back-fill signs the collection as ours, and must not forget where theirs have the flag."""
    ids = write(client, store, {"n": 0}, {"n": 1, **FLAG}, {"n": 2})
    index = opened(client, encoder, store)
    index.run(index.hide([ids[2]]))
    assert index.backfill().filled == 3
    again = opened(client, encoder, store)
    assert search_texts(index) == search_texts(again) == {TEXTS[0]}
    assert [one.quarantined for one in again.get(ids)] == [False, True, True]
