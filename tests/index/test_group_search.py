"""Groups of every payload layout, over the wire, and within strict mode."""

from __future__ import annotations

import uuid

import pytest
from fault_injection import WireDouble
from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaStore
from qdrant_client import QdrantClient, models
from test_foreign_stores import TopicalEmbeddings

from logic_retrievers import Engine, Passage
from logic_retrievers.errors import ServerError
from logic_retrievers.index import PassageIndex, group_search

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
SOURCES = ["long.md", "tall.md"] * 40 + ["short.md", "short.md", "other.md"]
TEXTS = [f"quiet hotel {'river ' * (n > 79)}{n}" for n in range(len(SOURCES))]
DOCUMENTS = {"long.md", "tall.md", "short.md", "other.md"}


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch):
    monkeypatch.setattr(group_search, "LEAST_RESULTS", 1)
    monkeypatch.setattr(group_search, "MOST_RESULTS", 1)


def groups(index):
    hits = Engine(index, "topical").search("quiet hotel", 4, group_by="source")
    return [hit.evidence.details["group"] for hit in hits]


@pytest.fixture
def passages():
    return [
        Passage(f"p{n}", text, {"kind": source}, source)
        for n, (text, source) in enumerate(zip(TEXTS, SOURCES, strict=True))
    ]


def test_groups_over_the_wire(wire_settings, wire_double, encoder, passages):
    """Over gRPC, too, a filter of groups must arrive as it was made."""
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        index.add(passages)
        before = len(wire_double.requests)
        assert {*groups(index)} == DOCUMENTS
        asked = [endpoint for _, endpoint in wire_double.requests[before:]]
        assert 2 <= asked.count("points/query/batch") <= 8


def test_langchains_points_are_grouped_by_their_metadata(encoder):
    """LangChain's loaders put the source of a document into its metadata."""
    client = QdrantClient(":memory:")
    size = models.VectorParams(size=32, distance=models.Distance.COSINE)
    client.create_collection("p", size)
    QdrantVectorStore(client, "p", TopicalEmbeddings()).add_documents(
        [
            Document(text, metadata={"source": source})
            for text, source in zip(TEXTS, SOURCES, strict=True)
        ],
        ids=[str(uuid.uuid4()) for _ in TEXTS],
    )
    with PassageIndex.open("p", encoder, client=client) as index:
        assert {*groups(index)} == DOCUMENTS
    client.close()


def test_llama_indexs_nodes_are_grouped_by_their_document(encoder):
    client = QdrantClient(":memory:")
    embeddings = TopicalEmbeddings()
    nodes = []
    for text, source in zip(TEXTS, SOURCES, strict=True):
        node = TextNode(text=text, embedding=embeddings.embed_query(text))
        if source == "long.md":  # a node without a document is written with the word None
            node.metadata["source"] = source
        else:
            node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=source)
        nodes.append(node)
    LlamaStore("p", client=client).add(nodes)
    with PassageIndex.open("p", encoder, client=client) as index:
        assert {*groups(index)} == DOCUMENTS
    client.close()


@pytest.mark.parametrize("prefer_grpc", [False, True])
def test_strict_mode_takes_the_filters_of_own_sources(prefer_grpc, encoder, passages):
    """A server may forbid filters on fields without an index; Passage.source has one."""
    limits = {"strict_mode_config": {"max_query_limit": 30, "condition_max_size": 1}}
    with WireDouble(strict=True) as double:
        place = double.place(prefer_grpc=prefer_grpc)
        with PassageIndex.open("p", encoder, **place, collection_options=limits) as index:
            index.add(passages)
            assert {*groups(index)} == DOCUMENTS
            engine = Engine(index, "topical")
            two = engine.search("quiet hotel", 4, group_by="source", per_group=2)
            assert [hit.passage.source for hit in two].count("short.md") == 2
            one = engine.search("quiet hotel river", 1, group_by="source", per_group=3)
            assert len({hit.passage.source for hit in one}) == 1
            with pytest.raises(ServerError, match="index"):
                engine.search("quiet hotel", 3, group_by="kind")
