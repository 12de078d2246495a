"""Both classes with the bundle that comes with the package: no setting but the rule."""

from __future__ import annotations

from contradicting_nodes import ids, kept
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicVectorStore,
)

DOGS = [
    TextNode(id_=name, text=text, metadata={"date": date}, excluded_embed_metadata_keys=["date"])
    for name, text, date in (
        ("2022", "Dogs are not allowed in the office.", "2022-05-02"),
        ("2024", "Dogs are allowed in the office.", "2024-09-01"),
        ("desk", "Guests sign in at the desk.", "2023-03-03"),
    )
]


def test_the_older_of_two_goes():
    """A default that cannot tell the plainest contradiction is worth nothing."""
    results = [NodeWithScore(node=node, score=0.5) for node in DOGS]
    made = ContradictionFilter("prefer_newest", top_n=2)
    assert ids(made.postprocess_nodes(results)) == ["2024", "desk"]
    judged = ContradictionFilter(trusted=[TextNode(text="Dogs are allowed in the office.")])
    assert kept(judged.filter(results).dropped) == ["2022"]


def test_a_trusted_node_of_the_collection_judges():
    """Whoever vouches for a handbook in the collection counts on it."""
    law = TextNode(
        text="Dogs are allowed in the office.",
        metadata={"status": "approved"},
        excluded_embed_metadata_keys=["status"],
    )
    store = LogicVectorStore.open(vectors=("topical", "contradiction"))
    store.add([law])
    made = ContradictionFilter(index=store.index, trusted_filter={"status": "approved"})
    assert kept(made.filter(DOGS).dropped) == ["2022"]
    store.index.close()


async def test_a_collection_with_all_three_vectors():
    """Each class asks the collection for vectors of its own."""
    vectors = ("topical", "compatibility", "contradiction")
    store = LogicVectorStore.open(vectors=vectors)
    async with store.index:
        await store.async_add(DOGS)
        against = ContradictionRetriever(store.index)
        results = await against.aretrieve("Dogs are never allowed in the office.")
        assert results[0].node.node_id == "2024"
        assert (await against.alike("2022"))[0].node.node_id == "2024"
        results = await ConstraintRetriever(store.index).aretrieve("dogs in the office")
        made = ContradictionFilter("prefer_newest", index=store.index)
        assert set(ids(await made.apostprocess_nodes(results))) == {"2024", "desk"}
