"""Triplets, and the builders that make them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.exclusion_queries import (
    EXCLUSION_FORMS,
    Topic,
    describe_topic,
    exclusion_triplets,
    neighbouring_topics,
    word_exclusion,
)
from logic_export.data.labelled_triplets import (
    MAX_CONTEXT,
    conflict_triplets,
    crop_pair,
    cropped_triplets,
    labelled_triplets,
)
from logic_export.data.negated_passages import negated_passage_triplets
from logic_export.data.sentences import split_sentences
from logic_export.data.triplet_builders import BUILDERS, build_triplets
from logic_export.data.triplets import Triplet, unique_triplets

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation.datasets import Dataset, Query
from logic_retrievers.queries import ConstraintParser


def test_a_pair_of_queries_gives_two_mirrored_triplets():
    """With only one direction, a model would learn to prefer one passage for any query."""
    queries = (
        Query("1", "q a", {"a": 1}, frozenset("b")),
        Query("2", "q b", {"b": 1}, frozenset("a")),
        Query("3", "plain", {"a": 1}),
    )
    data = Dataset("made", {"a": "text a", "b": "text b"}, queries)
    assert labelled_triplets(data) == [
        Triplet("q a", "text a", "text b", "made"),
        Triplet("q b", "text b", "text a", "made"),
        Triplet("plain", "text a", None, "made"),
    ]


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


def test_each_side_of_a_conflict_is_asked_for_once_with_the_other_against_it():
    row = {
        "memory_answer": "yes",
        "parametric_memory": "it is so",
        "parametric_memory_aligned_evidence": "",
        "counter_answer": "no",
        "counter_memory": "it is not so",
        "counter_memory_aligned_evidence": "never was it so",
    }
    found = {(t.query, t.satisfying) for t in conflict_triplets([row])}
    assert found == {("yes", "it is so"), ("no", "it is not so"), ("no", "never was it so")}
    assert all(t.violating != t.satisfying for t in conflict_triplets([row]))


def test_an_exclusion_asks_for_one_topic_and_rules_the_other_out():
    left, right = Topic("harbours", "about harbours"), Topic("nightclubs", "about nightclubs")
    found = exclusion_triplets([(left, right)], seed=3)
    assert [(t.satisfying, t.violating) for t in found] == [
        ("about harbours", "about nightclubs"),
        ("about nightclubs", "about harbours"),
    ]
    assert all("harbours" in t.query and "nightclubs" in t.query for t in found)


def test_the_parser_sees_most_of_the_wordings():
    """Training wordings must be close to real ones, so the query parser must know most."""
    parser, random = ConstraintParser(), Random(0)
    queries = {word_exclusion("films about Rome", "gladiators", random) for _ in range(2000)}
    assert len(queries) == len(EXCLUSION_FORMS)
    assert not any("?" in word_exclusion("Who?", "the Forum", random)[:-1] for _ in range(200))
    seen = [query for query in queries if "gladiators" in parser.parse(query).excluded]
    assert len(seen) / len(queries) > 0.9


def test_near_topics_are_near_and_never_the_topic_itself():
    topics = [Topic(str(i), f"text {i}") for i in range(12)]

    def encode(names):
        angles = np.array([float(name) for name in names]) / 10
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    pairs = neighbouring_topics(topics, encode, count=12)
    assert len(pairs) == 12
    assert all(0 < abs(int(a.name) - int(b.name)) <= 5 for a, b in pairs)


def test_a_topic_is_described_by_its_first_sentence():
    topic = Topic("Spendthrift", "Spendthrift is a 1936 romance film, made by Paramount.")
    assert describe_topic(topic, Random(0), share=1).name == "the 1936 romance film Spendthrift"
    assert describe_topic(topic, Random(0), share=0) == topic


def test_a_negated_passage_differs_in_one_sentence_and_each_query_asks_for_its_own():
    """Swapped queries would teach the reverse of every negation."""
    passage = "The bridge is old. The town was founded in 1207. Ships can pass the lock at night."
    found = negated_passage_triplets([passage], most=2, seed=5)
    assert len(found) == 2
    assert (found[0].satisfying, found[0].violating) == (found[1].violating, found[1].satisfying)
    assert passage in (found[0].satisfying, found[1].satisfying)
    for row in found:
        denies = sum(t.count(" not ") for t in (row.query,))
        assert denies == row.satisfying.count(" not ")


def test_unknown_builders_and_options_are_named():
    with pytest.raises(ConfigurationError, match=r"nothing.*labelled"):
        build_triplets("nothing", {}, 0)
    with pytest.raises(ConfigurationError, match="count"):
        build_triplets("negated", {"path": "x", "cuont": 3}, 0)
    with pytest.raises(ReadError, match="such"):
        build_triplets("negated", {"path": "no/such.jsonl", "count": 3}, 0)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("labelled", {"folder": "nevir"}),
        ("labelled", {"folder": "nevir", "crops": 2}),
        ("labelled", {"folder": "nevir", "violating": False}),
        ("conflicts", {"path": "conflictqa_strategyqa/train.jsonl.gz"}),
        ("linked", {"path": "hotpotqa_train1000_pairs/questions.jsonl.gz"}),
        ("sharing", {"path": "wikipedia_movies/corpus.jsonl.gz", "field": "cast", "count": 20}),
        ("negated", {"path": "scifact/corpus.jsonl.gz", "count": 20}),
    ],
)
def test_builders_are_the_same_by_seed_and_without_repeats(name: str, options: dict):
    """Dependence on set order or hash seeds would make runs irreproducible."""
    assert name in BUILDERS
    found = build_triplets(name, options, 7)
    assert found == build_triplets(name, options, 7)
    assert len(unique_triplets(found)) == len(found) > 10


@pytest.mark.data
def test_labelled_passages_are_cropped_or_lose_what_violates_on_request():
    plain, cropped = (
        build_triplets("labelled", {"folder": "nevir", "crops": n}, 0) for n in (0, 2)
    )
    assert cropped[: len(plain)] == plain
    assert len(plain) * 1.5 < len(cropped) <= len(plain) * 3
    alone = build_triplets("labelled", {"folder": "nevir", "violating": False}, 0)
    assert not any(row.violating for row in alone)
    assert {row.query for row in alone} == {row.query for row in plain}
