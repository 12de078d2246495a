"""What the filter refuses: settings, calls and policies that cannot work."""

from __future__ import annotations

import pytest
from placed import CONSTANTS, PlacedEncoder, passages

from logic_retrievers import ContradictionFilter
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy, Ruling
from logic_retrievers.errors import ConfigurationError, InputError, UnknownResolutionError

YES, NO = "inn | yes | a", "inn | no | a"


def contradictions(**more):
    return ContradictionFilter(PlacedEncoder(), **more)


@pytest.mark.parametrize(
    ("ruling", "told"),
    [(None, "gave a NoneType"), (Ruling("?", (7,)), r"positions 0 and 1, not \(7,\)")],
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
