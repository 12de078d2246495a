"""Crops keep what differs, the same for both queries of a pair, and never lose a triplet."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.labelled_triplets import MAX_CONTEXT, crop_pair, cropped_triplets
from logic_export.data.sentences import split_sentences
from logic_export.data.triplets import Triplet

SENTENCE = st.sampled_from([f"The {noun} is old." for noun in ("mill", "well", "barn", "tower")])


@given(st.lists(SENTENCE, max_size=6), st.lists(SENTENCE, max_size=6), st.integers(0, 2**16))
def test_a_crop_holds_all_that_differs_between_the_same_neighbours(before, after, seed):
    left, right = (
        " ".join([*before, changed, *after]) for changed in ("It stands.", "It fell. It is gone.")
    )

    ours, theirs = crop_pair(left, right, Random(seed))

    assert ours in left
    assert theirs in right
    assert ours.replace("It stands.", "X") == theirs.replace("It fell. It is gone.", "X")
    assert "X" in ours.replace("It stands.", "X")
    kept = split_sentences(ours)
    place = kept.index("It stands.")
    assert place <= MAX_CONTEXT
    assert len(kept) - 1 - place <= MAX_CONTEXT


def test_both_queries_of_a_pair_share_their_crops():
    passages = [
        f"A first. A second. A third. {changed} A fifth. A sixth. A seventh."
        for changed in ("It rusts.", "It never rusts.")
    ]
    pair = [Triplet("what rusts?", *passages), Triplet("what does not?", *reversed(passages))]

    made = cropped_triplets(pair, copies=5, seed=1)

    assert made[:2] == pair
    copies = made[2:]
    assert 4 <= len(copies) <= 10
    for first, second in zip(copies[::2], copies[1::2], strict=True):
        assert (first.satisfying, first.violating) == (second.violating, second.satisfying)
        assert "It rusts." in first.satisfying
        assert "It never rusts." in second.satisfying
    assert len({row.satisfying for row in copies}) > 2
    assert made == cropped_triplets(pair, copies=5, seed=1)
    assert made != cropped_triplets(pair, copies=5, seed=2)


def test_what_cannot_be_cut_comes_once():
    rows = [
        Triplet("no violating passage", "A first. A second."),
        Triplet("only added to", "A first.", "A first. A second."),
        Triplet("one sentence", "It rusts.", "It never rusts."),
    ]

    assert cropped_triplets(rows, copies=3)[:3] == rows
    assert all(
        row.satisfying.strip() and row.violating != "" for row in cropped_triplets(rows, copies=3)
    )
    assert cropped_triplets(rows[:1], copies=3) == rows[:1]
    assert cropped_triplets(rows[2:], copies=3) == rows[2:]
