"""What an exclusion moves down, and where it stands without the constraint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from logic_retrievers import (
    Engine,
    ExclusionSettings,
    OnnxEncoder,
    ParsedQuery,
    Passage,
    PassageIndex,
    RuleParser,
)
from logic_retrievers.evaluation import Dataset
from logic_retrievers.policies import AutoPolicy, BooleanPolicy
from logic_retrievers.report.demotions import (
    Demotion,
    demoted,
    lifted,
    named_traps,
    one_each,
    returns,
)
from logic_retrievers.types import Evidence

PASSAGES = {
    "inn": "A hotel by the harbour with quiet rooms.",
    "club": "Hotel rooms above the nightclub, music until four.",
    "night": "The nightclub by the harbour opens at ten.",
    "farm": "A farm stay in the hills, far from any town.",
    "copper": "Copper prices rose again this week.",
    "rust": "Gold and platinum do not rust.",
}
EXCLUDING = "Hotels near the harbour, but not above a nightclub."
QUERIES = {"q": RuleParser().parse(EXCLUDING)}
DATASET = Dataset("stays", PASSAGES, (), {}, ())


@pytest.fixture(scope="module")
def index() -> Iterator[PassageIndex]:
    with PassageIndex.open("stays", OnnxEncoder(threads=1)) as index:
        index.add(Passage(name, text) for name, text in PASSAGES.items())
        yield index


@pytest.mark.parametrize("policy", [AutoPolicy(), BooleanPolicy()], ids=lambda policy: policy.name)
def test_what_speaks_of_the_nightclub_is_demoted_for_it(index: PassageIndex, policy) -> None:
    found = {one.passage: one for one in demoted(index, QUERIES, policy).demotions}
    assert "club" in found
    assert "inn" not in found
    plain = {hit.passage.id: hit.rank for hit in Engine(index, "topical").search(EXCLUDING, 6)}
    assert found["club"].traps == ("nightclub",)
    assert found["club"].topical == plain["club"] < found["club"].ranked


def test_what_falls_behind_the_first_hits_is_found_all_the_same(index: PassageIndex) -> None:
    """A list of k hides just the passages that fell furthest."""
    shallow = AutoPolicy(depth=1)
    deep = demoted(index, QUERIES, AutoPolicy()).demotions
    assert demoted(index, QUERIES, shallow).demotions == deep


def test_who_is_overtaken_is_not_demoted(index: PassageIndex) -> None:
    """Without a penalty the wanted part alone changes places."""
    free = AutoPolicy(settings=ExclusionSettings(penalty=0.0, whole_weight=0.0))
    found = demoted(index, QUERIES, free)
    assert found.demotions == []
    assert found.others > 0


@pytest.mark.parametrize("policy", [AutoPolicy(), BooleanPolicy()], ids=lambda policy: policy.name)
def test_a_lifted_constraint_gives_the_plain_rank_back(index: PassageIndex, policy) -> None:
    moved = demoted(index, QUERIES, policy).demotions
    named = [one for one in moved if one.traps]
    for one in returns(index, DATASET, named, policy):
        assert one.lifted == one.demotion.topical
        assert one.still == ()
        assert one.left == "none"
        shorter = Engine(index, "topical").search(one.demotion.parsed.target, 6)
        assert shorter[one.cut - 1].passage.id == one.demotion.passage
        assert one.cut == one.cut_plain


def test_what_else_is_ruled_out_stays_ruled_out(index: PassageIndex) -> None:
    """Two constraints, one lifted: the other one still moves the passage down, and says so."""
    query = ParsedQuery.excluding("hotels near the harbour", ["nightclub", "music until four"])
    one = Demotion("q", query, "club", 1, 6, ("nightclub",))
    (back,) = returns(index, DATASET, [one], AutoPolicy())
    assert back.lifted > 1
    assert back.still == ("music until four",)


def test_the_words_stay_and_so_do_other_constraints() -> None:
    query = ParsedQuery.excluding("hotels", ["bars", "clubs"])
    some = lifted(query, ("bars",))
    assert (some.text, some.traps, some.kind) == (query.text, ("clubs",), "exclusion")
    assert str(some.expression) == str(ParsedQuery.excluding("hotels", ["clubs"]).expression)
    assert lifted(query, ("bars", "clubs")) == ParsedQuery(query.text)


def test_a_constraint_counts_as_named_where_the_sentence_names_it() -> None:
    """Details alone are no reason for people."""
    told = Evidence("exclusion", {}, {}, reason="moved down: speaks of bars", details={})
    assert named_traps(replace(told, details={"traps": ["bars", "clubs"]})) == ("bars",)
    atoms = [{"text": "bars", "verdict": "violated"}, {"text": "clubs", "verdict": "avoided"}]
    assert named_traps(replace(told, details={"atoms": atoms})) == ("bars",)
    assert named_traps(told) == ()


def test_one_of_every_query_is_drawn_and_the_seed_decides() -> None:
    some = [Demotion(q, QUERIES["q"], p, 1, 2, ()) for q in "abc" for p in "uvwxyz"]
    drawn = one_each(some, Random(0))
    assert [one.query for one in drawn] == ["a", "b", "c"]
    assert drawn == one_each(some, Random(0))
    assert any(drawn != one_each(some, Random(seed)) for seed in range(1, 5))
