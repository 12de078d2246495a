"""The filter in use: odd input, messages, errors, and what it leaves unchanged."""

# ruff: noqa: RUF001 - letters that look alike are the point of the last test

from __future__ import annotations

from dataclasses import replace

import pytest
from placed import CONSTANTS, MERGED, PlacedEncoder, passages
from qdrant_client.models import Filter

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.conflicts import ContradictionSettings
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy, Ruling
from logic_retrievers.errors import ConfigurationError, InputError, UnknownResolutionError
from logic_retrievers.text import is_outside_latin

YES, NO, NEVER = "inn | yes | a", "inn | no | a", "inn | never | a"
AGAIN, TAX, COPPER = "inn | yes | b", "tax | yes | a", "copper | yes | a"


def ids(hits):
    return [hit.passage.id for hit in hits]


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), **more)


def test_by_default_everything_stays_and_says_what_it_contradicts():
    """A model's opinion must not drop a passage unless the user asked for it."""
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
    """The result has k passages if the list has k to give."""
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


def test_too_few_is_said():
    """Users must not have to count a shorter context."""
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


def test_one_passage_or_none():
    """An empty search result is not an error, and one passage needs no encoder."""
    encoder = PlacedEncoder()
    made = ContradictionFilter(encoder, resolution="prefer_majority")
    nothing = made.filter([])
    assert (nothing.hits, nothing.dropped, nothing.conflicts) == ((), (), ())
    assert made.filter([], 3).short
    assert ids(made.filter(passages(YES)).hits) == [YES]
    assert ids(made.filter([Passage("", ""), Passage("x", " ")]).hits) == ["", "x"]
    assert encoder.encoded == []


def test_passages_of_one_id_that_differ_all_count():
    """Parts of a document may share its id: none of them may vanish."""
    given = [*passages(YES, TAX), replace(passages(YES)[0], text=NO), Passage(TAX, TAX, {"n": 1})]
    found = contradictions().filter(given)
    assert [hit.passage for hit in found.hits] == given
    [conflict] = found.conflicts
    assert (conflict.one, conflict.other) == (YES, YES)
    dropped = contradictions(resolution="drop_both", trusted=passages(TAX)).filter(given)
    assert [hit.passage for hit in dropped.hits] == [given[1], given[3]]
    assert all(hit.evidence.details["trusted"] for hit in dropped.hits)


def test_copies_are_one_voice():
    """A lie scraped three times must not win the vote."""
    lies = [Passage("l1", NO), Passage("l2", NO), Passage("l3", f"{NO}!")]
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


def test_keys_and_order_reach_the_rules():
    """With a lost setting the rule would decide by the wrong field."""
    given = passages(YES, NO, at=[2020, 2024], date=[2024, 2020], by=["x", "y"])
    for settings, stays in (
        ({"resolution": "prefer_newest"}, YES),
        ({"resolution": "prefer_newest", "date_key": "at"}, NO),
        ({"resolution": "prefer_source", "source_key": "by", "source_order": ["y", "x"]}, NO),
        ({"resolution": "prefer_source", "source_key": "by", "source_order": ("x", "y")}, YES),
        ({"resolution": lambda one, other: other}, NO),
    ):
        assert ids(contradictions(**settings).filter(given).hits) == [stays]


def test_a_policy_of_ones_own():
    """The class gets the graph; the filter drops what the class returns."""

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
    with pytest.raises(KeyError):  # the user's own error stays the user's
        contradictions(resolution=lambda one, other: one.metadata["v"]).filter(passages(YES, NO))


def test_threshold_and_settings():
    """An ignored threshold would flag passages below it."""
    given = passages(YES, NO)
    probability = contradictions().filter(given).conflicts[0].probability
    assert len(contradictions(threshold=probability).filter(given).conflicts) == 1
    assert contradictions(threshold=probability + 1e-6).filter(given).conflicts == ()
    strict = ContradictionSettings(**{**CONSTANTS, "intercept": -30.0})
    assert contradictions(settings=strict).filter(given).conflicts == ()
    assert contradictions(settings=strict, threshold=0.01).constants.threshold == 0.01
    assert contradictions().constants == MERGED


def test_logs_get_no_text():
    """A tracer keeps its data for years and shows them to others."""
    given = [Passage("a", YES, {"mail": "me@x"}), Passage("b", NO), Passage("c", COPPER)]
    told = contradictions(resolution="drop_both").filter(given).without_texts()
    assert [one["id"] for one in told["dropped"]] == ["a", "b"]
    assert told["hits"] == [
        {"id": "c", "score": 1.0, "passed_filter": True, "reason": "contradicts none of the others"}
    ]
    for secret in (YES, NO, COPPER, "me@x"):
        assert secret not in str(told)


async def test_async_equals_sync():
    """The synchronous and asynchronous paths must not drift apart."""
    given = passages(YES, TAX, NO, NEVER, AGAIN, COPPER, date=[2020, 1, 2024, 2021, None, 3])
    made = contradictions(resolution="prefer_newest", trusted=passages(TAX))
    for k in (None, 3):
        assert await made.afilter(given, k, query="q") == made.filter(given, k, query="q")


async def test_a_slow_policy_leaves_the_event_loop_free():
    """A user's function may query a database."""
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


@pytest.mark.parametrize(
    ("ruling", "told"),
    [(None, "gave a NoneType"), (Ruling("?", (7,)), r"positions 0 and 1, not \(7,\)")],
)
def test_a_policy_of_the_users_that_rules_wrongly(ruling, told):
    """A position outside the pair would drop a passage that contradicts nothing."""

    class Mine(ResolutionStrategy):
        name = "mine"

        def decide(self, one, other, graph):
            return ruling

    with pytest.raises(InputError, match=f"resolution 'mine' .*{told}"):
        contradictions(resolution=Mine()).filter(passages(YES, NO))


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"resolution": "no-such-resolution"}, UnknownResolutionError, "no-such-resolution"),
        ({"threshold": 0.0}, ConfigurationError, "threshold"),
        ({"settings": CONSTANTS}, ConfigurationError, "settings must be"),
        ({"against_trusted": "keep"}, ConfigurationError, "against_trusted"),
        ({"trusted_candidates": -1}, ConfigurationError, "trusted_candidates"),
        ({"trusted": ["a text"]}, InputError, "A Passage is needed"),
        ({"trusted_filter": {"k": object()}}, InputError, "filter on 'k'"),
        ({"trusted_filter": {}}, ConfigurationError, "would trust every passage"),
        ({"trusted_filter": Filter(should=[])}, ConfigurationError, "would trust every passage"),
    ],
)
def test_bad_settings_fail_at_construction(settings, error, told):
    """A wrong setting must not wait for the first conflict."""
    with pytest.raises(error, match=told):
        contradictions(**settings)


async def test_bad_calls():
    """Newcomers pass a list of strings first; a bad call encodes nothing."""
    encoder = PlacedEncoder()
    made = ContradictionFilter(encoder)
    for arguments, error, told in (
        ((["a text"],), InputError, "A Passage is needed, not str"),
        ((passages(YES, NO), 0), ConfigurationError, "k must be"),
    ):
        with pytest.raises(error, match=told):
            made.filter(*arguments)
        with pytest.raises(error, match=told):
            await made.afilter(*arguments)
    with pytest.raises(InputError, match="A Passage is needed, not str"):
        made.filter(passages(YES), trusted=[YES])
    assert encoder.encoded == []


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("Die Straße über den Fluß ist größer, à côté du café", False),
        ("Hà Nội là thủ đô của Việt Nam", False),
        ("这家旅馆很安静。", True),
        ("Το ξενοδοχείο είναι ήσυχο", True),
        ("", False),
        ("1984 — 42 %, ½ ☂", False),
        ("Tokyo (東京) is large.", False),
        ("ab αβ", False),
        ("ab αβγ", True),
        ("Ｔｈｅ ｉｎｎ 𝐢𝐬 𝐪𝐮𝐢𝐞𝐭", False),
        ("cafe\u0301 noe\u0308l", False),
    ],
)
def test_more_than_half_of_the_letters_decide(text, outside):
    """A judgement over tokens that the model has not seen is noise."""
    assert is_outside_latin(text) is outside
