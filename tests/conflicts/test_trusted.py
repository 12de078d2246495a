"""Trusted passages: they judge, are never dropped, and may be wrong."""

from __future__ import annotations

from datetime import datetime

import pytest
from placed import PlacedEncoder, passages
from qdrant_client import models

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.conflicts.candidate_pairs import trusted_positions
from logic_retrievers.errors import ConflictingTrustWarning

YES, NO, NEVER = "inn | yes | a", "inn | no | a", "inn | never | a"
AGAIN, TAX, COPPER = "inn | yes | b", "tax | yes | a", "copper | yes | a"
TRUTH = Passage("truth", AGAIN)


def ids(hits):
    return [hit.passage.id for hit in hits]


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), **more)


WAYS = {
    "at construction": ({"trusted": [TRUTH]}, {}),
    "in the call": ({}, {"trusted": [TRUTH]}),
    "both": ({"trusted": [TRUTH]}, {"trusted": [TRUTH, *passages(COPPER)]}),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_contradicts_a_trusted_passage_is_dropped(way):
    """Trust decides under every resolution."""
    made, called = WAYS[way]
    found = contradictions(**made).filter(passages(NO, YES, TAX), 2, **called)
    assert ids(found.hits) == [YES, TAX]
    (dropped,) = found.dropped
    assert dropped.passage.id == NO
    assert dropped.evidence.reason.endswith("'truth' is trusted")
    (opponent, *_) = dropped.evidence.details["opponents"]
    assert (opponent["id"], opponent["trusted"]) == ("truth", True)
    against = next(c for c in found.conflicts if "truth" in (c.one, c.other))
    assert (against.dropped, against.trusted) == ((NO,), ("truth",))
    assert TRUTH.id not in ids(found.hits), "who judges from outside is no result"


def test_a_trusted_passage_among_the_given_judges_from_any_place():
    """Trust does not depend on the position in the list."""
    given = passages(NO, TAX, YES)
    for made, called in (
        ({"trusted": given[2:]}, {}),
        ({}, {"trusted": given[2:]}),
        ({"trusted_filter": lambda passage: passage.id == YES}, {}),
    ):
        found = contradictions(resolution="drop_both", **made).filter(given, 1, **called)
        assert ids(found.hits) == [TAX]
        assert ids(found.dropped) == [NO]
        everything = contradictions(resolution="drop_both", **made).filter(given, **called)
        assert ids(everything.hits) == [TAX, YES]
        assert everything.hits[1].evidence.details["trusted"]
        assert "which was dropped" in everything.hits[1].evidence.reason


def test_an_older_version_of_a_trusted_passage_is_not_trusted():
    """A stale copy in the index has the corrected passage's id."""
    corrected = Passage("page", YES)
    found = contradictions(trusted=[corrected]).filter([Passage("page", NO), *passages(TAX)])
    assert ids(found.hits) == [TAX]
    assert ids(found.dropped) == ["page"]
    same = contradictions(trusted=[corrected]).filter([Passage("page", YES), *passages(NO)])
    assert ids(same.hits) == ["page"]


def test_trusted_passages_that_contradict_each_other_judge_nobody():
    """Both cannot be right, so order alone would choose the judge."""
    trusted = [Passage("t1", YES), Passage("t2", NO), Passage("t3", TAX)]
    given = passages(NEVER, "tax | no | a", COPPER)
    with pytest.warns(ConflictingTrustWarning, match="'t1', 't2'") as caught:
        found = contradictions(trusted=trusted, resolution="drop_both").filter(given)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert ids(found.hits) == [NEVER, COPPER], "the third still judges"
    assert "trusted passages contradict each other" in found.hits[0].evidence.reason
    assert [c.decision for c in found.conflicts].count("contested") == 3
    assert "'t1', 't2'" in found.notes[0]
    assert "t3" not in found.notes[0]


async def test_contested_among_the_given_all_stay():
    """Neither a policy nor a trusted passage drops a trusted one."""
    given = passages(YES, NO, NEVER, vouched=[True, True, None])
    made = contradictions(resolution="drop_both", trusted_filter={"vouched": True})
    with pytest.warns(ConflictingTrustWarning):
        found = made.filter(given)
    assert ids(found.hits) == [YES, NO, NEVER]
    assert {c.decision for c in found.conflicts} == {"contested"}
    with pytest.warns(ConflictingTrustWarning) as caught:
        assert await made.afilter(given) == found
    assert caught[0].filename == __file__


def test_trusted_ones_that_cannot_be_judged_judge_nobody():
    """An empty text's vector is near to anything."""
    trusted = [Passage("blank", " "), Passage("russian", "гостиница")]
    quiet = contradictions(trusted=trusted).filter(passages(YES, TAX))
    assert ids(quiet.hits) == [YES, TAX]
    assert [note.partition(",")[0] for note in quiet.notes] == [
        "trusted passage 'blank' has no text to judge it by",
        "trusted passage 'russian' is mostly in another script than the Latin one",
    ], "who vouches for a rule that nobody reads is told"
    again = contradictions(trusted=trusted[:1]).filter([*passages(YES), *trusted])
    assert again.hits[1].evidence.details["trusted"]
    assert not again.hits[2].evidence.details["trusted"]
    assert again.notes == quiet.notes[:1]
    blank = Passage("mine", " ", {"v": 1})
    found = contradictions(trusted_filter={"v": 1}).filter([blank, *passages(YES)])
    assert found.hits[0].evidence.details["trusted"]
    assert found.hits[0].evidence.reason == "has no text to judge it by"


def test_trusted_passages_are_encoded_once():
    """Queries must not encode a hundred trusted passages each time."""
    encoder = PlacedEncoder()
    made = ContradictionFilter(encoder, trusted=passages(YES, COPPER))
    made.filter(passages(NO, TAX))
    assert sorted(encoder.encoded) == sorted([NO, TAX, YES, COPPER])
    encoder.encoded.clear()
    assert ids(made.filter(passages(NEVER, TAX)).hits) == [TAX]
    assert sorted(encoder.encoded) == sorted([NEVER, TAX])


# --- trusted passages chosen by a filter

MARKED = [
    Passage("a", "x", {"kind": "law", "year": 2020}),
    Passage("b", "x", {"kind": "blog", "year": 2024}),
    Passage("c", "x", {"on": datetime(2023, 1, 1), 3: object()}),
]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, ""),
        ({"kind": "law"}, "a"),
        ({"on": {"lt": "2024-01-01"}}, "c"),
        (lambda passage: passage.metadata.get("year"), "ab"),
    ],
)
def test_a_filter_picks_as_a_collection_would(wanted, expected):
    """A passage trusted in the index but not in the list would be dropped for its own text."""
    assert {MARKED[place].id for place in trusted_positions(MARKED, wanted)} == set(expected)


def test_metadata_at_the_top_of_the_payload():
    """Other stores' collections keep metadata there, and hand-made filters use it."""
    top = models.Filter(
        must=[models.FieldCondition(key="kind", match=models.MatchValue(value="law"))]
    )
    assert trusted_positions(MARKED, top, ("", "metadata")) == {0}
    assert trusted_positions(MARKED, {"kind": "law"}, ("",)) == {0}
    assert trusted_positions(MARKED, top) == set()
