"""LogicVectorStore under VectorStoreIndex."""

from __future__ import annotations

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.indices.query.embedding_utils import get_top_k_mmr_embeddings
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.schema import ImageNode, MetadataMode
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from llama_index.core.vector_stores.types import VectorStoreQueryMode as Mode
from llama_index_logic_retrievers import ConstraintRetriever, LogicVectorStore
from llama_stubs import CountingEncoder, ids
from qdrant_client import QdrantClient, models

from logic_retrievers import AutoPolicy, Engine
from logic_retrievers.errors import (
    BlankTextWarning,
    ConfigurationError,
    InputError,
)

PLAIN = "a quiet hotel by the sea"
STARS = MetadataFilters(filters=[MetadataFilter(key="stars", value=1)])


def stored(store):
    return {node.node_id for node in store.get_nodes()}


def ask(text, k=4, **fields):
    return VectorStoreQuery(query_str=text, similarity_top_k=k, **fields)


def test_an_index_from_documents_writes_both_vectors_and_searches_by_text(query):
    """In this usual path a plain store loses the query's constraint."""
    store = LogicVectorStore.open()
    documents = [
        Document(doc_id="d1", text="A quiet inn by the sea. " * 30),
        Document(doc_id="d2", text="Rooms in a nightclub by the sea, loud until five. " * 30),
    ]
    index = VectorStoreIndex.from_documents(
        documents,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=store.embed_model,
        transformations=[TokenTextSplitter(chunk_size=60, chunk_overlap=0)],
    )
    results = index.as_retriever(similarity_top_k=3).retrieve(query)
    assert len(results) == 3
    assert results[0].node.ref_doc_id == "d1"
    assert results[0].node.next_node or results[0].node.prev_node
    assert results[0].node.metadata["logic"]["policy"] == "constraint"
    assert set(store.index.vectors) == {"topical", "compatibility", "lexical"}
    records, _ = store.client.scroll("passages", with_vectors=True)
    assert all(set(one.vector) == set(store.index.vectors) for one in records)
    assert results == ConstraintRetriever(store.index, similarity_top_k=3).retrieve(query)


def test_no_text_is_encoded_twice(nodes):
    """LlamaIndex embeds every node before passing it on, which would double ingestion time."""
    encoder = CountingEncoder()
    store = LogicVectorStore.open(encoder=encoder)
    VectorStoreIndex(
        nodes,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=store.embed_model,
    )
    assert store.index.count() == len(nodes)
    assert len(encoder.documents) == 2 * len(nodes)  # two vectors each
    assert set(encoder.documents.values()) == {1}
    texts = {node.get_content(MetadataMode.EMBED) for node in nodes}
    assert {text for _, text in encoder.documents} == texts
    assert not encoder.queries


async def test_sync_and_async_do_the_same(nodes, query):
    """The two code paths must not drift apart."""
    given = [*nodes, Document(doc_id="whole", text="A document that was not split.")]
    sync, native = LogicVectorStore.open(), await LogicVectorStore.aopen()
    assert sync.policy == native.policy == "auto"
    assert sync.add(given) == await native.async_add(given) == [node.node_id for node in given]
    assert sync.query(ask(query)) == await native.aquery(ask(query))
    for document in ("doc-inn", "whole", "unknown"):  # a user withdrew them with all their nodes
        sync.delete(document)
        await native.adelete(document)
    for condition in ({"node_ids": ["club"]}, {"filters": STARS}):
        sync.delete_nodes(**condition)
        await native.adelete_nodes(**condition)
    assert stored(sync) == stored(native) == {"disco", "farm", "spa", "villa", "motel"}
    assert sync.get_nodes(["spa"]) == await native.aget_nodes(["spa"])
    assert sync.get_nodes(filters=STARS) == await native.aget_nodes(filters=STARS) == []
    sync.clear()
    await native.aclear()
    assert stored(sync) == {node.node_id for node in await native.aget_nodes()} == set()
    sync.index.close()
    await native.index.aclose()


def test_a_query_is_the_engines(store, query):
    """Settings of LlamaIndex's query must not be dropped silently."""
    engine = Engine(store.index)
    results = store.query(ask(query, 3))
    hits = engine.search(query, 3)
    assert results.ids == [hit.passage.id for hit in hits]
    assert results.similarities == [hit.score for hit in hits]
    assert [node.node_id for node in results.nodes] == results.ids
    assert sorted(store.query(ask(query, filters=STARS)).ids) == ["club", "hostel"]
    assert sorted(store.query(ask(query, node_ids=["inn", "spa", "none"])).ids) == ["inn", "spa"]
    assert store.query(ask(query, doc_ids=["doc-inn", "none"])).ids == ["inn"]
    assert store.query(ask(query, doc_ids=["doc-inn"], filters=STARS)).ids == []
    assert len(store.query(ask(query, node_ids=[], doc_ids=[])).ids) == 4
    native = models.Filter(must=[models.HasIdCondition(has_id=[])])
    assert store.query(ask(query), qdrant_filters=native).ids == []
    assert store.query(ask(query), min_score=0.99).ids == []


async def test_settings_of_a_query(store, query):
    """`as_retriever` passes `vector_store_kwargs` on."""
    expression = '"a hotel" AND NOT nightclub'
    named = {"exclude": ["nightclubs", "cows"], "hard": True}
    theirs = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    for text, settings in (
        (query, named),
        (query, {"policy": "union"}),
        (expression, {"query_syntax": "expression"}),
    ):
        expected = ids(ConstraintRetriever.over(store, **settings).retrieve(text))
        assert store.query(ask(text), **settings).ids == expected
        assert (await store.aquery(ask(text), **settings)).ids == expected
        retriever = theirs.as_retriever(similarity_top_k=4, vector_store_kwargs=settings)
        assert ids(retriever.retrieve(text)) == expected
    nothing = {"exclude": None, "hard": None, "policy": None, "query_syntax": None}
    assert store.query(ask(query), **nothing).ids == store.query(ask(query)).ids


@pytest.mark.parametrize("threshold", [0.2, 1.0])
async def test_mmr_chooses_what_llama_index_chooses(store, threshold):
    """An index moved to this store must return the same nodes for the same setting."""
    embed = store.embed_model
    hits = Engine(store.index, "topical").search(PLAIN, 8)
    texts = [hit.passage.text_to_embed for hit in hits]
    _, wanted = get_top_k_mmr_embeddings(
        embed.get_query_embedding(PLAIN),
        embed.get_text_embedding_batch(texts),
        similarity_top_k=3,
        embedding_ids=[hit.passage.id for hit in hits],
        mmr_threshold=threshold,
    )
    index = VectorStoreIndex.from_vector_store(store, embed_model=embed)
    settings = {"vector_store_kwargs": {"mmr_threshold": threshold}}
    retriever = index.as_retriever(similarity_top_k=3, vector_store_query_mode=Mode.MMR, **settings)
    assert ids(retriever.retrieve(PLAIN)) == wanted
    assert ids(await retriever.aretrieve(PLAIN)) == wanted


@pytest.mark.parametrize(
    ("mode", "policy"),
    [
        (Mode.HYBRID, AutoPolicy(base="hybrid")),
        (Mode.TEXT_SEARCH, "lexical"),
        (Mode.SPARSE, "lexical"),
    ],
)
def test_modes_are_policies(store, query, mode, policy):
    """Words count, and `hybrid` still moves down what a query excludes."""
    expected = [hit.passage.id for hit in Engine(store.index, policy).search(query, 4)]
    assert store.query(ask(query, mode=mode)).ids == expected
    assert store.query(ask("lorries", mode=mode, k=1)).ids == ["motel"]
    of_the_query = store.query(ask(query, mode=mode), policy="auto").ids
    assert of_the_query == store.query(ask(query)).ids


def test_what_cannot_be_asked_is_refused(store, query):
    """A vector alone shows no exclusions; a misspelt setting must not be dropped."""
    with pytest.raises(InputError, match="query_str"):
        store.query(VectorStoreQuery(query_embedding=[0.1] * 384))
    with pytest.raises(ConfigurationError, match="polcy"):
        store.query(ask(query), polcy="union")
    with pytest.raises(ConfigurationError, match="no query mode 'svm'; it has default, hybrid"):
        store.query(ask(query, mode=Mode.SVM))
    with pytest.raises(ConfigurationError, match="relevance"):
        store.query(ask(query, mode=Mode.MMR), mmr_threshold=2.0)
    with pytest.raises(ConfigurationError, match="shard"):
        store.add([], shard="x")
    with pytest.raises(InputError, match="node_ids="):
        store.delete_nodes()
    with pytest.raises(ConfigurationError, match="index="):
        LogicVectorStore("passages")
    with pytest.warns(BlankTextWarning, match="'i'"):
        store.add([ImageNode(id_="i", image_url="http://x/y.png")])


def test_adding_again_changes_what_changed_and_nothing_else(nodes, query):
    """A batch is not the whole document: its other nodes must stay."""
    encoder = CountingEncoder()
    store = LogicVectorStore.open(encoder=encoder)
    same = {"relationships": nodes[0].relationships}  # all of one document
    store.add([node.model_copy(update=same) for node in nodes[:4]])
    encoder.documents.clear()
    store.add([node.model_copy(update=same) for node in nodes[2:6]])
    assert store.index.count() == 6
    assert len(encoder.documents) == 2 * 2
    retrieved = ConstraintRetriever(store.index, similarity_top_k=6).retrieve(query)
    encoder.documents.clear()
    store.add([result.node for result in retrieved])  # with evidence on them
    assert not encoder.documents
    assert all("logic" not in node.metadata for node in store.get_nodes())


def test_nodes_by_ids_and_filters(store):
    """Dropping one of two conditions deletes too much."""
    assert [n.node_id for n in store.get_nodes(["spa", "none", "inn"])] == ["spa", "inn"]
    assert store.get_nodes([]) == []
    assert {n.node_id for n in store.get_nodes(filters=STARS)} == {"club", "hostel"}
    assert [n.node_id for n in store.get_nodes(["club", "inn"], STARS)] == ["club"]
    assert "logic" not in store.get_nodes(["inn"])[0].metadata
    store.delete_nodes(["club", "inn"], STARS)
    store.delete_nodes([])
    assert len(stored(store)) == 7
    nothing = MetadataFilters(
        filters=[MetadataFilter(key="stars", value=None, operator=FilterOperator.IS_EMPTY)]
    )
    store.delete_nodes(filters=nothing)
    assert len(stored(store)) == 7


def test_tenants_do_not_touch_each_other(nodes):
    """One customer's `clear` must not empty the collection for all."""
    client = QdrantClient(":memory:")
    one, two = (LogicVectorStore.open(client=client, tenant=t) for t in ("one", "two"))
    one.add(nodes[:3])
    two.add(nodes)
    assert one.client is client
    one.delete("doc-inn")
    one.delete_nodes(["club"])
    assert (len(stored(one)), len(stored(two))) == (1, 8)
    nobody = LogicVectorStore.open(client=client, all_tenants=True)
    nobody.delete("doc-inn")
    assert len(stored(two)) == 8
    one.clear()
    assert (len(stored(one)), len(stored(two))) == (0, 8)
    client.close()


async def test_no_secret_is_shown(wire_double):
    """A key in a log or a settings file must be replaced."""
    secret = "very-secret-key"
    store = LogicVectorStore.open(location=wire_double.url, api_key=secret)
    retriever = ConstraintRetriever(store.index)
    shown = " ".join(
        [
            repr(store), str(store), store.to_json(), str(store.model_dump()), repr(retriever),
            repr(store.embed_model), store.embed_model.to_json(), repr(store.index),
            str(vars(retriever)),
        ]
    )  # fmt: skip
    assert secret not in shown
    assert "hidden" not in shown
    await store.index.aclose()


def test_settings_of_a_store(store):
    settings = store.to_dict()
    assert settings["class_name"] == LogicVectorStore.class_name() == "LogicVectorStore"
    assert settings["policy"]["name"] == "auto"
    assert (settings["stores_text"], settings["is_embedding_query"]) == (True, False)
    with pytest.raises(TypeError, match="process"):
        store.__reduce__()
