"""Tiers mined from a collection: only passages marked as wrong is a distractor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic_export.data.tiers.candidate_mining import MarkedQuestion, mine_distractors

from logic_retrievers.errors import ConfigurationError, InputError

DOCUMENTS = {f"d{number:02}": f"passage {number}" for number in range(30)}


def found(*names: str):
    return lambda text, count: list(names)


def test_retrieved_and_marked_is_a_distractor_and_retrieved_alone_is_nothing():
    """What no one looked at may be an answer; as a distractor it would be pushed away."""
    asked = MarkedQuestion("where?", ("d00",), ("d02", "d09"))
    search = found("d01", "d02", "d00", "d03")
    (row,) = mine_distractors([asked], DOCUMENTS, search, negatives=4)
    assert row.query == "where?"
    assert row.positives == ("passage 0",)
    assert row.distractors == ("passage 2",)
    assert row.negatives[0] == "passage 9"  # marked, but not retrieved: no distractor
    assert len(row.negatives) == 4
    assert not {"passage 1", "passage 3"} & set(row.passages)
    (row,) = mine_distractors([asked], DOCUMENTS, search, negatives=4, unmarked=True)
    assert row.distractors == ("passage 1", "passage 2", "passage 3")


def test_only_so_many_count_as_retrieved():
    asked = MarkedQuestion("where?", ("d00",), ("d02",))
    (row,) = mine_distractors([asked], DOCUMENTS, found("d01", "d02"), depth=1, negatives=0)
    assert row.distractors == ()
    assert row.negatives == ("passage 2",)


@settings(max_examples=80, deadline=None)
@given(
    right=st.sets(st.sampled_from(sorted(DOCUMENTS)), min_size=1, max_size=4),
    wrong=st.sets(st.sampled_from(sorted(DOCUMENTS)), max_size=6),
    retrieved=st.lists(st.sampled_from(sorted(DOCUMENTS)), unique=True, max_size=12),
    unmarked=st.booleans(),
    seed=st.integers(0, 9),
)
def test_no_right_passage_is_ever_wrong(right, wrong, retrieved, unmarked, seed):
    documents = {**DOCUMENTS, "d29": DOCUMENTS["d00"]}  # one text under two ids
    asked = MarkedQuestion("where?", tuple(sorted(right)), tuple(sorted(wrong - right)))
    rows = [
        mine_distractors(
            [asked], documents, found(*retrieved), unmarked=unmarked, negatives=5, seed=seed
        )
        for _ in range(2)
    ]
    assert rows[0] == rows[1]
    for row in rows[0]:
        assert set(row.positives) == {documents[name] for name in right}
        marked = {documents[name] for name in wrong}
        if not unmarked:
            assert set(row.distractors) <= marked
            unseen = {documents[name] for name in retrieved} - marked
            assert not unseen & {*row.distractors, *row.negatives} - {documents["d00"]}


def test_a_small_collection_gives_what_it_has():
    asked = MarkedQuestion("where?", ("a",))
    documents = {"a": "one", "b": "two"}
    (row,) = mine_distractors([asked], documents, found("a"))
    assert row.negatives == ("two",)
    assert mine_distractors([asked], {"a": "one", "b": "one"}, found("a")) == []


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="both"):
        MarkedQuestion("where?", ("a",), ("a",))
    with pytest.raises(InputError, match="right"):
        MarkedQuestion("where?", ())
    with pytest.raises(InputError, match="'x'"):
        mine_distractors([MarkedQuestion("where?", ("x",))], DOCUMENTS, found())
    with pytest.raises(ConfigurationError, match="depth"):
        mine_distractors([], DOCUMENTS, found(), depth=0)
