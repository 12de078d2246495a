"""ContradictionFilter: results, settings, trusted nodes, events."""

from __future__ import annotations

import json
import pickle
import uuid
from copy import deepcopy

import pytest
from contradicting_nodes import (
    AGAIN,
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    Longest,
    Model,
    contradictions,
    kept,
    opposed,
    opposed_store,
    retrieved_nodes,
    second,
)
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import ConstraintRetriever, ContradictionFilter, open_index_over
from llama_stubs import ids, recorded
from naming import stable
from placed import SETTINGS, PlacedEncoder, vectors
from qdrant_client import QdrantClient, models

from logic_retrievers import Passage
from logic_retrievers.conflicts.resolution_strategies import PreferNewest, PreferSource
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    LogicRetrieversError,
)

LAW = TextNode(text="inn | shut | c", id_="law", metadata={"kind": "law"})
WAYS = {
    "mapping": {"source": "inn"},
    "native": models.Filter(
        must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))]
    ),
    "theirs": MetadataFilters(filters=[MetadataFilter(key="source", value="inn")]),
    "single": MetadataFilter(key="source", value="inn"),
    "function": lambda passage: passage.metadata["source"] == "inn",
}
NESTED = MetadataFilters(
    filters=[
        MetadataFilter(key="source", value="inn"),
        MetadataFilters(filters=[MetadataFilter(key="date", operator=FilterOperator.GT, value=1)]),
    ]
)


class Later(PreferNewest):
    """A user's class with the name of ours."""


def vouched(passage):
    return passage.metadata["source"] == "inn"


KINDS = [
    {},
    {"top_n": 3},
    {"threshold": 0.7},
    {"settings": SETTINGS},
    {"resolution": PreferNewest("on")},
    {"resolution": PreferSource(("law", "inn"), "by")},
    {"trusted": [Passage("law", "inn | shut | c")]},
    {"trusted": [Passage("law", "inn | shut | d", source="x", embed_text="y")]},
    {"trusted_filter": {"source": "inn"}},
    {"trusted_filter": WAYS["native"]},
    {"trusted_filter": NESTED},
    {"date_key": "on"},
]
OF_PYTHON = [
    {"resolution": second},
    {"resolution": Longest()},
    {"resolution": Later()},
    {"trusted_filter": vouched},
    {"judge": Model()},
]


@pytest.fixture
def results():
    return retrieved_nodes()


def test_what_was_dropped_can_be_read_without_callbacks(results):
    """A context that shrinks silently looks like a bad retriever."""
    made = contradictions("drop_both", top_n=4)
    result = made.filter(results, "inns")
    assert kept(result.dropped) == [OPEN, TAX, SHUT, DUTY]
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    assert kept(result.hits) == ids(made.postprocess_nodes(results)) == [COPPER, AGAIN]
    bare = [result.node for result in results]  # nodes without a score work too
    assert made.filter(bare) == result
    assert ids(made.postprocess_nodes(bare)) == kept(result.hits)
    assert len(made.filter(results, top_n=1).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filter(results, top_n=0)


async def test_events_are_sent(results):
    """Developers look in a tracer for dropped nodes."""
    made = contradictions("prefer_newest", top_n=9)
    with recorded() as events:
        left = made.postprocess_nodes(results, query_str="inns")
        assert await made.apostprocess_nodes(results) == left
    assert events.names == ["ContradictionFilterEvent"] * 2
    expected = {"resolution": "prefer_newest", **made.filter(results).without_texts()}
    told = {name: getattr(events.events[0], name) for name in expected}
    assert told == expected == json.loads(json.dumps(told, allow_nan=False))
    assert [hit["id"] for hit in told["dropped"]] == [OPEN, DUTY, AGAIN]


def test_what_nodes_say_is_judged_without_their_metadata(results):
    """With date and file name, copies differ and contradictions vanish."""
    twin = TextNode(text=OPEN, id_="twin", metadata={"date": 1999})
    left = contradictions("drop_both").postprocess_nodes([*results[:2], NodeWithScore(node=twin)])
    assert ids(left) == [OPEN, TAX, "twin"]
    assert "date: 1999" in twin.get_content(MetadataMode.EMBED)


def test_a_nodes_document_is_its_source():
    """LlamaIndex knows a node's document without a metadata key."""
    nodes = opposed()
    for node in nodes:
        del node.metadata["source"]
    made = contradictions("prefer_source", source_order=["doc-inn", "doc-law", "doc-blog"])
    assert ids(made.postprocess_nodes(retrieved_nodes(nodes))) == [TAX, SHUT, COPPER, AGAIN]


def test_evidence_of_the_retriever_stays():
    """The pipeline's last step must keep the reason why a node was found."""
    with opposed_store() as store:
        retrieved = ConstraintRetriever(store.index, "topical", similarity_top_k=9).retrieve(OPEN)
    before = deepcopy(retrieved)
    once = contradictions().postprocess_nodes(retrieved)
    assert retrieved == before
    for one, plain in zip(once, before, strict=True):
        logic = dict(one.node.metadata["logic"])
        assert logic.pop("contradiction")["policy"] == "contradiction"
        assert logic == plain.node.metadata["logic"]
        assert one.score == plain.score == logic["score"]
        assert type(one.node) is type(plain.node)
        assert one.node.hash == plain.node.hash
    assert contradictions().postprocess_nodes(once) == once


@pytest.mark.parametrize(
    "trusted",
    [LAW, NodeWithScore(node=LAW, score=0.1), Passage("law", LAW.text), opposed()[2]],
    ids=["node", "scored node", "passage", "one of the given"],
)
def test_trusted_nodes_of_every_kind(results, trusted):
    """Losing one would leave the false node in the context."""
    left = contradictions(trusted=[trusted]).postprocess_nodes(results)
    assert ids(left) == [TAX, SHUT, COPPER, DUTY]
    marked = [
        result.node.node_id
        for result in left
        if result.node.metadata["logic"]["contradiction"]["details"]["trusted"]
    ]
    assert marked == ([SHUT] if trusted == opposed()[2] else [])
    assert kept(contradictions().filter(results, trusted=[trusted]).hits) == ids(left)


@pytest.mark.parametrize("way", WAYS)
def test_trusted_ones_are_picked_in_every_way(results, way):
    """Users of either framework bring the filter that they know."""
    made = contradictions(trusted_filter=WAYS[way])
    assert ids(made.postprocess_nodes(results)) == [TAX, SHUT, COPPER, DUTY]


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_trusted_nodes_of_llama_indexs_own_store():
    """It keeps metadata at the top of the payload, where the filter must find trusted nodes."""
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


def test_neither_texts_nor_models_are_told():
    """A trace records the repr of every part of a pipeline."""
    made = contradictions(trusted=[LAW], judge=Model())
    for hidden in ("very-secret-key", LAW.text, "PlacedEncoder"):
        assert hidden not in repr(made) + str(made)
    assert "resolution='annotate'" in repr(made)
    assert "very-secret-key" not in made.to_json()


@pytest.mark.parametrize("kind", [{}, *OF_PYTHON], ids=stable)
def test_it_travels_to_another_process(kind):
    """LlamaIndex drops attributes that cannot be pickled, with only a log entry."""
    made = contradictions(**kind)
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert again.filter(retrieved_nodes()) == made.filter(retrieved_nodes())


@pytest.mark.parametrize(("name", "value"), [("resolution", "best"), ("trusted", ["x"])])
def test_a_bad_value_is_refused_at_the_next_call(name, value):
    """A call must not reuse nodes judged by previous settings."""
    made = contradictions("prefer_newest", trusted=[LAW])
    setattr(made, name, value)
    with pytest.raises(LogicRetrieversError):
        made.filter(retrieved_nodes())


def test_settings_tell_what_the_filter_does_and_make_it_again():
    """LlamaIndex's caches identify a part by its settings: a missing one gives stale results."""
    described = [contradictions(**kind).to_json() for kind in (*KINDS, *OF_PYTHON)]
    assert len(set(described)) == len(described)
    plain = json.loads(described[0])
    assert plain["class_name"] == ContradictionFilter.class_name() == "ContradictionFilter"
    assert not {"encoder", "index"} & plain.keys()
    for kind in ({"resolution": "drop_both", "threshold": 0.7}, {"trusted_filter": {"a": "b"}}):
        made = contradictions(**kind)
        again = ContradictionFilter.from_json(made.to_json(), encoder=PlacedEncoder())
        assert again.to_dict() == made.to_dict()
        assert again.filter(retrieved_nodes()) == made.filter(retrieved_nodes())


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"trusted": ["law"]}, InputError, "A node is needed, not"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust"),
        ({"k": 3}, ConfigurationError, "no setting 'k'"),
    ],
    ids=["trusted", "trusted_filter", "k"],
)
def test_bad_settings_are_refused_when_they_are_set(settings, error, words):
    """Otherwise an end user's first query finds them."""
    with pytest.raises(error, match=words):
        contradictions(**settings)
    with pytest.raises(InputError, match="A node is needed, not str"):
        contradictions().filter(["inn"])


def test_a_filter_saved_by_an_earlier_version_loads():
    """Older files have the removed ``edited_copies``."""
    saved = {**ContradictionFilter().to_dict(), "edited_copies": False}
    assert ContradictionFilter.from_dict(saved).to_dict() == ContradictionFilter().to_dict()
