"""The filter over a collection: it takes stored vectors, and trusted passages judge."""

from __future__ import annotations

from dataclasses import replace

import pytest
from placed import PlacedEncoder, passages
from qdrant_client import models

from logic_retrievers import ContradictionFilter, Passage, PassageIndex
from logic_retrievers.errors import MissingVectorError

YES, NO, NEVER = "inn | yes | a", "inn | no | a", "inn | never | a"
AGAIN, TAX, NO_TAX, COPPER = "inn | yes | b", "tax | yes | a", "tax | no | a", "copper | yes | a"
BOTH = ("topical", "contradiction")


def ids(hits):
    return [hit.passage.id for hit in hits]


@pytest.fixture
def encoder():
    return PlacedEncoder()


@pytest.fixture(params=["embedded", "rest", "grpc"])
def index(request, encoder, wire_double):
    """Trusted passages say that the inn is, and that the tax is not; the rest is untrusted."""
    from fault_injection import Wire

    stored = [
        Passage("law", AGAIN, {"trusted": True, "kind": "law"}),
        Passage("act", NO_TAX, {"trusted": True}),
        *passages(YES, NO, TAX, COPPER),
    ]
    if request.param == "embedded":
        with PassageIndex.open("house", encoder, vectors=BOTH) as index:
            index.add(stored)
            encoder.encoded.clear()
            yield index
        return
    wire = Wire(wire_double, prefer_grpc=request.param == "grpc")
    with PassageIndex.open("house", encoder, vectors=BOTH, client=wire.connect()) as index:
        index.add(stored)
        encoder.encoded.clear()
        yield index
    wire.close()


async def test_stored_vectors_are_taken(index, encoder):
    """Encoding a hundred passages takes a second; reading their vectors takes a millisecond."""
    given = passages(YES, NO, TAX, "copper | no | a")
    found = ContradictionFilter(index=index, resolution="drop_both").filter(given)
    assert encoder.encoded == ["copper | no | a"]
    assert ids(found.hits) == [TAX, "copper | no | a"]
    plain = ContradictionFilter(PlacedEncoder(), resolution="drop_both").filter(given)
    assert ids(plain.hits) == ids(found.hits)
    for one, other in zip(found.conflicts, plain.conflicts, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-5)
    assert await ContradictionFilter(index=index, resolution="drop_both").afilter(given) == found


async def test_trusted_passages_of_the_collection_judge(index, encoder):
    """A refuting passage may not be among the results, so each result fetches its own."""
    made = ContradictionFilter(index=index, trusted_filter={"trusted": True})
    given = passages(NO, YES, TAX, COPPER)
    found = made.filter(given, 2)
    assert ids(found.hits) == [YES, COPPER]
    assert ids(found.dropped) == [NO, TAX]
    assert found.dropped[0].evidence.reason.endswith("'law' is trusted")
    assert found.dropped[1].evidence.reason.endswith("'act' is trusted")
    assert encoder.encoded == []
    assert await made.afilter(given, 2) == found
    assert ids(made.filter(passages("inn | no | new", COPPER)).hits) == [COPPER]
    assert encoder.encoded == ["inn | no | new"], "once, for both vectors"


def test_which_are_trusted_is_the_filters_affair(index):
    """A lost filter would trust the whole collection."""
    given = passages(NO, TAX)
    law = models.Filter(
        must=[models.FieldCondition(key="metadata.kind", match=models.MatchValue(value="law"))]
    )
    for wanted in ({"kind": "law"}, law):
        assert ids(ContradictionFilter(index=index, trusted_filter=wanted).filter(given).hits) == [
            TAX
        ]
    nobody = ContradictionFilter(index=index, trusted_filter={"kind": "novel"})
    assert nobody.filter(given).dropped == ()
    only_given = ContradictionFilter(index=index, trusted_filter=lambda passage: True)
    assert ids(only_given.filter(given).hits) == [NO, TAX]


def test_a_given_passage_that_the_collection_vouches_for_is_trusted(index):
    """A different retriever may have found it and lost its metadata."""
    bare = [Passage("law", AGAIN), *passages(NO)]
    found = ContradictionFilter(
        index=index, trusted_filter={"trusted": True}, resolution="drop_both"
    ).filter(bare)
    assert ids(found.hits) == ["law"]
    assert found.hits[0].evidence.details["trusted"]
    assert len(found.conflicts) == 1
    stale = [Passage("law", NO), *passages(COPPER)]
    assert ids(
        ContradictionFilter(index=index, trusted_filter={"trusted": True}).filter(stale).hits
    ) == [COPPER]


def test_trusted_ones_that_nobody_contradicts_cost_no_warning(index):
    """Two trusted passages often disagree somewhere; only those near the results matter."""
    index.add([Passage("t1", NEVER, {"trusted": True})])
    made = ContradictionFilter(index=index, trusted_filter={"trusted": True})
    assert ids(made.filter(passages(COPPER, TAX)).hits) == [COPPER]
    with pytest.warns(UserWarning, match="'law', 't1'"):
        assert ids(made.filter(passages(NO, COPPER)).hits) == [NO, COPPER]


def test_another_encoder_searches_with_the_indexs_vectors(encoder):
    """A vector of one model in a different model's space finds random passages."""

    class Turned(PlacedEncoder):
        """The same texts with all topical vectors turned around."""

        def encode_documents(self, texts, names=None):
            made = super().encode_documents(texts, names)
            return {n: -rows if n == "topical" else rows for n, rows in made.items()}

    theirs = Turned()
    theirs.specs["topical"] = replace(theirs.specs["topical"], fingerprint="turned")
    with PassageIndex.open("turned", theirs, vectors=BOTH) as index:
        index.add(
            [Passage("law", AGAIN, {"trusted": True}), Passage("act", NO_TAX, {"trusted": True})]
        )
        made = ContradictionFilter(
            encoder, index=index, trusted_filter={"trusted": True}, trusted_candidates=1
        )
        assert ids(made.filter(passages(NO, COPPER)).dropped) == [NO]


def test_a_collection_without_the_vector():
    """Most collections lack the vector: it is made, and nothing else changes."""
    encoder = PlacedEncoder()
    with PassageIndex.open("bare", encoder, vectors=("topical",)) as index:
        index.add([Passage("law", AGAIN, {"trusted": True}), *passages(YES, NO)])
        encoder.encoded.clear()
        made = ContradictionFilter(index=index, trusted_filter={"trusted": True})
        assert ids(made.filter(passages(YES, NO)).hits) == [YES]
        assert sorted(set(encoder.encoded)) == sorted([AGAIN, NO, YES])


def test_a_collection_that_cannot_be_searched_for_trusted_ones():
    """Finding nothing for lack of topical vectors must not look like agreement."""
    encoder = PlacedEncoder()
    with PassageIndex.open("bare", encoder, vectors=("contradiction",)) as index:
        index.add(passages(YES))
        made = ContradictionFilter(index=index, trusted_filter={"trusted": True})
        with pytest.raises(MissingVectorError, match="topical"):
            made.filter(passages(NO))
        assert ContradictionFilter(index=index).filter(passages(NO, YES)).conflicts


def test_many_passages_in_one_batched_search(index):
    """One search per passage would take a second for forty over a network."""
    given = [Passage(f"p{at}", f"topic {at} | yes | a") for at in range(40)]
    sent = []
    client, was = index.client, index.client.query_batch_points

    def counted(*args, **kwargs):
        sent.append(len(kwargs["requests"]))
        return was(*args, **kwargs)

    if index.embedded:
        pytest.skip("nothing is sent")
    client.query_batch_points = counted
    ContradictionFilter(index=index, trusted_filter={"trusted": True}).filter(given)
    assert sent == [40], "and no scores are asked for a second time"
