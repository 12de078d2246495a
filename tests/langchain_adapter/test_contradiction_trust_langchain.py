"""ContradictionFilter: the documents that a user vouches for, and those of a collection."""

from __future__ import annotations

import pytest
from contradicting_documents import (
    COPPER,
    DOCUMENTS,
    DUTY,
    SHUT,
    TAX,
    contradictions,
    nameless,
    opposed_store,
)
from langchain_core.documents import Document
from langchain_corpus import ids
from placed import PlacedEncoder
from qdrant_client import models

from logic_retrievers import Passage
from logic_retrievers.errors import (
    ConflictingTrustWarning,
)

LAW = Document("inn | shut | c", id="law")


@pytest.mark.parametrize(
    "trusted",
    [LAW, Passage("law", "inn | shut | c"), Document("inn | shut | c"), DOCUMENTS[2]],
    ids=["document", "passage", "without id", "one of the given"],
)
def test_trusted_documents_of_every_kind(trusted):
    """One that is lost on the way leaves the false one in the context."""
    results = contradictions(trusted=[trusted]).compress_documents(DOCUMENTS, "inns")
    assert ids(results) == [TAX, SHUT, COPPER, DUTY]
    told = {result.id: result.metadata["logic"]["contradiction"]["details"] for result in results}
    assert [name for name in told if told[name]["trusted"]] == [SHUT] * (trusted.id == SHUT)


@pytest.mark.parametrize("nameless_ones", ["both", "the given", "the trusted"])
def test_without_ids_a_trusted_document_is_known_by_its_text(nameless_ones):
    """Most loaders give no ids: what the user vouches for would be dropped by the policy."""
    documents = DOCUMENTS if nameless_ones == "the trusted" else nameless()
    trusted = DOCUMENTS[0] if nameless_ones == "the given" else nameless()[0]
    for made, more in (
        (contradictions(resolution="prefer_newest", trusted=[trusted]), []),
        (contradictions(resolution="prefer_newest"), [trusted]),
    ):
        result = made.filter(documents, trusted=more)
        assert [hit.passage.text for hit in result.dropped] == [SHUT, DUTY]
        assert result.hits[0].evidence.details["trusted"]


def test_another_id_is_another_document():
    """A copy of a trusted text from elsewhere is not what the user vouches for."""
    trusted = DOCUMENTS[0].model_copy(update={"id": "another"})
    result = contradictions(resolution="prefer_newest", trusted=[trusted]).filter(DOCUMENTS)
    assert not any(hit.evidence.details["trusted"] for hit in result.hits)


async def test_trusted_ones_that_contradict_each_other_are_told():
    """Nobody would know why a trusted document judged nobody, or which line's filter it was."""
    made = contradictions(trusted=[Document("inn | open | d"), Document("inn | shut | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'") as caught:
        result = made.filter(DOCUMENTS)
    assert caught[0].filename == __file__
    with pytest.warns(ConflictingTrustWarning) as caught:
        await made.acompress_documents(DOCUMENTS, "query")
    assert caught[0].filename == __file__
    assert "'#trusted 0', '#trusted 1'" in result.notes[0]
    more = contradictions(trusted=[Document("inn | open | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'"):
        more.filter(DOCUMENTS, trusted=[Document("inn | shut | d")])


def test_trusted_documents_are_encoded_once():
    """A handbook that is encoded at every query takes most of the time."""
    encoder = PlacedEncoder()
    made = contradictions(encoder=encoder, trusted=[LAW])
    made.compress_documents(DOCUMENTS, "inns")
    made.compress_documents(DOCUMENTS, "inns")
    made.filter(DOCUMENTS)
    assert encoder.encoded.count("inn | shut | c") == 1


def test_a_collection_lends_vectors_and_judges():
    """A handbook in the collection that is not asked judges nobody."""
    with opposed_store() as store:
        store.add_documents([Document("inn | shut | c", id="law", metadata={"kind": "law"})])
        encoder = store.index.encoder
        encoder.encoded.clear()
        made = contradictions(encoder=None, index=store.index, trusted_filter={"kind": "law"})
        assert ids(made.compress_documents(DOCUMENTS, "inns")) == [TAX, SHUT, COPPER, DUTY]
        assert encoder.encoded == []
        none = contradictions(
            encoder=None, index=store.index, trusted_filter={"kind": "law"}, trusted_candidates=0
        )
        assert len(none.compress_documents(DOCUMENTS, "inns")) == 6


@pytest.mark.parametrize(
    "wanted",
    [
        {"source": "inn"},
        models.Filter(
            must=[
                models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))
            ]
        ),
        lambda passage: passage.metadata["source"] == "inn",
    ],
    ids=["mapping", "filter", "function"],
)
def test_trusted_ones_are_picked_in_every_way(wanted):
    """A dictionary that pydantic takes for a Qdrant filter would trust everybody."""
    made = contradictions(trusted_filter=wanted)
    assert ids(made.compress_documents(DOCUMENTS, "inns")) == [TAX, SHUT, COPPER, DUTY]
