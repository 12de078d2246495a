"""What an exclusion moves down, and where it stands without the constraint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from benchmarks.reproduction.studies.evidence.demotions import (
    Demotion,
    draw_one_per_query,
    find_demotions,
    find_returns,
    lift_constraints,
    named_exclusions,
)
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
DATASET = Dataset("stays", PASSAGES, ())


@pytest.fixture(scope="module")
def index() -> Iterator[PassageIndex]:
    with PassageIndex.open("stays", OnnxEncoder(threads=1)) as index:
        index.add(Passage(name, text) for name, text in PASSAGES.items())
        yield index


@pytest.mark.parametrize("policy", [AutoPolicy(), BooleanPolicy()], ids=lambda policy: policy.name)
def test_what_speaks_of_the_nightclub_is_demoted_for_it(index: PassageIndex, policy) -> None:
    results = {
        demotion.passage: demotion for demotion in find_demotions(index, QUERIES, policy).demotions
    }
    assert "club" in results
    assert "inn" not in results
    plain = {hit.passage.id: hit.rank for hit in Engine(index, "topical").search(EXCLUDING, 6)}
    assert results["club"].excluded == ("nightclub",)
    assert results["club"].plain_rank == plain["club"] < results["club"].policy_rank


def test_what_falls_behind_the_first_hits_is_found_all_the_same(index: PassageIndex) -> None:
    """A list of k hides just the passages that fell furthest."""
    shallow = AutoPolicy(limit=1)
    deep = find_demotions(index, QUERIES, AutoPolicy()).demotions
    assert find_demotions(index, QUERIES, shallow).demotions == deep


def test_who_is_overtaken_is_not_demoted(index: PassageIndex) -> None:
    """Without a penalty the wanted part alone changes places."""
    free = AutoPolicy(settings=ExclusionSettings(penalty=0.0, whole_query_weight=0.0))
    result = find_demotions(index, QUERIES, free)
    assert result.demotions == []
    assert result.others > 0


@pytest.mark.parametrize("policy", [AutoPolicy(), BooleanPolicy()], ids=lambda policy: policy.name)
def test_a_lifted_constraint_gives_the_plain_rank_back(index: PassageIndex, policy) -> None:
    moved = find_demotions(index, QUERIES, policy).demotions
    with_reason = [demotion for demotion in moved if demotion.excluded]
    for back in find_returns(index, DATASET, with_reason, policy):
        assert back.lifted_rank == back.demotion.plain_rank
        assert back.remaining_exclusions == ()
        assert back.remaining_kind == "none"
        shorter = Engine(index, "topical").search(back.demotion.parsed.wanted, 6)
        assert shorter[back.shortened_rank - 1].passage.id == back.demotion.passage
        assert back.shortened_rank == back.shortened_plain_rank


def test_what_else_is_ruled_out_stays_ruled_out(index: PassageIndex) -> None:
    """Two constraints, one lifted: the other one still moves the passage down, and says so."""
    query = ParsedQuery.excluding("hotels near the harbour", ["nightclub", "music until four"])
    demotion = Demotion("q", query, "club", 1, 6, ("nightclub",))
    (back,) = find_returns(index, DATASET, [demotion], AutoPolicy())
    assert back.lifted_rank > 1
    assert back.remaining_exclusions == ("music until four",)


def test_the_words_stay_and_so_do_other_constraints() -> None:
    query = ParsedQuery.excluding("hotels", ["bars", "clubs"])
    query_without_bars = lift_constraints(query, ("bars",))
    assert (query_without_bars.text, query_without_bars.excluded, query_without_bars.kind) == (
        query.text,
        ("clubs",),
        "exclusion",
    )
    assert str(query_without_bars.expression) == str(
        ParsedQuery.excluding("hotels", ["clubs"]).expression
    )
    assert lift_constraints(query, ("bars", "clubs")) == ParsedQuery(query.text)


def test_a_constraint_counts_as_named_where_the_sentence_names_it() -> None:
    """Details alone are no reason for people."""
    evidence = Evidence("exclusion", {}, {}, reason="moved down: near to bars", details={})
    assert named_exclusions(replace(evidence, details={"excluded": ["bars", "clubs"]})) == ("bars",)
    atoms = [{"text": "bars", "verdict": "violated"}, {"text": "clubs", "verdict": "avoided"}]
    assert named_exclusions(replace(evidence, details={"atoms": atoms})) == ("bars",)
    assert named_exclusions(evidence) == ()


def test_one_of_every_query_is_drawn_and_the_seed_decides() -> None:
    demotions = [Demotion(q, QUERIES["q"], p, 1, 2, ()) for q in "abc" for p in "uvwxyz"]
    sample = draw_one_per_query(demotions, Random(0))
    assert [demotion.query for demotion in sample] == ["a", "b", "c"]
    assert sample == draw_one_per_query(demotions, Random(0))
    assert any(sample != draw_one_per_query(demotions, Random(seed)) for seed in range(1, 5))
