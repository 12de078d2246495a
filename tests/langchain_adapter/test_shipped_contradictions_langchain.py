"""Both classes with the bundle that comes with the package: no setting but the rule."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_corpus import ids
from langchain_logic_retrievers import (
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicVectorStore,
)

DOGS = [
    Document("Dogs are not allowed in the office.", id="2022", metadata={"date": "2022-05-02"}),
    Document("Dogs are allowed in the office.", id="2024", metadata={"date": "2024-09-01"}),
    Document("Guests sign in at the desk.", id="desk", metadata={"date": "2023-03-03"}),
]


def test_the_older_of_two_goes():
    """A default that cannot tell the plainest contradiction is worth nothing."""
    made = ContradictionFilter(resolution="prefer_newest", top_n=2)
    assert ids(made.compress_documents(DOGS, "dogs in the office")) == ["2024", "desk"]
    judged = ContradictionFilter(trusted=[Document("Dogs are allowed in the office.")])
    assert [hit.passage.id for hit in judged.filter(DOGS).dropped] == ["2022"]


async def test_a_collection_with_all_three_vectors():
    """Each class asks the collection for vectors of its own."""
    vectors = ("topical", "compatibility", "contradiction")
    store = LogicVectorStore.open(vectors=vectors)
    async with store.index:
        await store.aadd_documents(DOGS)
        against = ContradictionRetriever(index=store.index)
        results = await against.ainvoke("Dogs are never allowed in the office.")
        assert results[0].id == "2024"
        assert (await against.alike("2022"))[0].id == "2024"
        results = await ConstraintRetriever(index=store.index).ainvoke("dogs in the office")
        made = ContradictionFilter(index=store.index, resolution="prefer_newest")
        assert set(ids(await made.acompress_documents(results, "dogs"))) == {"2024", "desk"}


def test_the_cross_encoder_reads_too():
    """Neither class may keep the setting to itself."""
    made = ContradictionFilter(resolution="prefer_newest", judge="auto")
    assert ids(made.compress_documents(DOGS, "dogs in the office")) == ["2024", "desk"]
    assert made.filter(DOGS).conflicts[0].read == (
        "Dogs are not allowed in the office.",
        "Dogs are allowed in the office.",
    )
    with LogicVectorStore.open(vectors=("topical", "contradiction")).index as index:
        LogicVectorStore(index=index).add_documents(DOGS)
        against = ContradictionRetriever(index=index, judge="auto")
        (first, *_) = against.invoke("Dogs are never allowed in the office.")
    assert first.id == "2024"
    assert first.metadata["logic"]["details"]["read"]
