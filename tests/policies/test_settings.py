"""Settings are partial overrides: a field changes one constant, whatever the bundle ships."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from pydantic import BaseModel

from logic_retrievers.conflicts import ContradictionSettings
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    ConstraintPolicy,
    ConstraintSettings,
)
from logic_retrievers.queries import Atom, ParsedQuery

SHIPPED = {"penalty": 0.9, "compatibility_weight": 0.6}
QUERY = ParsedQuery.excluding("hotels", ["bars"])


def constants(settings):
    return {name: getattr(settings, name) for name in type(settings).model_fields}


@pytest.mark.parametrize("kind", [ConstraintSettings, BooleanSettings])
@pytest.mark.parametrize("shipped", [None, SHIPPED], ids=["no bundle", "bundle"])
def test_one_field_changes_one_constant(kind, shipped):
    """Setting one field must not reset the constants that the bundle tuned."""
    before = constants(kind().over(shipped))
    assert before == {**constants(kind()), **(shipped or {})}
    for name in kind.model_fields:
        for value in (0.65, 0):
            assert constants(kind(**{name: value}).over(shipped)) == {**before, name: value}
            assert kind(**{name: value}).overrides() == {name: value}
        assert kind(**{name: None}) == kind()


def test_what_is_set_makes_settings_equal():
    """A default that the user sets overrides a bundle's value, unlike an unset field."""
    assert ConstraintSettings(penalty=0.6) != ConstraintSettings()
    assert ConstraintSettings(0.5, 0.75) == ConstraintSettings(
        compatibility_weight=0.5, penalty=0.75
    )
    for wrong, named in (([0.5] * 50, {}), ([0.5], {"compatibility_weight": 0.6})):
        with pytest.raises(TypeError):
            ConstraintSettings(*wrong, **named)
    assert len({ConstraintSettings(penalty=1), ConstraintSettings(penalty=1.0)}) == 1
    assert repr(ConstraintSettings(penalty=0.5)) == "ConstraintSettings(penalty=0.5)"
    assert pickle.loads(pickle.dumps(ConstraintSettings(penalty=0.5))).overrides() == {
        "penalty": 0.5
    }


def test_policies_merge_when_they_are_used():
    """One settings object serves any bundle."""
    settings = ConstraintSettings(compatibility_weight=0)
    routed = AutoPolicy(settings=settings).route("hotels except bars", (), SHIPPED)
    assert routed.constants == ConstraintSettings(**{**SHIPPED, "compatibility_weight": 0})
    assert ConstraintPolicy(QUERY, settings).constants == settings
    assert constants(ConstraintPolicy(QUERY).constants) == constants(ConstraintSettings())
    stated = ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))
    boolean = BooleanPolicy(settings=BooleanSettings(penalty=1)).route(stated, (), SHIPPED)
    assert boolean.constants == BooleanSettings(penalty=1)


@pytest.mark.parametrize(
    ("shipped", "problem"), [({"penalty": -1}, "penalty"), (5, "Mapping")], ids=["range", "form"]
)
def test_a_bundle_that_cannot_be_merged_is_refused(shipped, problem):
    """The error comes when the policy is made, not during a search."""
    with pytest.raises(ConfigurationError, match=problem):
        ConstraintPolicy(QUERY, bundle_constants=shipped)


def test_an_older_bundles_constants_are_ignored():
    """A bundle exported last month with five more constants must still serve queries."""
    older = {**SHIPPED, "standout_share": 0.8, "mention_share": 0.4, "lexical_weight": 0.2}
    constants = ConstraintPolicy(QUERY, bundle_constants=older).constants
    assert constants == ConstraintSettings(**SHIPPED)


WRONG = [math.nan, math.inf, True, "1", [1], -0.1, 10**400]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: repr(value)[:8])
def test_wrong_values_are_refused(value):
    """NaN comparisons are false, so NaN passes a check for too large values."""
    for wrong in (
        lambda: ConstraintSettings(penalty=value),
        lambda: BooleanSettings(joint_weight=value),
        lambda: JudgeSettings(satisfies_weight=value),
        lambda: ContradictionSettings(alpha=value),
    ):
        with pytest.raises(ConfigurationError, match="must be"):
            wrong()


@pytest.mark.parametrize(
    ("kind", "name", "wrong", "right"),
    [
        (ConstraintSettings, "compatibility_weight", 1.5, 1),
        (ContradictionSettings, "threshold", 0, 0.1),
        (ContradictionSettings, "null_deviation", 0, np.float32(0.5)),
    ],
)
def test_the_ends_of_ranges(kind, name, wrong, right):
    with pytest.raises(ConfigurationError, match=f"{name}.*not {wrong}"):
        kind(**{name: wrong})
    assert kind(**{name: right}).overrides() == {name: right}


def test_an_unknown_setting_is_refused():
    with pytest.raises(ConfigurationError, match="penalti"):
        ConstraintSettings(penalti=0.5)


def test_settings_in_another_pydantic_model():
    """Adapters save and load settings inside their own models."""

    class Model(BaseModel):
        settings: ContradictionSettings | None = None

    saved = Model(settings=ContradictionSettings(alpha=1)).model_dump()
    assert saved == {"settings": {"alpha": 1.0}}
    assert Model(**saved).settings == ContradictionSettings(alpha=1)
    older = dict.fromkeys(ContradictionSettings.model_fields) | {"alpha": 1.0}
    assert Model(settings=older).settings == ContradictionSettings(alpha=1)


def test_a_copy_is_checked_like_a_new_object():
    """Pydantic's own copies accept any name and value."""
    settings = ConstraintSettings(penalty=0.5)
    assert settings.model_copy(update={"penalty": 0.2}) == ConstraintSettings(penalty=0.2)
    assert settings.model_copy(update={"penalty": None}).over({"penalty": 0.1}).penalty == 0.1
    for wrong in ({"penality": 0.2}, {"penalty": -5}):
        with pytest.raises(ConfigurationError, match="penal"):
            settings.model_copy(update=wrong)


def test_a_whole_number_of_numpy_is_one():
    assert JudgeSettings(candidates=np.int64(5)).candidates == 5
