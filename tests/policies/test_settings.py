"""Settings are partial overrides: one field changes one constant, whatever the bundle ships."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from pydantic import BaseModel

from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    ExclusionPolicy,
    ExclusionSettings,
)
from logic_retrievers.queries import Atom, ParsedQuery

SHIPPED = {"penalty": 0.9, "mention_share": 0.4, "compatibility_weight": 0.6}
QUERY = ParsedQuery.excluding("hotels", ["bars"])


def constants(settings):
    return {name: getattr(settings, name) for name in type(settings).model_fields}


@pytest.mark.parametrize("kind", [ExclusionSettings, BooleanSettings])
@pytest.mark.parametrize("shipped", [None, SHIPPED], ids=["no bundle", "bundle"])
def test_one_field_changes_one_constant(kind, shipped):
    """Else a user who turns one knob gets the class's defaults for all that the bundle tuned."""
    before = constants(kind().over(shipped))
    assert before == {**constants(kind()), **(shipped or {})}
    for name in kind.model_fields:
        for value in (0.65, 0):
            assert constants(kind(**{name: value}).over(shipped)) == {**before, name: value}
            assert kind(**{name: value}).overrides() == {name: value}
        assert kind(**{name: None}) == kind()


def test_what_is_set_makes_settings_equal():
    """The package's own value, set by the user, overrides a bundle's: it differs from no value."""
    assert ExclusionSettings(penalty=0.75) != ExclusionSettings()
    assert ExclusionSettings(0.75) == ExclusionSettings(penalty=0.75)
    for wrong, named in (([0.5] * 50, {}), ([0.5], {"penalty": 0.6})):
        with pytest.raises(TypeError):
            ExclusionSettings(*wrong, **named)
    assert len({ExclusionSettings(penalty=1), ExclusionSettings(penalty=1.0)}) == 1
    assert repr(ExclusionSettings(penalty=0.5)) == "ExclusionSettings(penalty=0.5)"
    assert pickle.loads(pickle.dumps(ExclusionSettings(penalty=0.5))).overrides() == {
        "penalty": 0.5
    }


def test_policies_merge_when_they_are_used():
    """The same settings object serves any bundle."""
    settings = ExclusionSettings(compatibility_weight=0)
    routed = AutoPolicy(settings=settings).route("hotels except bars", (), SHIPPED)
    assert routed.constants == ExclusionSettings(**{**SHIPPED, "compatibility_weight": 0})
    assert ExclusionPolicy(QUERY, settings).constants == settings
    assert constants(ExclusionPolicy(QUERY).constants) == constants(ExclusionSettings())
    stated = ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))
    boolean = BooleanPolicy(settings=BooleanSettings(penalty=1)).route(stated, (), SHIPPED)
    assert boolean.constants == BooleanSettings(penalty=1)


@pytest.mark.parametrize(
    ("shipped", "problem"),
    [({"severity": 1.0}, "severity"), ({"penalty": -1}, "penalty"), ({1: 2}, "1"), (5, "Mapping")],
    ids=["unknown", "out of range", "no name", "no mapping"],
)
def test_a_bundle_that_cannot_be_merged_is_refused(shipped, problem):
    """A constant of a newer bundle would be dropped without a word."""
    with pytest.raises(ConfigurationError, match=problem):
        ExclusionPolicy(QUERY, bundle_constants=shipped)


WRONG = [math.nan, math.inf, True, "1", [1], -0.1, 10**400]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: repr(value)[:8])
def test_wrong_values_are_refused(value):
    """NaN compares with nothing, and so passes a check that asks what is too large."""
    for wrong in (
        lambda: ExclusionSettings(penalty=value),
        lambda: BooleanSettings(joint_weight=value),
        lambda: JudgeSettings(satisfies_weight=value),
        lambda: ContradictionSettings(alpha=value),
    ):
        with pytest.raises(ConfigurationError, match="must be"):
            wrong()


@pytest.mark.parametrize(
    ("kind", "name", "wrong", "right"),
    [
        (ExclusionSettings, "standout_threshold", 1, 0),
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
        ExclusionSettings(penalti=0.5)


def test_settings_in_another_pydantic_model():
    """Adapters keep settings in their own models, which are saved and loaded."""

    class Model(BaseModel):
        settings: ContradictionSettings | None = None

    saved = Model(settings=ContradictionSettings(alpha=1)).model_dump()
    assert saved == {"settings": {"alpha": 1.0}}
    assert Model(**saved).settings == ContradictionSettings(alpha=1)
    older = dict.fromkeys(ContradictionSettings.model_fields) | {"alpha": 1.0}
    assert Model(settings=older).settings == ContradictionSettings(alpha=1)


def test_a_copy_is_checked_like_a_new_object():
    """Pydantic's own copies take any name and any value."""
    settings = ExclusionSettings(penalty=0.5)
    assert settings.model_copy(update={"penalty": 0.2}) == ExclusionSettings(penalty=0.2)
    assert settings.model_copy(update={"penalty": None}).over({"penalty": 0.1}).penalty == 0.1
    for wrong in ({"penality": 0.2}, {"penalty": -5}):
        with pytest.raises(ConfigurationError, match="penal"):
            settings.model_copy(update=wrong)


def test_a_whole_number_of_numpy_is_one():
    assert JudgeSettings(candidates=np.int64(5)).candidates == 5
