"""Settings are partial overrides: one field changes one constant, whatever the bundle ships."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    ExclusionPolicy,
    ExclusionSettings,
)
from logic_retrievers.policies.boolean_scores import BooleanConstants
from logic_retrievers.policies.exclusion_settings import ExclusionConstants
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.settings import Interval, merged

CLASSES = [(ExclusionSettings, ExclusionConstants), (BooleanSettings, BooleanConstants)]
SHIPPED = {"penalty": 0.9, "mention_share": 0.4, "compatibility_weight": 0.6}
QUERY = ParsedQuery.excluding("hotels", ["bars"])
FIELDS = [(*classes, field.name) for classes in CLASSES for field in fields(classes[1])]


@pytest.mark.parametrize(("settings", "constants"), CLASSES)
def test_both_classes_have_the_same_fields(settings, constants):
    """A constant that has no setting cannot be set; a setting without a constant does nothing."""
    names = [field.name for field in fields(constants)]
    assert [field.name for field in fields(settings)] == names
    assert settings.constants_class is constants
    assert settings().overrides() == {}


@pytest.mark.parametrize(("settings", "constants", "name"), FIELDS)
@pytest.mark.parametrize("shipped", [{}, SHIPPED])
def test_one_field_changes_one_constant(settings, constants, name, shipped):
    """Else a user who turns one knob gets the class's defaults for all that the bundle tuned."""
    value = 0.65
    before = asdict(merged(constants, settings(), shipped))
    after = asdict(merged(constants, settings(**{name: value}), shipped))
    assert after == {**before, name: value}
    assert before == {**asdict(constants()), **shipped}


@given(st.dictionaries(st.sampled_from(sorted(SHIPPED)), st.sampled_from([0.0, 0.25, 1.0])))
def test_given_fields_win_over_the_bundle_and_that_over_the_defaults(given_values):
    """In that order, for any choice of fields; 0 is a value and no gap."""
    result = asdict(merged(ExclusionConstants, ExclusionSettings(**given_values), SHIPPED))
    assert result == {**asdict(ExclusionConstants()), **SHIPPED, **given_values}


def test_policies_merge_when_they_are_used():
    """The same settings object serves any bundle."""
    settings = ExclusionSettings(compatibility_weight=0)
    routed = AutoPolicy(settings=settings).route("hotels except bars", (), SHIPPED)
    assert routed.constants == ExclusionConstants(**{**SHIPPED, "compatibility_weight": 0})
    by_hand = ExclusionPolicy(QUERY, settings)
    assert by_hand.constants == replace(ExclusionConstants(), compatibility_weight=0)
    assert ExclusionPolicy(QUERY).constants == ExclusionConstants()
    stated = ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))
    boolean = BooleanPolicy(settings=BooleanSettings(penalty=1)).route(stated, (), SHIPPED)
    assert boolean.constants == BooleanConstants(penalty=1)


def test_what_cannot_be_merged_is_refused():
    """A constant of a newer bundle would be dropped without a word."""
    with pytest.raises(ConfigurationError, match="severity; update logic-retrievers"):
        merged(ExclusionConstants, bundle_constants={"severity": 1.0})
    with pytest.raises(ConfigurationError, match="penalty must be at least 0, not -1"):
        merged(ExclusionConstants, bundle_constants={"penalty": -1})


@pytest.mark.parametrize(
    ("interval", "inside", "outside"),
    [
        (Interval(), [-1e9, 0, 1.5], [float("nan"), float("inf"), True, "1", None]),
        (Interval(0, 1), [0, 1, 0.5], [-0.1, 1.1]),
        (Interval(0, 1, without_low=True, without_high=True), [0.1, 0.9], [0, 1]),
    ],
)
def test_intervals(interval, inside, outside):
    """NaN compares with nothing, and so passes a check that asks what is too large."""
    for value in inside:
        interval.check("x", value)
    for value in outside:
        with pytest.raises(ConfigurationError, match=f"x must be {interval}"):
            interval.check("x", value)
