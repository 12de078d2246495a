"""The real vector stores of langchain-qdrant and LlamaIndex, in both directions."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaStore
from qdrant_client import QdrantClient, models
from suites import HashedEncoder
from vector_queries import stored_points

from logic_retrievers.errors import (
    CollectionMismatchError,
    FingerprintMismatchError,
    InputError,
)
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

# LlamaIndex's store asks for payload indexes in local mode too
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")

TEXTS = ["quiet hotel", "noisy hostel", "warm pool"]
QUERY = "a quiet place"


class TopicalEmbeddings(Embeddings):
    """The encoder's topical vectors behind LangChain's interface."""

    def __init__(self) -> None:
        self.encoder = HashedEncoder()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.encoder.encode_documents(texts)["topical"].tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.encoder.encode_queries([text])["topical"][0].tolist()


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


def topical(index, encoder, condition=None):
    """Passages and scores of the topical search, best first."""
    query = EncodedVectorQuery(
        "topical", "topical", encoder.encode_queries([QUERY])["topical"][0], 10
    )
    [pool] = index.run(index.find_candidates([[query]], condition))
    passages = index.run(index.fetch_passages(pool.ids))
    order = np.argsort(-pool.scores["topical"], kind="stable")
    return [(passages[pool.ids[i]], pool.scores["topical"][i]) for i in order]


@pytest.mark.parametrize("name", ["", "text"])
def test_langchain_wrote_we_read(client, encoder, name):
    """A user's existing collection must be usable without indexing it again."""
    size = models.VectorParams(size=32, distance=models.Distance.COSINE)
    client.create_collection("p", {name: size} if name else size)
    store = QdrantVectorStore(client, "p", TopicalEmbeddings(), vector_name=name)
    ids = [str(uuid.uuid4()) for _ in TEXTS]
    store.add_documents(
        [Document(text, metadata={"n": n}) for n, text in enumerate(TEXTS)], ids=ids
    )
    index = PassageIndex.open("p", encoder, client=client)
    assert index.vectors == ("topical",)
    theirs = store.similarity_search_with_score(QUERY, k=3)
    ours = topical(index, encoder)
    assert [(p.text, p.metadata["n"], p.id) for p, _ in ours] == [
        (d.page_content, d.metadata["n"], d.metadata["_id"]) for d, _ in theirs
    ]
    assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=2e-6)
    assert [p.metadata for p, _ in topical(index, encoder, {"n": [0, 2]})] == [{"n": 0}, {"n": 2}]
    assert index.get([ids[1]])[0].text == TEXTS[1]
    # a back-fill can complete it: the topical vectors stay, under their existing name
    assert index.backfill().filled == 3
    again = PassageIndex.open("p", encoder, client=client, vectors=["topical", "compatibility"])
    assert topical(again, encoder) == ours
    assert again.add([Passage("new", "quiet hut", {"n": 9})]).added == 1
    assert store.similarity_search("quiet hut", k=1)[0].page_content == "quiet hut"
    assert again.delete([ids[0], "new"]) == 2


def test_we_wrote_langchain_reads(client, encoder):
    """A user can go back, or use both."""
    index = PassageIndex.open("p", encoder, client=client)
    index.add([Passage(f"doc {n}", text, {"n": n}, "s") for n, text in enumerate(TEXTS)])
    store = QdrantVectorStore(client, "p", TopicalEmbeddings(), vector_name="topical")
    condition = models.FieldCondition(key="metadata.n", range=models.Range(lt=2))
    found = store.similarity_search(QUERY, k=3, filter=models.Filter(must=[condition]))
    assert [(d.page_content, d.metadata["n"]) for d in found] == [(TEXTS[0], 0), (TEXTS[1], 1)]


@pytest.fixture
def llama(client) -> LlamaStore:
    return LlamaStore("p", client=client, enable_hybrid=False)


def test_llama_index_wrote_we_read(client, encoder, llama):
    """A user's existing collection must be usable without indexing it again."""
    embeddings = TopicalEmbeddings()
    parent = RelatedNodeInfo(node_id="book")
    nodes = [
        TextNode(
            text=text,
            metadata={"n": n, "city": "Oslo"},
            embedding=embeddings.embed_query(text),
            relationships={NodeRelationship.SOURCE: parent},
            start_char_idx=n,
            end_char_idx=n + len(text),
        )
        for n, text in enumerate(TEXTS)
    ]
    llama.add(nodes)
    index = PassageIndex.open("p", encoder, client=client)
    assert index.vectors == ("topical",)
    theirs = llama.query(
        VectorStoreQuery(query_embedding=embeddings.embed_query(QUERY), similarity_top_k=3)
    )
    ours = topical(index, encoder)
    assert [p.id for p, _ in ours] == theirs.ids
    assert [s for _, s in ours] == pytest.approx(theirs.similarities, abs=2e-6)
    first = nodes[0]
    (read,) = index.get([first.node_id])
    assert replace(read, extra={}) == Passage(
        first.node_id, TEXTS[0], {"n": 0, "city": "Oslo"}, "book", (0, len(TEXTS[0]))
    )
    assert read.extra["node_type"] == "TextNode"
    assert read.extra["node"]["relationships"]["1"]["node_id"] == "book"
    assert not {"text", "metadata", "embedding"} & set(read.extra["node"])
    # metadata lies at the top level there, and under `metadata` in what we add
    assert index.add([Passage("new", "quiet hut", {"n": 2, "city": None})]).added == 1
    assert {p.text for p, _ in topical(index, encoder, {"n": 2})} == {TEXTS[2], "quiet hut"}
    assert {p.text for p, _ in topical(index, encoder, {"city": None})} == {"quiet hut"}
    assert {p.text for p, _ in topical(index, encoder, {"n": {"not": 2}})} == set(TEXTS[:2])
    index.backfill()
    again = PassageIndex.open("p", encoder, client=client, vectors=["topical", "compatibility"])
    assert {p.text for p, _ in topical(again, encoder, {"n": 2})} == {TEXTS[2], "quiet hut"}


def test_we_wrote_llama_index_reads(client, encoder):
    """A user can go back, or use both."""
    index = PassageIndex.open("p", encoder, client=client)
    index.add([Passage(f"doc {n}", text, {"n": n}) for n, text in enumerate(TEXTS)])
    store = LlamaStore("p", client=client, dense_vector_name="topical", text_key="page_content")
    query = TopicalEmbeddings().embed_query(QUERY)
    found = store.query(VectorStoreQuery(query_embedding=query, similarity_top_k=1))
    assert [node.text for node in found.nodes] == TEXTS[:1]


def test_an_empty_collection_made_by_hand_is_signed_at_the_first_write(client, encoder):
    """Users create it to set replication or quantisation; encoders must still differ."""
    size = models.VectorParams(size=32, distance=models.Distance.COSINE)
    client.create_collection("p", {"topical": size, "compatibility": size})
    index = PassageIndex.open("p", encoder, client=client)
    assert client.get_collection("p").config.metadata is None
    index.add([Passage("x", "quiet hotel")])
    with pytest.raises(FingerprintMismatchError):
        PassageIndex.open("p", HashedEncoder(version="2"), client=client)


def made_by_hand(client: QdrantClient, **sparse: models.SparseVectorParams) -> None:
    size = models.VectorParams(size=32, distance=models.Distance.COSINE)
    client.create_collection(
        "p", {"topical": size, "compatibility": size}, sparse_vectors_config=sparse
    )


def test_words_of_a_collection_made_by_hand(client, encoder):
    """Words were stored, but neither this index nor the next one found them."""
    made_by_hand(client, lexical=models.SparseVectorParams(modifier=models.Modifier.IDF))
    index = PassageIndex.open("p", encoder, client=client, lexical="german")
    index.add([Passage("x", "ruhige Hotels"), Passage("y", "warmes Bad")])
    for opened in (index, PassageIndex.open("p", encoder, client=client, lexical="german")):
        assert "lexical" in opened.vectors
        hits = Engine(opened, "lexical").search_many(["ein Hotel"], 2)[0]
        assert [hit.passage.id for hit in hits] == ["x"]
    with pytest.raises(CollectionMismatchError, match="stemmed as 'german', not as 'english'"):
        PassageIndex.open("p", encoder, client=client, lexical=True)


def test_words_made_by_hand_without_their_rarity(client, encoder):
    made_by_hand(client, lexical=models.SparseVectorParams())
    with pytest.raises(CollectionMismatchError, match=r"modifier=Modifier\.IDF"):
        PassageIndex.open("p", encoder, client=client, lexical=True)


def test_a_collection_with_points_of_others_is_not_signed(client, encoder, llama):
    """The encoder of the existing points is unknown."""
    llama.add([TextNode(text="a", embedding=TopicalEmbeddings().embed_query("a"))])
    PassageIndex.open("p", encoder, client=client).add([Passage("x", "quiet hotel")])
    assert client.get_collection("p").config.metadata is None


# --- the flag that hides a passage leaves no trace

FLAG = {"logic": {"quarantined": True}}
STORES = ("langchain", "langchain with keys", "llama-index")


def write(client, store, *metadata):
    """Write texts in that store's layout; return the ids."""
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
    return {passage.text for passage, _ in topical(index, index.encoder, condition)}


@pytest.mark.parametrize("store", STORES)
def test_hidden_and_shown_again(client, encoder, store):
    """Cleaning a user's existing collection must be fully reversible."""
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
    """After a screening a framework's store puts our flag among the metadata."""
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
    """One filter covers both layouts in one collection."""
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
    payloads = [
        {one: kept[0] for one, kept in points.items()}
        for points in (before, stored_points(client, "p"))
    ]
    times = [each[point_id("ours")]["logic"].pop("written") for each in payloads]
    assert times[0] < times[1], "it was written anew"
    assert payloads[0] == payloads[1]


@pytest.mark.parametrize("store", STORES)
def test_a_tenant_hides_nothing_of_theirs(client, encoder, store):
    """A tenant must not hide a passage that it cannot read, even if it knows the id."""
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
    """After a back-fill signs the collection, passages hidden by the old layout stay hidden."""
    ids = write(client, store, {"n": 0}, {"n": 1, **FLAG}, {"n": 2})
    index = opened(client, encoder, store)
    index.run(index.hide([ids[2]]))
    assert index.backfill().filled == 3
    again = opened(client, encoder, store)
    assert search_texts(index) == search_texts(again) == {TEXTS[0]}
    assert [one.quarantined for one in again.get(ids)] == [False, True, True]


def payloads(client):
    """Every point's payload, as it lies there."""
    records, _ = client.scroll("p", limit=100, with_payload=True)
    return {record.id: record.payload for record in records}


@pytest.mark.parametrize("store", ["flat", "langchain", "llama"])
def test_one_field_is_written_and_taken_back(client, encoder, store):
    """A store that is cleaned in place must find its points as it left them."""
    ids = [str(uuid.uuid4()) for _ in TEXTS]
    embed = TopicalEmbeddings().embed_query
    if store == "llama":
        nodes = [
            TextNode(id_=one, text=text, metadata={"n": 1}, embedding=embed(text))
            for one, text in zip(ids, TEXTS, strict=True)
        ]
        LlamaStore("p", client=client, enable_hybrid=False).add(nodes)
        index = PassageIndex.open("p", encoder, client=client)
    else:
        size = models.VectorParams(size=32, distance=models.Distance.COSINE)
        client.create_collection("p", size)
        flat = [{"data": text, "n": 1, "user": "a"} for text in TEXTS]
        nested = [{"page_content": text, "metadata": {"n": 1}} for text in TEXTS]
        client.upsert(
            "p",
            [
                models.PointStruct(id=one, vector=embed(text), payload=payload)
                for one, text, payload in zip(
                    ids, TEXTS, flat if store == "flat" else nested, strict=True
                )
            ],
        )
        keys = {"text_key": "data", "metadata_key": ""} if store == "flat" else {}
        index = PassageIndex.open("p", encoder, client=client, **keys)
    before = payloads(client)
    index.run(index.write_field("until", {ids[0]: {"until": "2024"}, ids[1]: {"until": None}}))
    [found] = index.scroll(filter={"until": "2024"})
    assert found == replace(found, id=ids[0], text=TEXTS[0])
    assert {key: found.metadata[key] for key in ("n", "until")} == {"n": 1, "until": "2024"}
    index.run(index.write_field("until", {one: {} for one in ids}))
    assert payloads(client) == before


def test_a_flat_payload_is_read_filtered_and_written(encoder):
    """Everything beside the text is metadata, but never our own notes."""
    with PassageIndex.open("p", encoder, text_key="data", metadata_key="") as index:
        passages = [Passage(str(n), text, {"n": n}) for n, text in enumerate(TEXTS)]
        index.add(passages)
        assert sorted(index.scroll(), key=lambda p: p.id) == passages
        index.run(index.hide(["1"]))
        assert {p.id for p, _ in topical(index, encoder)} == {"0", "2"}
        assert [p.id for p, _ in topical(index, encoder, {"n": {"gte": 1}})] == ["2"]
        with pytest.raises(InputError, match="data"):
            index.add([Passage("x", "more", {"data": 1})])
