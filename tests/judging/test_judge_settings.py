"""The weights of a judge: ranges, and whose word counts."""

from __future__ import annotations

from dataclasses import asdict, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import forbidden_judge

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import JudgeSettings, onnx
from logic_retrievers.judging.judge import BundledJudge
from logic_retrievers.judging.settings import (
    JudgeConstants,
    WeightedJudge,
    check_any_judge,
    resolve_judge,
)

NAMES = [field.name for field in fields(JudgeConstants)]
WEIGHTS = ["thing_weight", "property_weight", "negated_fact_weight"]
SHARES = ["thing_penalty_share", "property_penalty_share"]


def resolved(judge):
    return run(resolve_judge(judge), encoder_threads)


constants = st.fixed_dictionaries(
    {},
    optional={
        "candidates": st.integers(1, 1000),
        **{name: st.floats(0, 5) for name in WEIGHTS},
        **{name: st.floats(0, 1) for name in SHARES},
    },
)


class ShippedJudge(BundledJudge):
    """Brings weights of its own, as the judge of a bundle does."""

    def __init__(self, constants):
        self._constants = constants

    @property
    def constants(self):
        return self._constants

    def __call__(self, pairs):
        return [None] * len(pairs)


@given(constants, constants)
def test_the_users_word_over_the_judges_over_the_defaults(shipped, own):
    """Who sets one field changes one thing."""
    judge = ShippedJudge(shipped)
    weighted = resolved(JudgeSettings(judge, **own))
    assert weighted == WeightedJudge(judge, JudgeConstants(**{**shipped, **own}))
    assert asdict(weighted.constants) == {**asdict(JudgeConstants()), **shipped, **own}
    assert resolved(judge).constants == JudgeConstants(**shipped)


def test_a_function_has_the_defaults():
    assert resolved(forbidden_judge) == WeightedJudge(forbidden_judge, JudgeConstants())


@given(constants)
def test_overrides_are_what_was_set(own):
    """A judge is no constant, and must not get among them."""
    assert JudgeSettings(forbidden_judge, **own).overrides() == own
    assert JudgeSettings(**own).overrides() == own


@given(constants)
def test_each_kind_of_constraint_has_its_weight_and_share(values):
    weights = JudgeConstants(**values)
    for name in ("thing", "property", "negated_fact"):
        assert weights.weight(name) == getattr(weights, f"{name}_weight")
    assert weights.penalty_share("thing") == weights.thing_penalty_share
    assert weights.penalty_share("property") == weights.property_penalty_share
    assert weights.penalty_share("negated_fact") == 1, "the union takes no penalty"


OUTSIDE = [
    *[("candidates", value) for value in (0, -1, 1001, 2.5, True, "20", float("nan"))],
    *[(name, value) for name in WEIGHTS for value in (-0.1, float("inf"), float("nan"), "1", True)],
    *[(name, value) for name in SHARES for value in (-0.1, 1.1, float("nan"), "1")],
]


@pytest.mark.parametrize(("name", "value"), OUTSIDE)
def test_values_out_of_their_range(name, value):
    """Refused where they are set and not in the middle of a search."""
    for kind in (JudgeConstants, JudgeSettings):
        with pytest.raises(ConfigurationError, match=f"{name} must be"):
            kind(**{name: value})
    with pytest.raises(ConfigurationError, match=f"{name} must be"):
        resolved(ShippedJudge({name: value}))


def test_a_manifests_whole_number_is_whole():
    """JSON constants of a bundle are floats, and a list is not cut at 20.0."""
    judged = resolved(ShippedJudge({"candidates": 20.0})).constants.candidates
    assert (judged, type(judged)) == (20, int)


def test_a_constant_of_a_later_version_is_refused():
    """Ignored, it would rank otherwise than the bundle was measured."""
    with pytest.raises(ConfigurationError, match="thing_wait"):
        resolved(ShippedJudge({"thing_wait": 1.0}))


def test_no_judge_and_the_one_of_the_bundle(monkeypatch):
    """``auto`` finds what the bundle has, also with weights of the user's own."""
    shipped = ShippedJudge({"candidates": 7})
    assert resolved(None) is None
    monkeypatch.setattr(onnx, "default_judge", lambda: shipped)
    assert resolved("auto") == WeightedJudge(shipped, JudgeConstants(candidates=7))
    weighted = resolved(JudgeSettings(thing_weight=3.0))
    assert weighted == WeightedJudge(shipped, JudgeConstants(candidates=7, thing_weight=3.0))
    monkeypatch.setattr(onnx, "default_judge", lambda: None)
    assert resolved("auto") is None
    with pytest.raises(ConfigurationError, match="name no judge"):
        resolved(JudgeSettings(thing_weight=3.0))


@pytest.mark.parametrize("judge", ["nli", "", 3, True, [forbidden_judge], {"candidates": 3}])
def test_what_is_no_judge(judge):
    with pytest.raises(ConfigurationError, match="judge is 'auto', None, a callable"):
        check_any_judge(judge)
    with pytest.raises(ConfigurationError, match="callable"):
        JudgeSettings(judge)


@pytest.mark.parametrize("judge", [None, "auto", forbidden_judge, JudgeSettings(candidates=3)])
def test_what_is_one(judge):
    check_any_judge(judge)


def test_every_constant_can_be_set():
    """A constant without a setting is out of the user's reach."""
    assert [field.name for field in fields(JudgeSettings)] == ["judge", *NAMES]
