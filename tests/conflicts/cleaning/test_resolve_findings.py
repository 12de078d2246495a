"""From findings to decisions: which passage is hidden, for which one, and which never are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers import Passage
from logic_retrievers.conflicts.cleaning.finding_resolution import (
    resolve_findings,
)
from logic_retrievers.conflicts.cleaning.result import Finding, Kind
from logic_retrievers.conflicts.resolution_strategies import (
    Annotate,
    InOrder,
    PreferMajority,
    PreferNewest,
    PreferSource,
    resolution_strategy,
)

ORDER = ("law", "press", "blog")


def corpus(*metadata, trusted=(), groups=None):
    passages = [Passage(f"p{at}", f"text {at}", one) for at, one in enumerate(metadata)]
    return passages, frozenset(trusted), groups or {}


def told(one, other, kind=Kind.CONTRADICTION, probability=0.9, newer=None):
    """A finding about the passages at two positions."""
    return Finding(
        f"p{one}", f"p{other}", kind, "r", 0.9, 1.0, probability, probability,
        newer=None if newer is None else f"p{newer}",
    )  # fmt: skip


def decided(made, *findings, resolution="prefer_newest", against="drop"):
    rule = resolution_strategy(
        resolution, "date", "source", ORDER if "source" in str(resolution) else ()
    )
    return resolve_findings(*made, findings, rule, against)


def hidden(decisions):
    return [one.quarantined for one in decisions]


def dates(*years):
    return [{} if year is None else {"date": year} for year in years]


@pytest.mark.parametrize(
    ("resolution", "metadata", "action", "wanted"),
    [
        ("annotate", dates(2020, 2024), "annotated", ()),
        ("prefer_newest", dates(2020, 2024), "quarantined", ("p0",)),
        ("prefer_newest", dates(2024, None), "abstained", ()),
        ("quarantine_all", [{}, {}], "quarantined", ("p0", "p1")),
    ],
)
def test_policies(resolution, metadata, action, wanted):
    """A policy that hides the wrong passage of a pair removes the right ones from the corpus."""
    finding = told(0, 1)
    (decision,) = decided(corpus(*metadata), finding, resolution=resolution)
    assert (decision.action, decision.quarantined, decision.trusted) == (action, wanted, ())
    assert decision.reason
    assert decision.finding is finding


@pytest.mark.parametrize("resolution", ["annotate", "prefer_newest", "quarantine_all"])
@pytest.mark.parametrize(
    "kind", [Kind.SCOPE, Kind.PARAPHRASE, Kind.DUPLICATE, Kind.SUPERSEDED]
)  # fmt: skip
def test_nothing_else_is_held_against_a_passage(resolution, kind):
    """Neither two regions nor two wordings nor two copies are a reason to hide."""
    (decision,) = decided(
        corpus(*dates(2020, 2024)), told(0, 1, kind, newer=1), resolution=resolution
    )
    if kind is Kind.SUPERSEDED and resolution == "prefer_newest":
        assert (decision.action, decision.quarantined) == ("quarantined", ("p0",))
        assert "'p1' is the newer version" in decision.reason
    else:
        assert (decision.action, decision.quarantined) == ("kept", ())
        assert kind.value in decision.reason
    for trusted in ([], [0]):
        made = corpus({}, {}, trusted=trusted)
        (of_unknown_age,) = decided(made, told(0, 1, kind), resolution=resolution)
        assert (of_unknown_age.action, of_unknown_age.quarantined) == ("kept", ())


def test_an_older_version_goes_by_what_the_finding_says():
    """The texts tell which is newer; metadata may lack a date or disagree."""
    for newer, gone in ((0, "p1"), (1, "p0")):
        finding = told(0, 1, Kind.SUPERSEDED, 0.1, newer=newer)
        (decision,) = decided(corpus(*dates(2024, 2020)), finding)
        assert decision.quarantined == (gone,)
        (plain,) = decided(corpus(*dates(2024, 2020)), finding, resolution="prefer_majority")
        assert plain.quarantined == ()
        in_order = ["prefer_majority", "prefer_newest"]
        (third,) = decided(corpus(*dates(2024, 2020)), finding, resolution=in_order)
        assert third.quarantined == (gone,), "one of several that goes by dates"


def test_trusted_passages_decide_first():
    """They decide under every policy, and against the dates."""
    made = corpus(*dates(2020, 2024, 2018), trusted=[0])
    findings = (told(0, 1), told(1, 2, probability=0.8))
    for resolution in ("annotate", "prefer_newest", "quarantine_all", lambda one, other: one):
        decisions = decided(made, *findings, resolution=resolution)
        assert hidden(decisions) == [("p1",), ()]
        assert decisions[0].trusted == ("p0",)
        assert decisions[0].reason == "'p0' is trusted"
        assert decisions[1].action == "settled"
    noted = decided(made, *findings, against="annotate")
    assert hidden(noted) == [(), ("p2",)], "and the policy still decides among the others"
    assert noted[0].action == "annotated"


def test_the_first_that_can_decide_does():
    """A rule that abstains passes on; a later rule must not be asked too early."""
    rule = ["prefer_newest", "prefer_source", lambda one, other: one]
    law, blog = {"source": "law"}, {"source": "blog"}
    assert hidden(decided(corpus({**law, "date": 1}, {**blog, "date": 2}), told(0, 1),
                          resolution=rule)) == [("p0",)]  # fmt: skip
    assert hidden(decided(corpus(law, {**blog, "date": 2}), told(0, 1), resolution=rule)) == [
        ("p1",)
    ]
    assert hidden(decided(corpus({}, blog), told(0, 1), resolution=rule)) == [("p1",)]
    (none,) = decided(corpus({}, {}), told(0, 1), resolution=["prefer_newest", "prefer_source"])
    assert none.action == "abstained"
    assert none.reason.count(";") == 1, "both reasons"
    (noted,) = decided(corpus(*dates(1, 2)), told(0, 1), resolution=["annotate", "prefer_newest"])
    assert noted.action == "annotated", "to annotate is to decide"


def test_no_one_is_hidden_for_a_passage_that_is_hidden_itself():
    """The oldest loses to the second, which loses to the newest: the oldest stays."""
    decisions = decided(corpus(*dates(2020, 2022, 2024)), told(0, 1), told(1, 2, probability=0.8))
    assert hidden(decisions) == [(), ("p1",)]
    assert decisions[0].action == "settled"


def test_rules_by_name():
    """A wrong rule for a name, or a lost key, does not show in a result."""
    own = PreferNewest("on")
    assert resolution_strategy(own, "date", "source", ()) is own
    assert resolution_strategy("prefer_newest", "on", "by", ()) == own
    assert resolution_strategy("prefer_majority", "on", "by", ()) == PreferMajority("by")
    made = resolution_strategy(["prefer_source", "annotate"], "on", "by", ORDER)
    assert made == InOrder((PreferSource(ORDER, "by"), Annotate()))
    assert made.name == "prefer_source, annotate"
    assert resolution_strategy("quarantine_all", "d", "s", ()).name == "quarantine_all"
    nested = resolution_strategy([["quarantine_all"], own], "d", "s", ())
    assert nested.name == "quarantine_all, prefer_newest"


years = st.lists(st.sampled_from([None, *range(2018, 2026)]), min_size=2, max_size=6)


@given(years, st.data())
def test_against_a_plain_reference(values, data):
    """Contradictions in turn, the strongest first; trusted ones before all others."""
    places = range(len(values))
    every = [(one, other) for one in places for other in places if one < other]
    pairs = data.draw(st.permutations(every))[: data.draw(st.integers(0, 8))]
    trusted = data.draw(st.frozensets(st.sampled_from(list(places)), max_size=2))
    contested = {one for pair in pairs if {*pair} <= trusted for one in pair}
    gone = {
        other
        for pair in pairs
        for one, other in (pair, pair[::-1])
        if one in trusted and other not in trusted and one not in contested
    }
    by_trusted, left = gone, list(pairs)
    while True:
        lost_in = {}
        for pair in left:
            if {*pair} & (trusted | by_trusted | lost_in.keys()):
                continue
            first, second = (values[place] for place in pair)
            if None not in (first, second) and first != second:
                lost_in[min(pair, key=lambda place: values[place])] = pair
        # a passage hidden for a third passage hides no other
        void = {pair for pair in lost_in.values() if {*map(lost_in.get, pair)} - {pair, None}}
        if not void:
            break
        left = [pair for pair in left if pair not in void]
    gone = by_trusted | lost_in.keys()
    findings = [
        told(one, other, probability=0.99 - at / 100) for at, (one, other) in enumerate(pairs)
    ]
    decisions = decided(corpus(*dates(*values), trusted=trusted), *findings)
    assert {name for one in decisions for name in one.quarantined} == {f"p{at}" for at in gone}
    assert len(decisions) == len(pairs)


@pytest.mark.parametrize("resolution", ["annotate", "prefer_newest"])
@pytest.mark.parametrize("trusted", [(), (0,), (1,), (0, 1)])
def test_the_newer_version_is_never_hidden(resolution, trusted):
    """Two trusted versions of one document may still judge a third passage."""
    made = corpus(*dates(2020, 2024, 2022), trusted=trusted)
    version, conflict = decided(
        made, told(0, 1, Kind.SUPERSEDED, newer=1), told(1, 2), resolution=resolution
    )
    is_outdated = 1 in trusted or resolution == "prefer_newest"
    assert version.quarantined == (("p0",) if is_outdated and 0 not in trusted else ())
    if 1 in trusted:
        assert conflict.quarantined == ("p2",)
