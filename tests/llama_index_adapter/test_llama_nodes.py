"""Nodes to passages and back; adding and removing evidence."""

from __future__ import annotations

import json
import math
import pickle
from copy import deepcopy
from datetime import date

import numpy as np
import pytest
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import (
    Document,
    ImageNode,
    IndexNode,
    MediaResource,
    MetadataMode,
    Node,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc
from llama_index_logic_retrievers import ConstraintRetriever, LogicVectorStore
from llama_index_logic_retrievers.evidence import with_ranking, without_evidence
from llama_index_logic_retrievers.nodes import node_of, passage_of, stored_passage
from llama_stubs import ids
from suites import HashedEncoder

from logic_retrievers import Evidence, Hit, Passage, PassageIndex
from logic_retrievers.validation import storable

RELATED = {
    NodeRelationship.SOURCE: RelatedNodeInfo(node_id="book", hash="h", metadata={"a": 1}),
    NodeRelationship.NEXT: RelatedNodeInfo(node_id="n2"),
    NodeRelationship.CHILD: [RelatedNodeInfo(node_id="c1"), RelatedNodeInfo(node_id="c2")],
}
SHARED = {
    "id_": "any id, not a UUID",
    "metadata": {"title": "Inns", "page": 3, "tags": ["a", "b"], "deep": {"x": None}},
    "excluded_embed_metadata_keys": ["page"],
    "excluded_llm_metadata_keys": ["tags"],
    "metadata_template": "{key}={value}",
    "metadata_seperator": "; ",  # this spelling, since LlamaIndex 0.14.0 reads no other
    "relationships": RELATED,
}
NODES = [
    TextNode(text="A quiet inn.", start_char_idx=5, end_char_idx=17, **SHARED),
    TextNode(text="Bare."),
    IndexNode(text="A summary.", index_id="x", **SHARED),
    ImageNode(text="A photo of an inn.", image_url="http://x/y.png", **SHARED),
    Document(text="A whole page.", text_template="{content} ({metadata_str})", **SHARED),
    Node(text_resource={"text": "A node."}, **SHARED),
]


def hit(passage: Passage, rank: int = 1, reason: str = "why") -> Hit:
    evidence = Evidence("topical", {"topical": 0.5}, {"topical": rank}, reason=reason)
    return Hit(passage, rank, 0.5, evidence)


def fields(node):
    return {**node.model_dump(), "text": node.get_content(MetadataMode.NONE)}


@pytest.mark.parametrize("node", NODES, ids=lambda node: type(node).__name__)
def test_a_node_comes_back_from_the_store_as_it_went_in(node):
    """Lost relationships or templates cause a worse prompt, never an error."""
    before = deepcopy(node)
    with PassageIndex.open(encoder=HashedEncoder()) as index:
        index.add([stored_passage(node)])
        back = node_of(index.get([node.node_id])[0])
    assert type(back) is type(node)
    assert fields(back) == fields(node)
    for mode in MetadataMode:
        assert back.get_content(mode) == node.get_content(mode)
    assert back.hash == node.hash
    assert node == before


def test_an_index_node_keeps_what_it_stands_for():
    """A summary must lead to its node."""
    node = IndexNode(text="A summary.", index_id="x", obj=TextNode(id_="o", text="inner"))
    back = node_of(stored_passage(node))
    theirs = IndexNode.from_dict(node.model_dump(mode="json"))  # as LlamaIndex restores it
    assert back.index_id == "x"
    assert back.obj.get_content() == theirs.obj.get_content()
    assert "inner" in back.obj.get_content()


def test_what_llama_index_embeds_is_what_is_embedded():
    """A node's two vectors must come from one text."""
    node = NODES[0]
    passage = passage_of(node)
    assert passage.text_to_embed == node.get_content(MetadataMode.EMBED)
    assert "title=Inns" in passage.text_to_embed
    assert "page" not in passage.text_to_embed
    assert passage.text == "A quiet inn."
    assert passage_of(NODES[1]).embed_text is None
    assert (passage.source, passage.span) == ("book", (5, 17))


@pytest.mark.parametrize("value", [date(2024, 5, 1), np.int64(3), math.nan, {2, 1}, {1: (2,)}])
def test_relationships_carry_the_metadata_that_is_stored(value):
    """A splitter copies a document's metadata into its nodes' relationships."""
    document = Document(doc_id="d", text="x", metadata={"key": value})
    (node,) = SentenceSplitter().get_nodes_from_documents([document])
    passage = storable(stored_passage(node))
    back = node_of(passage)
    source = back.relationships[NodeRelationship.SOURCE]
    assert (source.node_id, source.node_type) == ("d", ObjectType.DOCUMENT)
    assert source.metadata == back.metadata == passage.metadata
    json.dumps(passage.metadata, allow_nan=False)


def test_passages_of_others_become_plain_nodes():
    """Collections filled by the command line or LangChain must work too."""
    passage = Passage("p", "Text.", {"a": 1}, source="file.md", span=(2, 7))
    node = node_of(passage)
    assert type(node) is TextNode
    assert (node.node_id, node.text, node.metadata) == ("p", "Text.", {"a": 1})
    assert node.ref_doc_id == "file.md"
    assert (node.start_char_idx, node.end_char_idx) == (2, 7)
    assert node_of(Passage("q", "Text.")).relationships == {}
    odd = Passage("q", "Text.", extra={"node": {}, "node_type": "SomebodysNode"})
    assert type(node_of(odd)) is TextNode  # as LlamaIndex does


@pytest.mark.parametrize("node", NODES, ids=lambda node: type(node).__name__)
def test_evidence_lies_on_a_copy_and_comes_off_again(node):
    """Storing a result must not embed and show an old query's evidence."""
    before = deepcopy(node)
    one = with_ranking(node, hit(passage_of(node)))
    assert node == before
    assert one.node.metadata["logic"]["rank"] == 1
    twice = with_ranking(one.node, hit(passage_of(node), rank=2))
    assert twice.node.metadata["logic"]["rank"] == 2
    assert twice.node.excluded_llm_metadata_keys.count("logic") == 1
    assert stored_passage(twice.node) == stored_passage(node)
    assert passage_of(twice.node) == passage_of(node)
    bare = without_evidence(twice.node)
    assert type(bare) is type(node)
    assert fields(bare) == fields(node)


@pytest.mark.parametrize(
    "node", [one for one in NODES if type(one) is not ImageNode], ids=lambda n: type(n).__name__
)
def test_evidence_does_not_change_a_hash_or_a_class(node):
    """QueryFusionRetriever merges by hash: a node found by four queries would show four times."""
    first = with_ranking(node, hit(passage_of(node), 1, "one reason")).node
    second = with_ranking(node, hit(passage_of(node), 2, "another")).node
    assert first.hash == second.hash == node.hash
    assert first.as_related_node_info() == first.as_related_node_info()
    assert first.class_name() == node.class_name()
    again = pickle.loads(pickle.dumps(first))
    assert again == first
    assert again.hash == node.hash
    stored = json_to_doc(doc_to_json(first))  # as LlamaIndex's docstore and cache do
    assert stored.node_id == node.node_id
    bare = first.model_copy(update={"metadata": node.metadata})
    assert bare.hash == node.hash
    changed = first.model_copy(update={"metadata": {**first.metadata, "title": "other"}})
    assert changed.hash != node.hash


def test_metadata_of_the_users_own_under_our_key_is_kept():
    """A library about logic must not lose a field of its catalogue."""
    node = TextNode(text="Frege.", metadata={"logic": "first order"})
    assert node_of(stored_passage(node)).metadata == {"logic": "first order"}
    assert without_evidence(node) is node


def test_the_rest_of_a_text_resource_comes_back():
    """A link to a text's location must not vanish silently."""
    resource = MediaResource(text="A quiet inn.", mimetype="text/html", url="http://inn.example/")
    node = Node(id_="a", text_resource=resource)
    assert node_of(stored_passage(node)) == node


def test_a_node_without_text_has_nothing_to_judge():
    """An image must not be ranked by its file name."""
    assert not passage_of(ImageNode(metadata={"file": "a.png"})).text_to_embed


def test_a_page_without_text_is_stored_as_llama_index_stores_it():
    """A blank PDF page must not fail a whole ingestion."""
    blank = TextNode(id_="blank", text="", metadata={"file": "a.pdf"})
    with LogicVectorStore.open().index as index:
        store = LogicVectorStore(index)
        store.add([blank, TextNode(id_="inn", text="A quiet inn.")])
        assert store.get_nodes(["blank"]) == [blank]
        assert sorted(ids(ConstraintRetriever(index).retrieve("a.pdf"))) == ["blank", "inn"]
