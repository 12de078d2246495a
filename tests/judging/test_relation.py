"""The reader of two passages: on a small bundle with real graphs, and the shipped one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_bundles import LETTERS, write_pair_bundle

from logic_retrievers import Passage
from logic_retrievers.judging import RELATIONS, OnnxNLI, OnnxRelation
from logic_retrievers.judging.relation import MAX_WORDS, conflict_relation, pair_texts, turned

texts = st.lists(st.sampled_from(LETTERS), max_size=25).map(" ".join)
two_texts = st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1])
pairs = st.lists(two_texts, min_size=1, max_size=8)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relation")
    return OnnxRelation(write_pair_bundle(folder, entry_name="relation", classes=len(RELATIONS)))


@pytest.fixture(scope="module")
def inference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inference")
    return OnnxNLI(write_pair_bundle(folder, entry_name="nli", classes=3))


@given(pairs=pairs)
def test_the_order_of_the_two_turns_the_states_alone(read, pairs):
    """A finding must not depend on which passage was stored first."""
    answers = read(pairs)
    assert answers == [turned(answer) for answer in read([(other, one) for one, other in pairs])]
    assert answers == [read([pair])[0] for pair in pairs]
    for answer in answers:
        assert len(answer) == len(RELATIONS)
        assert sum(answer) == pytest.approx(1)


@given(pairs=pairs)
def test_the_longer_text_is_the_premise_of_inference(inference, pairs):
    """Evidence entails a claim, rarely the reverse."""
    ordered = [sorted(pair, key=lambda text: (-len(text), text)) for pair in pairs]
    assert inference(pairs) == inference.read([(first, second) for first, second in ordered])
    assert inference(pairs) == inference([(other, one) for one, other in pairs])


def test_only_the_states_are_turned():
    """Every relation is symmetric except older and newer."""
    ages = {"superseded": "supersedes", "supersedes": "superseded"}
    assert turned(RELATIONS) == tuple(ages.get(name, name) for name in RELATIONS)


@given(st.lists(st.integers(0, 20), min_size=6, max_size=6))
def test_the_relation_in_conflict_is_the_likelier_and_turns(reading):
    """The wrong one of two states would be called the newer."""
    contradiction, superseded, supersedes = reading[:3]
    found, back = conflict_relation(reading), conflict_relation(turned(reading))
    assert (found == "contradiction") == (contradiction >= superseded + supersedes)
    if found != "contradiction":
        assert dict(zip(RELATIONS, reading, strict=True))[found] == max(superseded, supersedes)
        assert (found != back) == (superseded != supersedes)


def test_what_is_read_of_long_passages():
    """The few words that fit must hold everything that tells the passages apart."""
    filler = " ".join(f"Sentence {n} tells of nothing that matters here." for n in range(40))
    one = Passage("one", f"{filler} The tower was finished in 1889. {filler}", {"page": 3})
    other = Passage("other", "The tower was finished in 1899.", {"title": "x" * 41, "tags": ["a"]})
    first, second = pair_texts(one, other)
    assert "finished in 1889" in first
    assert len(first.split()) <= MAX_WORDS + 2
    assert first.endswith("(page: 3)")
    assert second == other.text
    many = Passage("many", "Short.", {f"key{n}": n for n in range(50)})
    assert pair_texts(many, other)[0].count("key") == 6
