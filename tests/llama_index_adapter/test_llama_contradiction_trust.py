"""ContradictionFilter: the nodes that a user vouches for, and those of a collection."""

from __future__ import annotations

import uuid

import pytest
from contradicting_nodes import (
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    ids,
    kept,
    opposed,
    opposed_store,
    retrieved_nodes,
)
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import (
    ContradictionRetriever,
    open_index_over,
)
from placed import PlacedEncoder, vectors
from qdrant_client import QdrantClient, models

from logic_retrievers import Passage
from logic_retrievers.errors import (
    ConflictingTrustWarning,
)

LAW = TextNode(text="inn | shut | c", id_="law", metadata={"kind": "law"})


@pytest.fixture
def results():
    return retrieved_nodes()


def test_every_road_judges_a_node_alike(results):
    """A node in the store that was judged under its metadata would contradict nobody."""
    law = LAW.model_copy(update={"metadata": {"kind": "law", "file": "law.pdf"}})
    given = results[:2]
    fresh = contradictions(trusted=[law]).filter(given)
    with opposed_store() as store:
        store.add([law])
        lent = contradictions(encoder=None, index=store.index, trusted=[law]).filter(given)
        judged = contradictions(
            encoder=None, index=store.index, trusted_filter={"kind": "law"}
        ).filter(given)
        assert kept(fresh.dropped) == [OPEN]
        for other in (lent, judged):
            assert kept(other.dropped) == [OPEN]
            (one,), (same,) = other.conflicts, fresh.conflicts
            assert one.probability == pytest.approx(same.probability, abs=1e-5)
        retriever = ContradictionRetriever(store.index, similarity_top_k=9)
        for against in (retriever.like("law"), retriever.retrieve(law.text)):
            told = {
                result.node.node_id: result.node.metadata["logic"]["details"] for result in against
            }
            assert "law" not in told, "it is no candidate, nor are its copies"
            assert told[OPEN]["probability"] == pytest.approx(
                fresh.conflicts[0].probability, abs=0.01
            )


@pytest.mark.parametrize(
    "trusted",
    [LAW, NodeWithScore(node=LAW, score=0.1), Passage("law", LAW.text), opposed()[2]],
    ids=["node", "scored node", "passage", "one of the given"],
)
def test_trusted_nodes_of_every_kind(results, trusted):
    """One that is lost on the way leaves the false one in the context."""
    left = contradictions(trusted=[trusted]).postprocess_nodes(results)
    assert ids(left) == [TAX, SHUT, COPPER, DUTY]
    marked = [
        result.node.node_id
        for result in left
        if result.node.metadata["logic"]["contradiction"]["details"]["trusted"]
    ]
    assert marked == ([SHUT] if trusted == opposed()[2] else [])


def test_a_trusted_node_is_known_whatever_evidence_it_carries(results):
    """A result of one search is vouched for in the next."""
    (told,) = contradictions().postprocess_nodes(results[2:3])
    assert ids(contradictions(trusted=[told]).postprocess_nodes(results)) == [
        TAX,
        SHUT,
        COPPER,
        DUTY,
    ]


async def test_trusted_ones_that_contradict_each_other_are_told(results):
    """Nobody would know why a trusted node judged nobody, or which line's filter it was."""
    made = contradictions(trusted=[LAW, TextNode(text="inn | open | d", id_="t")])
    with pytest.warns(ConflictingTrustWarning, match="'law', 't'") as caught:
        result = made.filter(results)
    assert caught[0].filename == __file__
    with pytest.warns(ConflictingTrustWarning) as caught:
        await made.afilter(results)
    assert caught[0].filename == __file__
    assert "'law', 't'" in result.notes[0]


def test_trusted_nodes_are_encoded_once(results):
    """A handbook that is encoded at every query takes most of the time."""
    encoder = PlacedEncoder()
    made = contradictions(encoder=encoder, trusted=[LAW])
    made.postprocess_nodes(results)
    made.postprocess_nodes(results)
    made.top_n = 2
    made.filter(results)
    assert encoder.encoded.count(LAW.text) == 1


WAYS = {
    "mapping": {"source": "inn"},
    "native": models.Filter(
        must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))]
    ),
    "theirs": MetadataFilters(filters=[MetadataFilter(key="source", value="inn")]),
    "single": MetadataFilter(key="source", value="inn"),
    "function": lambda passage: passage.metadata["source"] == "inn",
}


@pytest.mark.parametrize("way", WAYS)
def test_trusted_ones_are_picked_in_every_way(results, way):
    """Users of either framework bring the filter that they know."""
    made = contradictions(trusted_filter=WAYS[way])
    assert ids(made.postprocess_nodes(results)) == [TAX, SHUT, COPPER, DUTY]


@pytest.mark.parametrize("way", ["mapping", "native", "theirs", "single"])
def test_a_collection_lends_vectors_and_judges(way):
    """A handbook in the collection that is not asked judges nobody."""
    encoder = PlacedEncoder()
    with opposed_store(encoder) as store:
        index = store.index
        law = TextNode(text=LAW.text, id_="law", metadata={"source": "inn"})
        store.add([law])
        encoder.encoded.clear()
        made = contradictions(encoder=None, index=index, trusted_filter=WAYS[way])
        given = retrieved_nodes()[:2]
        assert ids(made.postprocess_nodes(given)) == [TAX]
        assert encoder.encoded == []
        none = contradictions(
            encoder=None, index=index, trusted_filter=WAYS[way], trusted_candidates=0
        )
        assert len(none.postprocess_nodes(given)) == 2


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_trusted_nodes_of_llama_indexs_own_store():
    """It keeps metadata at the top of the payload: the judge is there, and is not found."""
    client = QdrantClient(":memory:")
    theirs = QdrantVectorStore("docs", client=client)
    law = TextNode(text=LAW.text, id_=str(uuid.uuid4()), metadata={"source": "inn"})
    law.embedding = vectors(law.text)["topical"].tolist()
    theirs.add([law])
    index = open_index_over(theirs, encoder=PlacedEncoder())
    for way in ("mapping", "theirs", "single"):
        made = contradictions(encoder=None, index=index, trusted_filter=WAYS[way])
        assert ids(made.postprocess_nodes(retrieved_nodes()[:2])) == [TAX]
        given = retrieved_nodes([opposed()[0], opposed()[2]])
        assert ids(made.postprocess_nodes(given)) == [SHUT], "picked among the given too"
    client.close()
