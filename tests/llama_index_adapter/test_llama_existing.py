"""Collections made by LlamaIndex's QdrantVectorStore, on its clients."""

from __future__ import annotations

import uuid

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    LogicVectorStore,
    aopen_index_over,
    open_index_over,
)
from llama_stubs import TheirModel
from qdrant_client import AsyncQdrantClient, QdrantClient, models

from logic_retrievers.errors import (
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
    pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection"),
]
MODEL = TheirModel(model_name="m")
SIZE = models.VectorParams(size=384, distance=models.Distance.COSINE)


def no_sparse(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    return [[1] for _ in texts], [[0.5] for _ in texts]


def fill(store: QdrantVectorStore, nodes: list[TextNode]) -> QdrantVectorStore:
    """Store nodes as VectorStoreIndex does; that store's point ids must be UUIDs."""
    for node in nodes:
        name = node.node_id
        node.id_ = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        node.embedding = MODEL.get_text_embedding(node.get_content("embed"))
    store.add(nodes)
    return store


@pytest.fixture
def client():
    client = QdrantClient(":memory:")
    yield client
    client.close()


FORMS = {
    "dense": {},
    "hybrid": {"enable_hybrid": True, "sparse_doc_fn": no_sparse, "sparse_query_fn": no_sparse},
    "named": {"dense_vector_name": "mine"},
    "unnamed": {},
}


@pytest.fixture(params=FORMS)
def theirs(request, client, nodes) -> QdrantVectorStore:
    """The forms in which such collections occur."""
    if request.param == "unnamed":
        client.create_collection("c", SIZE)
    return fill(QdrantVectorStore("c", client=client, **FORMS[request.param]), nodes)


def names(results):
    return [result.node.metadata["name"] for result in results]


async def test_it_searches_what_is_there(theirs, client, query):
    """Users must be able to try the package without indexing again."""
    retriever = ConstraintRetriever.over(
        theirs, policy="topical", similarity_top_k=3, embed_model=MODEL
    )
    assert retriever.index.client is client
    assert retriever.index.vectors == ("topical",)
    vector = MODEL.get_query_embedding(query)
    expected = theirs.query(
        VectorStoreQuery(query_embedding=vector, query_str=query, similarity_top_k=3)
    )
    results = retriever.retrieve(query)
    assert [result.node.node_id for result in results] == expected.ids
    assert [result.score for result in results] == pytest.approx(expected.similarities, abs=2e-6)
    assert results[0].node.ref_doc_id == f"doc-{results[0].node.metadata['name']}"
    assert await retriever.aretrieve(query) == results
    assert names(ConstraintRetriever.over(theirs, embed_model=MODEL).retrieve(query))


def test_both_stores_on_one_collection(theirs, nodes, query):
    """QdrantVectorStore fails on queries that return a node by another writer."""
    store = LogicVectorStore(open_index_over(theirs, embed_model=MODEL))
    again = ConstraintRetriever.over(store, similarity_top_k=2)
    assert again.index is store.index
    with pytest.raises(CollectionMismatchError, match="Add nodes by that store"):
        store.add([TextNode(id_="new", text="A lighthouse with rooms by the sea.")])
    by_document = VectorStoreQuery(query_str=query, similarity_top_k=9, doc_ids=["doc-inn"])
    assert [n.metadata["name"] for n in store.query(by_document).nodes] == ["inn"]
    by_id = VectorStoreQuery(query_str=query, similarity_top_k=9, node_ids=[nodes[4].node_id])
    assert [n.metadata["name"] for n in store.query(by_id).nodes] == ["spa"]
    store.delete("doc-inn")
    store.delete_nodes([nodes[1].node_id])
    left = {node.metadata["name"] for node in store.get_nodes()}
    assert left == {"disco", "farm", "spa", "hostel", "villa", "motel"}
    assert len(theirs.get_nodes()) == 6
    store.clear()
    assert theirs.get_nodes() == []


async def test_their_asynchronous_client_is_shared(wire_double, nodes, query):
    """No second connection pool, and no loop blocked by the synchronous client."""
    client = QdrantClient(url=wire_double.url, check_compatibility=False)
    aclient = AsyncQdrantClient(url=wire_double.url, check_compatibility=False)
    theirs = fill(QdrantVectorStore("c", client=client, aclient=aclient), nodes)
    retriever = ConstraintRetriever.over(theirs, embed_model=MODEL, similarity_top_k=3)
    store = LogicVectorStore(retriever.index)
    assert (store.client, store.index.async_client) == (client, aclient)
    expected = retriever.retrieve(query)
    assert await retriever.aretrieve(query) == expected
    retriever.index.close()
    assert client.count("c").count == 8  # not closed by us

    alone = QdrantVectorStore("c", aclient=aclient)
    native_index = await aopen_index_over(alone, embed_model=MODEL)
    native = ConstraintRetriever(native_index, similarity_top_k=3)
    assert await native.aretrieve(query) == expected
    with pytest.raises(ConfigurationError, match="asynchronous"):
        open_index_over(alone, embed_model=MODEL)
    await aclient.close()
    client.close()


async def test_two_embedded_clients_are_two_databases(client, nodes, query):
    """The asynchronous database is empty, so every second call would find nothing."""
    theirs = QdrantVectorStore("c", client=client, aclient=AsyncQdrantClient(":memory:"))
    fill(theirs, nodes)
    retriever = ConstraintRetriever.over(theirs, embed_model=MODEL)
    assert await retriever.aretrieve(query) == retriever.retrieve(query)


async def test_what_cannot_be_opened_says_why(client, store):
    """Without a named model, OpenAI's must not be called."""
    empty = QdrantVectorStore("c", client=client)
    with pytest.raises(ConfigurationError, match="embed_model="):
        ConstraintRetriever.over(empty)
    with pytest.raises(ConfigurationError, match="embed_model="):
        await aopen_index_over(empty)
    with pytest.raises(CollectionNotFoundError):
        open_index_over(empty, embed_model=MODEL)
    with pytest.raises(ConfigurationError, match="QdrantVectorStore"):
        open_index_over(object(), embed_model=MODEL)
    with pytest.raises(ConfigurationError, match="open already"):
        ConstraintRetriever.over(store, embed_model=MODEL)
    with pytest.raises(ConfigurationError, match="open already"):
        await aopen_index_over(store, tenant="a")
    assert open_index_over(store) is await aopen_index_over(store) is store.index


def test_of_several_vectors_the_stores_own_is_taken(client, nodes, query):
    """Searching the wrong vector returns random nodes."""
    client.create_collection("c", {"other": SIZE, "mine": SIZE})
    theirs = fill(QdrantVectorStore("c", client=client, dense_vector_name="mine"), nodes)
    retriever = ConstraintRetriever.over(
        theirs, policy="topical", similarity_top_k=1, embed_model=MODEL
    )
    assert names(retriever.retrieve("a spa in the hills")) == ["spa"]


def test_text_under_a_key_of_its_own(client, query):
    """Over a different tool's collection, LlamaIndex's text_key names the text's field."""
    client.create_collection("c", {"text-dense": SIZE})
    vector = MODEL.get_text_embedding("A quiet inn.")
    payload = {"body": "A quiet inn.", "metadata": {"stars": 1}}
    client.upsert("c", [models.PointStruct(id=1, vector={"text-dense": vector}, payload=payload)])
    theirs = QdrantVectorStore("c", client=client, text_key="body")
    retriever = ConstraintRetriever.over(theirs, embed_model=MODEL, filter={"stars": 1})
    assert [result.node.text for result in retriever.retrieve(query)] == ["A quiet inn."]
