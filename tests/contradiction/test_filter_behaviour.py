"""The filter in use: what it does with odd input, what it says, what it leaves alone."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, date, datetime

import pytest
from placed import CONSTANTS, MERGED, PlacedEncoder, passages
from suites import WatchedEncoder

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.resolution_strategies import ResolutionStrategy, Ruling
from logic_retrievers.errors import InputError

YES, NO, NEVER = "inn | yes | a", "inn | no | a", "inn | never | a"
AGAIN, TAX, COPPER = "inn | yes | b", "tax | yes | a", "copper | yes | a"


def ids(hits):
    return [hit.passage.id for hit in hits]


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), **more)


def test_by_default_everything_stays_and_says_what_it_contradicts():
    """Nothing is dropped by a model's opinion that nobody asked to drop it."""
    found = contradictions().filter(passages(TAX, YES, NO))
    assert ids(found.hits) == [TAX, YES, NO]
    assert found.dropped == ()
    reasons = [hit.evidence.reason for hit in found.hits]
    assert reasons[0] == "contradicts none of the others"
    assert reasons[1].startswith(f"contradicts {NO!r} (probability 1.00)")
    assert "and both stay: nothing is dropped under 'annotate'" in reasons[1]
    assert found.hits[0].score == 1
    assert found.hits[1].score < 0.1
    (opponent,) = found.hits[2].evidence.details["opponents"]
    assert (opponent["id"], opponent["decision"], opponent["trusted"]) == (YES, "annotated", False)
    assert opponent["probability"] == found.conflicts[0].probability > 0.9
    assert opponent["score"] == found.conflicts[0].score > 2
    assert found.hits[0].evidence.details["resolution"] == "annotate"


def test_a_dropped_passage_is_replaced_by_the_next():
    """Fewer than k where the list has k to give."""
    given = passages(YES, TAX, NO, COPPER, date=[2020, 2020, 2024, 2020])
    found = contradictions(resolution="prefer_newest").filter(given, 3)
    assert ids(found.hits) == [TAX, NO, COPPER]
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    assert ids(found.dropped) == [YES]
    assert not found.short
    assert f"{NO!r} is newer: 2024 after 2020" in found.dropped[0].evidence.reason
    assert "which was dropped" in found.hits[1].evidence.reason
    assert found.hits[1].score == 1, "what it contradicted has gone"
    assert found.notes == ()


def test_who_is_not_needed_takes_nobody_out():
    """The stale passage stands alone: no contradiction is in the context."""
    given = passages(YES, TAX, NO, date=[2020, 2020, 2024])
    found = contradictions(resolution="prefer_newest").filter(given, 2)
    assert ids(found.hits) == [YES, TAX]
    assert found.conflicts[0].decision == "unreached"
    assert found.hits[0].evidence.details["opponents"] == []


def test_too_few_is_said():
    """A shorter context than was asked for should not have to be counted."""
    found = contradictions(resolution="drop_both").filter(passages(YES, NO, TAX), 2)
    assert (ids(found.hits), found.short) == ([TAX], True)
    assert found.notes == ("1 of 2 passages: 3 were given, and 2 of them dropped",)
    few = contradictions().filter(passages(TAX), 2)
    assert (few.short, few.notes) == (
        True,
        ("1 of 2 passages: 1 were given, and 0 of them dropped",),
    )
    assert not contradictions().filter(passages(TAX), 1).short
    assert not contradictions(resolution="drop_both").filter(passages(YES, NO)).short


@pytest.mark.parametrize("resolution", ["annotate", "drop_both", "prefer_majority"])
def test_one_passage_or_none(resolution):
    """A search that found nothing is no error, and one passage needs no encoder."""
    encoder = PlacedEncoder()
    made = ContradictionFilter(encoder, resolution=resolution)
    nothing = made.filter([])
    assert (nothing.hits, nothing.dropped, nothing.conflicts) == ((), (), ())
    assert made.filter([], 3).short
    assert ids(made.filter(passages(YES)).hits) == [YES]
    assert ids(made.filter([Passage("", ""), Passage("x", " ")]).hits) == ["", "x"]
    assert encoder.encoded == []


def test_what_is_found_twice_counts_once():
    """Two retrievers found it; it must neither fill two places nor contradict itself."""
    twice = [*passages(YES, TAX), *passages(TAX, YES)]
    found = contradictions(resolution="drop_both").filter(iter(twice))
    assert ids(found.hits) == [YES, TAX]
    assert found.hits[0].passage is twice[0]
    assert found.conflicts == ()


def test_passages_of_one_id_that_differ_all_count():
    """Parts of a document that carry the document's id: all but the first would vanish."""
    given = [*passages(YES, TAX), replace(passages(YES)[0], text=NO), Passage(TAX, TAX, {"n": 1})]
    found = contradictions().filter(given)
    assert [hit.passage for hit in found.hits] == given
    [conflict] = found.conflicts
    assert (conflict.one, conflict.other) == (YES, YES)
    dropped = contradictions(resolution="drop_both", trusted=passages(TAX)).filter(given)
    assert [hit.passage for hit in dropped.hits] == [given[1], given[3]]
    assert all(hit.evidence.details["trusted"] for hit in dropped.hits)


def test_copies_under_other_ids_all_stay():
    """Two passages may say the same, and be two sources all the same."""
    given = [*passages(YES), Passage("copy", YES), Passage("again", AGAIN)]
    found = contradictions(resolution="drop_both").filter(given)
    assert ids(found.hits) == [YES, "copy", "again"]
    assert found.conflicts == ()


def test_copies_are_one_voice_and_paraphrases_too():
    """The lie that was scraped three times would win the vote."""
    lies = [Passage("l1", NO), Passage("l2", NO), Passage("l3", "inn | no | b")]
    once = contradictions(resolution="prefer_majority").filter([*passages(YES), *lies])
    assert once.dropped == ()
    assert {conflict.decision for conflict in once.conflicts} == {"abstained"}
    assert "each has 1" in once.hits[0].evidence.reason
    assert all("each has 1" in hit.evidence.reason for hit in once.hits)


def test_what_cannot_be_judged_stays_and_says_why():
    """An image, or a page in Russian, must neither fail the list nor vanish from it."""
    given = [
        Passage("blank", " \n"), *passages(YES), Passage("russian", "гостиница | да"),
        Passage("image", "caption", embed_text=""), *passages(NO), *passages("\ufe0f", "\u3164"),
    ]  # fmt: skip
    encoder = PlacedEncoder()
    found = ContradictionFilter(encoder, resolution="drop_both").filter(given)
    assert ids(found.hits) == ["blank", "russian", "image", "\ufe0f", "\u3164"]
    assert sorted(encoder.encoded) == [NO, YES]
    blank, russian, image, *_ = (hit.evidence for hit in found.hits)
    assert blank.reason == image.reason == "has no text to judge it by"
    assert "another script" in russian.reason
    assert [one.details["judged"] for one in (blank, russian)] == [False, False]
    assert found.dropped[0].evidence.details["judged"]
    assert found.hits[0].score == 1


def test_abstaining_keeps_both_and_both_say_why():
    """A conflict that nobody decided, and nobody heard of."""
    found = contradictions(resolution="prefer_newest").filter(passages(YES, NO, date=[2024, None]))
    assert found.dropped == ()
    assert found.conflicts[0].decision == "abstained"
    for hit in found.hits:
        assert f"and both stay: {NO!r} has no 'date'" in hit.evidence.reason
        assert hit.evidence.details["opponents"][0]["decision"] == "abstained"


def test_keys_and_order_reach_the_rules():
    """A setting that is dropped on the way decides by another field."""
    given = passages(YES, NO, at=[2020, 2024], date=[2024, 2020], by=["x", "y"])
    for settings, stays in (
        ({"resolution": "prefer_newest"}, YES),
        ({"resolution": "prefer_newest", "date_key": "at"}, NO),
        ({"resolution": "prefer_source", "source_key": "by", "source_order": ["y", "x"]}, NO),
        ({"resolution": "prefer_source", "source_key": "by", "source_order": ("x", "y")}, YES),
        ({"resolution": lambda one, other: other}, NO),
    ):
        assert ids(contradictions(**settings).filter(given).hits) == [stays]


def test_a_majority_is_counted_by_the_key_that_was_named():
    """Three articles of one agency are three sources under another key."""
    given = passages("one | |", "two | |", "three | |", by=["x", "y", "y"], source=["x", "y", "z"])

    def opinion(pairs):
        return [1.0 if "one | |" in pair else 0.0 for pair in pairs]

    for key, stays in (("by", 3), ("source", 2)):
        made = contradictions(
            resolution="prefer_majority", source_key=key, judge=opinion, judge_above=0.0
        )
        assert len(made.filter(given).hits) == stays


def test_dates_of_every_kind_in_one_list():
    """Objects of datetime have no place in JSON, but a framework's metadata holds them."""
    given = passages(
        YES, NO, NEVER, date=[datetime(2024, 5, 1, tzinfo=UTC), 1714000000, date(2020, 1, 1)]
    )
    found = contradictions(resolution="prefer_newest").filter(given)
    assert ids(found.hits) == [YES]
    evidence = [hit.evidence.to_dict() for hit in (*found.hits, *found.dropped)]
    assert json.loads(json.dumps(evidence, allow_nan=False)) == evidence


def test_a_policy_of_ones_own():
    """The class gets the graph; whatever it drops goes."""

    class LongestFirst(ResolutionStrategy):
        name = "rivals"

        def decide(self, one, other, graph):
            assert graph.rivals[one] == {other}
            return Ruling("mine", (one,))

    found = contradictions(resolution=LongestFirst()).filter(passages(YES, NO))
    assert ids(found.hits) == [NO]
    assert found.hits[0].evidence.details["resolution"] == "rivals"
    with pytest.raises(InputError, match="gives back one of its two passages"):
        contradictions(resolution=lambda one, other: one.id).filter(passages(YES, NO))
    with pytest.raises(KeyError):  # the user's own mistake stays the user's
        contradictions(resolution=lambda one, other: one.metadata["v"]).filter(passages(YES, NO))


def test_threshold_and_settings():
    """A threshold that is not heard flags what was not to be flagged."""
    given = passages(YES, NO)
    probability = contradictions().filter(given).conflicts[0].probability
    assert len(contradictions(threshold=probability).filter(given).conflicts) == 1
    assert contradictions(threshold=probability + 1e-6).filter(given).conflicts == ()
    strict = ContradictionSettings(**{**CONSTANTS, "intercept": -30.0})
    assert contradictions(settings=strict).filter(given).conflicts == ()
    assert contradictions(settings=strict, threshold=0.01).constants.threshold == 0.01
    assert contradictions().constants == MERGED


def test_what_goes_in_stays_as_it_is():
    """Other steps of a chain hold the same passages."""
    given = passages(YES, NO, TAX, date=[2020, 2024, None], tags=[["a"], ["b"], ["c"]])
    before = copy.deepcopy(given)
    found = contradictions(resolution="prefer_newest", trusted=given[2:]).filter(given, 2)
    assert given == before
    assert [hit.passage for hit in found.hits] == given[1:]
    assert all(hit.passage is one for hit, one in zip(found.hits, given[1:], strict=True))
    with pytest.raises(FrozenInstanceError):
        found.short = True


def test_passages_that_can_be_read_once():
    """A generator that is checked and read again is empty: nothing is trusted, nothing kept."""
    given = passages(YES, TAX)
    found = contradictions(trusted=(one for one in passages(NO))).filter(one for one in given)
    assert ids(found.hits) == [TAX]
    later = contradictions().filter(given, trusted=(one for one in passages(NO)))
    assert ids(later.hits) == [TAX]


def test_logs_get_no_text():
    """A tracer keeps what it is told for years, and shows it to others."""
    given = [Passage("a", YES, {"mail": "me@x"}), Passage("b", NO), Passage("c", COPPER)]
    told = contradictions(resolution="drop_both").filter(given).without_texts()
    assert [one["id"] for one in told["dropped"]] == ["a", "b"]
    assert told["hits"] == [
        {"id": "c", "score": 1.0, "passed_filter": True, "reason": "contradicts none of the others"}
    ]
    for secret in (YES, NO, COPPER, "me@x"):
        assert secret not in str(told)


@pytest.mark.parametrize(
    "resolution", ["annotate", "prefer_newest", "prefer_majority", "drop_both"]
)
async def test_async_equals_sync(resolution):
    """Two roads that drift apart."""
    given = passages(YES, TAX, NO, NEVER, AGAIN, COPPER, date=[2020, 1, 2024, 2021, None, 3])
    made = contradictions(resolution=resolution, trusted=passages(TAX))
    for k in (None, 1, 3, 9):
        assert await made.afilter(given, k, query="q") == made.filter(given, k, query="q")


def test_asynchronous_filtering_leaves_the_event_loop_free():
    """A server that stands still while passages are encoded is slow for everybody."""
    encoder = WatchedEncoder(PlacedEncoder())
    made = ContradictionFilter(encoder)
    assert encoder.loop_runs_during(made.afilter(passages(YES, NO)))


async def test_a_slow_policy_leaves_the_event_loop_free():
    """A function of the user's may ask a database."""
    import asyncio
    import threading

    begun, freed = threading.Event(), threading.Event()

    def choose(one, other):
        begun.set()
        assert freed.wait(5), "the loop stood still"
        return one

    async def tick():
        while not begun.is_set():
            await asyncio.sleep(0.001)
        freed.set()

    found, _ = await asyncio.gather(
        contradictions(resolution=choose).afilter(passages(YES, NO)), tick()
    )
    assert ids(found.hits) == [YES]


def test_texts_stay_out_of_what_is_said():
    """Evidence goes into logs; what users wrote does not belong there."""
    given = [Passage("a", YES), Passage("b", NO), Passage("c", NEVER)]
    found = contradictions(resolution="prefer_newest", trusted=given[:1]).filter(given)
    told = [hit.evidence.to_dict() for hit in (*found.hits, *found.dropped)]
    told += [conflict.to_dict() for conflict in found.conflicts]
    assert not any(text in json.dumps([told, found.notes]) for text in (YES, NO, NEVER))
