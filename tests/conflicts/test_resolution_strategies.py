"""The rules, one pair at a time: which passage goes, which stays, and when rules abstain."""

from __future__ import annotations

import pytest

from logic_retrievers import Passage
from logic_retrievers.conflicts.resolution_strategies import (
    ByFunction,
    ConflictGraph,
    PreferMajority,
    PreferNewest,
    PreferSource,
    resolution_strategy,
)
from logic_retrievers.errors import ConfigurationError, InputError, UnknownResolutionError


def graph(*metadata, rivals=(), copies=(), sources=()):
    """Passages p0, p1, ... with these metadata; rivals and copies are pairs of positions."""
    passages = [
        Passage(f"p{at}", f"text {at}", one, source=sources[at] if sources else None)
        for at, one in enumerate(metadata)
    ]

    def sides(pairs):
        found = [set() for _ in passages]
        for one, other in pairs:
            found[one].add(other)
            found[other].add(one)
        return [frozenset(one) for one in found]

    return ConflictGraph(passages, sides(rivals), sides(copies))


def both_ways(rule, made):
    """The ruling on (0, 1), checked to equal that on (1, 0)."""
    ruling, back = rule.decide(0, 1, made), rule.decide(1, 0, made)
    assert (sorted(ruling.drop), ruling.abstained) == (sorted(back.drop), back.abstained)
    assert ruling.reason
    return ruling


def test_the_newer_stays():
    """The reverse rule would make every context out of date."""
    rule = PreferNewest()
    ruling = both_ways(rule, graph({"date": "2024-05-01"}, {"date": "2023"}))
    assert ruling.drop == (1,)
    assert "'p0' is newer: 2024-05-01 after 2023" in ruling.reason
    assert both_ways(rule, graph({"date": 2020}, {"date": 2021})).drop == (0,)
    nested = graph({"about": {"on": 2024}}, {"about.on": 2023})
    assert both_ways(PreferNewest("about.on"), nested).drop == (1,)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({}, {"date": 2024}, "'p0' has no 'date'"),
        ({"date": None}, {"date": 2024}, "'p0' has no 'date'"),
        ({"date": 2024}, {"date": "soon"}, "'date' of 'p1' cannot be read"),
        ({"date": 2024}, {"date": "2024"}, "neither is certainly newer"),
        ({"date": {"y": 1}}, {"date": 2024}, "cannot be read"),
    ],
)
def test_newest_abstains(one, other, told):
    """A passage without a date is neither old nor new."""
    ruling = both_ways(PreferNewest(), graph(one, other))
    assert ruling.abstained
    assert ruling.drop == ()
    assert told in ruling.reason


def test_the_better_source_stays():
    """The order lists the best first; a passage's own source counts too."""
    rule = PreferSource(("law", "press", "blog"))
    ruling = both_ways(rule, graph({"source": "blog"}, {"source": "press"}))
    assert ruling.drop == (0,)
    assert ruling.reason == "'press' stands before 'blog'"
    assert both_ways(rule, graph({}, {}, sources=["law", "blog"])).drop == (1,)
    over = graph({"source": "blog"}, {}, sources=["law", "press"])
    assert both_ways(rule, over).drop == (0,)
    nested = graph({"by": {"name": "law"}}, {"by": {"name": "blog"}})
    assert both_ways(PreferSource(("law", "blog"), "by.name"), nested).drop == (1,)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"source": "law"}, {}, "has no 'source'"),
        ({"source": "law"}, {"source": "rumour"}, "'source' of 'p1' does not stand in the order"),
        ({"source": ["law"]}, {"source": "law"}, "does not stand in the order"),
        ({"source": "law"}, {"source": "law"}, "both come from 'law'"),
    ],
)
def test_source_abstains(one, other, told):
    """An unknown source does not count as the worst."""
    ruling = both_ways(PreferSource(("law", "press")), graph(one, other))
    assert ruling.abstained
    assert told in ruling.reason


def test_the_majority_stays():
    """Two against one; passages that contradict both, or neither, have no vote."""
    rule = PreferMajority()
    two = graph({}, {}, {}, rivals=[(0, 1), (0, 2)])
    ruling = both_ways(rule, two)
    assert ruling.drop == (0,)
    assert "'p1' has 2 voices" in ruling.reason
    assert "against 1" in ruling.reason
    against_both = graph({}, {}, {}, rivals=[(0, 1), (0, 2), (1, 2)])
    assert both_ways(rule, against_both).abstained
    assert both_ways(rule, graph({}, {}, {}, rivals=[(0, 1)])).abstained
    even = graph({}, {}, {}, {}, rivals=[(0, 1), (0, 2), (1, 3)])
    assert "each has 2" in both_ways(rule, even).reason


def test_what_is_said_again_counts_once():
    """A lie copied a hundred times must not become the truth."""
    rule, lie = PreferMajority(), [(0, 1), (0, 2), (0, 3)]
    assert both_ways(rule, graph({}, {}, {}, {}, rivals=lie)).drop == (0,)
    copies = graph({}, {}, {}, {}, rivals=lie, copies=[(1, 2), (2, 3)])
    assert both_ways(rule, copies).abstained
    feed = [{}, {"source": "feed"}, {"source": "feed"}, {"source": "feed"}]
    assert both_ways(rule, graph(*feed, rivals=lie)).abstained
    chain = [{}, {"source": "x"}, {"source": "x"}, {}]  # 2 and 3 are copies: all three count as one
    assert both_ways(rule, graph(*chain, rivals=lie, copies=[(2, 3)])).abstained
    unhashable = graph({}, {"source": ["f"]}, {"source": ["f"]}, {}, rivals=lie)
    assert "2 voices" in both_ways(rule, unhashable).reason
    blank = graph({}, {"source": ""}, {"source": ""}, {}, rivals=lie)
    assert "3 voices" in both_ways(rule, blank).reason, "an empty field names no source"
    cut = graph({}, {"source": ""}, {"source": ""}, {}, rivals=lie, sources=["a", "b", "b", "c"])
    assert "2 voices" in both_ways(rule, cut).reason, "its document does"


def test_a_function_decides():
    """The passage that it returns stays; None keeps both."""
    made = graph({"v": 1}, {"v": 2}, {})
    rule = ByFunction(lambda one, other: max(one, other, key=lambda p: p.metadata["v"]))
    assert both_ways(rule, made).drop == (0,)
    assert both_ways(ByFunction(lambda one, other: None), made).abstained
    seen = []
    ByFunction(lambda one, other: seen.append((one.id, other.id))).decide(0, 1, made)
    assert seen == [("p0", "p1")]
    for wrong in ("p0", True, Passage("p0", "text 0", {"v": 1})):
        with pytest.raises(InputError, match="gives back one of its two passages"):
            ByFunction(lambda one, other, wrong=wrong: wrong).decide(0, 1, made)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (["prefer_oldest"], UnknownResolutionError, "one of annotate, prefer_newest"),
        ([["annotate", "prefer_oldest"]], UnknownResolutionError, "one of annotate"),
        ([[]], ConfigurationError, "empty list"),
        (["prefer_source"], ConfigurationError, "needs source_order"),
        (["prefer_source", "d", "s", "wiki"], ConfigurationError, r"list of texts, not 'wiki'"),
        (["annotate", ""], ConfigurationError, "date_key"),
        (["annotate", "d", 3], ConfigurationError, "source_key"),
        ([7], ConfigurationError, "a resolution is a name"),
        ([PreferNewest], ConfigurationError, "a resolution is a name"),
    ],
)
def test_settings_that_cannot_work(arguments, error, told):
    """A wrong setting must not wait for the first conflict."""
    with pytest.raises(error, match=told):
        resolution_strategy(*arguments)
