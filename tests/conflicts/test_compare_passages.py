"""Comparing all passages equals judging pairs one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed import MERGED, by_the_formulae, passages, vectors

from logic_retrievers import Passage
from logic_retrievers.conflicts.candidate_pairs import compare_passages

texts = st.lists(
    st.builds(
        lambda topic, claim, wording: f"{topic} | {claim} | {wording}",
        st.sampled_from(["inn", "tax"]),
        st.sampled_from(["yes", "no", "never"]),
        st.sampled_from("abc"),
    ),
    min_size=2,
    max_size=9,
    unique=True,
)


def matrices(found):
    return {
        name: np.stack([vectors(one.text)[name] for one in found])
        for name in ("topical", "contradiction")
    }


@settings(deadline=None)
@given(texts, st.sampled_from([0.0, 0.1, 0.5, 0.9]), st.data())
def test_equal_to_one_pair_at_a_time(texts, least, data):
    """A row matched to the wrong passages would drop some for what others say."""
    found = passages(*texts)
    given = data.draw(st.integers(1, len(found)))
    trusted = data.draw(st.sets(st.integers(given, len(found) - 1))) if given < len(found) else ()
    compared = compare_passages(
        found, matrices(found), MERGED, least, given_count=given, trusted=trusted
    )
    pairs = {(pair.one, pair.other): pair for pair in compared}
    assert len(pairs) == len(compared)
    expected = {}
    for one in range(len(found)):
        for other in range(one + 1, len(found)):
            numbers = by_the_formulae(texts[one], texts[other])
            if round(numbers[2], 6) >= least:
                expected[one, other] = numbers
    hit = {other for one, other in expected if one < given <= other}
    for one, other in list(expected):
        if one >= given and not {one, other} & (hit | set(trusted)):
            del expected[one, other]  # trusted ones that nothing contradicts
    assert pairs.keys() == expected.keys()
    for place, pair in pairs.items():
        assert pair.score == pytest.approx(expected[place][1], abs=1e-4)
        assert (
            pair.probability == pair.own_probability == pytest.approx(expected[place][2], abs=1e-3)
        )
        assert pair.probability == round(pair.probability, 6)
    order = [(-pair.probability, -pair.score, pair.one, pair.other) for pair in compared]
    assert order == sorted(order)


def test_one_text_does_not_contradict_itself_whatever_its_vectors():
    """Stored under two titles, or rounded by a server, a text makes the same statement."""
    one = Passage("a", "Open until nine.", embed_text="inn | yes | a")
    other = Passage("b", "Open until nine.", embed_text="inn | no | a")
    rows = {
        name: np.stack([vectors(p.embed_text)[name] for p in (one, other)])
        for name in ("topical", "contradiction")
    }
    assert compare_passages([one, other], rows, MERGED, 0.5, given_count=2) == ()
    third = Passage("c", "Open until ten.")
    assert len(compare_passages([one, third], rows, MERGED, 0.5, given_count=2)) == 1
    near = [other, Passage("d", "Open till nine.")]  # too near to tell a sparsity
    twice = {name: matrix[[1, 1]] for name, matrix in rows.items()}
    assert compare_passages(near, twice, MERGED, 0.0, given_count=2) == ()
