"""The whole filter: equal to a plain reference on any graph, and as documented."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed import PlacedEncoder

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.conflicts import FilterResult
from logic_retrievers.errors import ConflictingTrustWarning


def ids(hits):
    return [hit.passage.id for hit in hits]


DATES = {f"p{at}": 2000 + at * 7 % 5 for at in range(8)}  # some are equal
SOURCES = {"p0": "a", "p1": "b", "p2": "a", "p3": "c", "p4": "b", "p6": "zzz"}
ORDER = ["b", "a", "c"]


def _newest(one, other):
    return {min(one, other, key=DATES.get)} if DATES[one] != DATES[other] else set()


def _source(one, other):
    places = [ORDER.index(s) if (s := SOURCES.get(p)) in ORDER else None for p in (one, other)]
    if None in places or places[0] == places[1]:
        return set()
    return {other} if places[0] < places[1] else {one}


RULES = {
    "annotate": lambda one, other: set(),
    "drop_both": lambda one, other: {one, other},
    "prefer_newest": _newest,
    "prefer_source": _source,
}


Pairs = dict[frozenset, float]


def conflicts_of(pairs: Pairs, threshold: float) -> Pairs:
    return {pair: p for pair, p in pairs.items() if p >= threshold}


def plain_filter(
    ids: list[str],
    k: int | None,
    pairs: Pairs,
    threshold: float,
    trusted: set[str],
    rule: Callable[[str, str], set[str]],
    against: str = "drop",
) -> tuple[list[str], set[str]]:
    """Who stays, in order, and who goes: deliberately slow, following the filter's docstring.

    ``pairs`` are probabilities of two ids; ``rule`` returns the ids to drop.
    """
    found = conflicts_of(pairs, threshold)
    contested = {one for pair in found if pair <= trusted for one in pair}
    judges = trusted - contested
    dropped: set[str] = set()
    decided: set[frozenset] = set()
    waiting, window = list(ids), []
    while True:
        while waiting and (k is None or len(window) < k):
            one = waiting.pop(0)
            refuted = any(one in pair and pair & judges for pair in found) and one not in trusted
            if refuted and against == "drop":
                dropped.add(one)
            else:
                window.append(one)
        changed = False
        while True:  # repeatedly takes the strongest open pair
            here = [
                pair
                for pair in found
                if pair <= set(window) and not pair & trusted and pair not in decided
            ]
            if not here:
                break
            places = {one: place for place, one in enumerate(ids)}
            pair = min(here, key=lambda p: (-found[p], sorted(places[one] for one in p)))
            decided.add(pair)
            going = rule(*sorted(pair, key=places.get))
            dropped |= going
            window = [one for one in window if one not in going]
            changed = changed or bool(going)
        if not changed:
            return window, dropped


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 7),
    st.one_of(st.none(), st.integers(1, 8)),
    st.lists(st.sampled_from([0.0, 0.2, 0.6, 0.6, 0.7, 0.9]), min_size=45, max_size=45),
    st.sets(st.sampled_from(["p0", "p3", "p5", "t0", "t1"])),
    st.sampled_from([*RULES]),
    st.sampled_from(["drop", "annotate"]),
)
def test_equals_the_reference(count, k, numbers, trusted, resolution, against):
    """For any contradictions and trusted passages: which stay, which go, in which order.

    A second opinion on every pair can make any graph.
    """
    names = [f"p{at}" for at in range(count)]
    everybody = sorted({*names, *trusted})
    metadata = {name: {"date": DATES.get(name), "source": SOURCES.get(name)} for name in everybody}
    # topics and wordings are far apart, so only the table says who contradicts whom
    world = {name: Passage(name, f"topic {name} | | ", metadata[name]) for name in everybody}
    pairs = {  # no two equal: F orders equal ones, and the table lacks F
        frozenset(pair): round(number + at * 1e-3, 3)
        for at, (pair, number) in enumerate(zip(combinations(everybody, 2), numbers, strict=False))
    }
    text = {passage.text: name for name, passage in world.items()}

    def opinion(asked):
        return [pairs[frozenset({text[one], text[other]})] for one, other in asked]

    made = ContradictionFilter(
        PlacedEncoder(),
        resolution=resolution, judge=opinion, judge_above=0.0, source_order=ORDER,
        against_trusted=against, trusted=[world[name] for name in sorted(trusted)],
    )  # fmt: skip
    found_pairs = conflicts_of(pairs, 0.5)
    contested = {one for pair in found_pairs if pair <= trusted for one in pair}
    kept, dropped = plain_filter(names, k, pairs, 0.5, trusted, RULES[resolution], against)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = made.filter([world[name] for name in names], k)
    assert ids(found.hits) == kept
    assert set(ids(found.dropped)) == dropped
    assert len(ids(found.dropped)) == len(dropped)
    assert found.short == (k is not None and len(kept) < k)
    assert [one.category for one in caught] == [ConflictingTrustWarning] * bool(contested)
    assert {frozenset({c.one, c.other}) for c in found.conflicts} == set(found_pairs)
    check_told(found)


def check_told(found: FilterResult):
    """Check that each passage's conflicts match the list of all conflicts."""
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
    told, whole = found.without_texts(), found.to_dict()
    for part in ("hits", "dropped"):
        assert [one["id"] for one in told.pop(part)] == [one["id"] for one in whole.pop(part)]
    assert told == whole
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert [hit.rank for hit in found.dropped] == [h.evidence.ranks["given"] for h in found.dropped]
    places = [hit.evidence.ranks["given"] for hit in found.hits]
    assert places == sorted(places)
    going = set(ids(found.dropped))
    for conflict in found.conflicts:
        both = {conflict.one, conflict.other}
        assert set(conflict.dropped) <= going & both
        assert bool(conflict.dropped) == (conflict.decision == "dropped")
        assert not set(conflict.dropped) & set(conflict.trusted)
        if conflict.decision == "settled":
            assert both & going
        if conflict.decision in ("annotated", "abstained", "contested"):
            assert conflict.reason
    for hit in (*found.hits, *found.dropped):
        name, evidence = hit.passage.id, hit.evidence
        met = [
            c for c in found.conflicts
            if name in (c.one, c.other) and c.decision != "unreached"
        ]  # fmt: skip
        told = evidence.details["opponents"]
        assert sorted(one["id"] for one in told) == sorted(
            c.other if c.one == name else c.one for c in met
        )
        assert {one["decision"] for one in told} == {c.decision for c in met}
        assert evidence.policy == "contradiction"
        assert evidence.passed_filter == (name not in going)
        if not evidence.passed_filter:
            assert name in told[0]["dropped"], "the conflict that took it out comes first"
            assert told[0]["id"] in evidence.reason
            assert told[0]["reason"] in evidence.reason
        counted = [
            c for c in met
            if not evidence.passed_filter or c.decision in ("annotated", "abstained", "contested")
        ]  # fmt: skip
        assert hit.score == pytest.approx(1 - max((c.probability for c in counted), default=0))
        scores = [c.score for c in met]
        assert evidence.scores == {"contradiction": max(scores, default=None)}
