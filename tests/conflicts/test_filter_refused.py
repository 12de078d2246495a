"""What the filter refuses: settings, calls and policies that cannot work."""

from __future__ import annotations

from dataclasses import replace

import pytest
from placed import CONSTANTS, SETTINGS, PlacedEncoder, passages

from logic_retrievers import ContradictionFilter, Passage
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy, Ruling
from logic_retrievers.errors import ConfigurationError, InputError, UnknownResolutionError

YES, NO, NEVER = "inn | yes | a", "inn | no | a", "inn | never | a"
AGAIN, TAX, COPPER = "inn | yes | b", "tax | yes | a", "copper | yes | a"


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), **more)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Passage("a", YES), "list or stream, not as Passage"),
        (YES, "list or stream, not as str"),
        ([Passage("a", None)], "'a': its text is NoneType"),
        ([Passage(None, YES)], "id must be a string"),
    ],
    ids=str,
)
def test_what_is_no_list_of_passages_is_refused(given, told):
    """An AttributeError from deep inside names neither the passage nor what is wrong with it."""
    encoder = PlacedEncoder()
    made = ContradictionFilter(encoder)
    for call in (
        lambda: made.filter(given),
        lambda: made.filter([], trusted=given),
    ):
        with pytest.raises(InputError, match=told):
            call()
    with pytest.raises(InputError, match=told):
        ContradictionFilter(encoder, trusted=given)
    assert encoder.encoded == []


@pytest.mark.parametrize(
    ("ruling", "told"),
    [
        (None, "by a Ruling, and gave a NoneType"),
        (Ruling("?", (7,)), r"the positions 0 and 1, not \(7,\)"),
        (Ruling("?", (YES,)), "the positions 0 and 1, not"),
    ],
    ids=["nothing", "a stranger", "an id"],
)
def test_a_policy_of_the_users_that_rules_wrongly(ruling, told):
    """A place that is not one of the two would drop a passage that contradicts nobody."""

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
        ({"resolution": "prefer_source"}, ConfigurationError, "source_order"),
        ({"threshold": 0.0}, ConfigurationError, "threshold"),
        ({"settings": CONSTANTS}, ConfigurationError, "settings must be"),
        ({"against_trusted": "keep"}, ConfigurationError, "against_trusted"),
        ({"trusted_candidates": -1}, ConfigurationError, "trusted_candidates"),
        ({"trusted": ["a text"]}, InputError, "A Passage is needed"),
        ({"trusted_filter": {"k": object()}}, InputError, "filter on 'k'"),
        ({"trusted_filter": {}}, ConfigurationError, "would trust every passage"),
    ],
)
def test_bad_settings_fail_at_construction(settings, error, told):
    """A wrong setting that waits for the first conflict fails in front of a user."""
    with pytest.raises(error, match=told):
        contradictions(**settings)


def test_encoders_that_cannot_judge_are_refused():
    """Without the vector nothing would ever contradict anything."""
    for names in (["topical"], ["contradiction"]):
        with pytest.raises(ConfigurationError, match="makes no"):
            ContradictionFilter(PlacedEncoder(names))
    bare = PlacedEncoder()
    bare.specs["contradiction"] = replace(bare.specs["contradiction"], contradiction=None)
    with pytest.raises(ConfigurationError, match="no constants"):
        ContradictionFilter(bare)
    assert len(ContradictionFilter(bare, settings=SETTINGS).filter(passages(YES, NO)).conflicts)


async def test_bad_calls():
    """A list of strings is the first thing that a newcomer passes; nothing is encoded for it."""
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
