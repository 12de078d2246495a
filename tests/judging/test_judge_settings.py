"""A judge's weights: ranges and precedence."""

from __future__ import annotations

import pytest
from judges import forbidden_judge

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import JudgeSettings, RerankEndpoint, onnx
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.settings import WeightedJudge, check_any_judge, resolve_judge


def resolved(judge):
    return run(resolve_judge(judge), encoder_threads)


class ShippedJudge(ModelJudge):
    """Brings its own weights, as a bundle's judge does."""

    def __init__(self, constants):
        self._constants = constants

    @property
    def constants(self):
        return self._constants

    def __call__(self, pairs):
        return [None] * len(pairs)


def test_the_users_word_over_the_judges_over_the_defaults():
    """Setting one field changes only that field."""
    judge = ShippedJudge({"candidates": 7, "satisfies_weight": 3.0})
    weighted = resolved(JudgeSettings(judge, candidates=5, violates_weight=0))
    merged = JudgeSettings(candidates=5, satisfies_weight=3.0, violates_weight=0)
    assert weighted == WeightedJudge(judge, merged)
    assert resolved(ShippedJudge({})).constants.violates_weight == 0.2
    assert resolved(judge).constants == JudgeSettings(candidates=7, satisfies_weight=3.0)
    assert resolved(forbidden_judge) == WeightedJudge(forbidden_judge, JudgeSettings())


def test_overrides_are_what_was_set():
    """A judge is not a constant and must stay out of overrides and logs: it may hold a key."""
    settings = JudgeSettings(forbidden_judge, candidates=5)
    assert settings.overrides() == {"candidates": 5}
    assert "judge" not in repr(settings)
    endpoint = JudgeSettings(RerankEndpoint("http://host/v1", "rank-1", api_key="key-12345"))
    assert "RerankEndpoint('http://host/v1/rerank', 'rank-1')" in repr(endpoint)
    assert "key-12345" not in repr(endpoint)
    assert settings != JudgeSettings(candidates=5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("candidates", value) for value in (1001, 2.5, True)),
        ("satisfies_weight", -0.1),
        ("thing_weight", 0.5),  # of an older version
    ],
)
def test_values_out_of_their_range(name, value):
    """Wrong values are refused when set, not during a search."""
    with pytest.raises(ConfigurationError, match=name):
        JudgeSettings(**{name: value})
    with pytest.raises(ConfigurationError, match=name):
        resolved(ShippedJudge({name: value}))


def test_a_judge_that_gives_no_arguments_cannot_be_saved():
    """A file with its class alone would fail where it is loaded."""
    with pytest.raises(ConfigurationError, match="cannot be saved"):
        JudgeSettings(ShippedJudge({})).describe()


def test_a_manifests_whole_number_is_whole():
    """JSON constants of a bundle are floats, and a list cannot be cut at 20.0."""
    judged = resolved(ShippedJudge({"candidates": 20.0})).constants.candidates
    assert (judged, type(judged)) == (20, int)


def test_no_judge_and_the_one_of_the_bundle(monkeypatch):
    """``auto`` finds the bundle's judge, even with the user's weights."""
    shipped = ShippedJudge({"candidates": 7})
    assert resolved(None) is None
    monkeypatch.setattr(onnx, "default_judge", lambda: shipped)
    assert resolved("auto") == WeightedJudge(shipped, JudgeSettings(candidates=7))
    weighted = resolved(JudgeSettings(satisfies_weight=3.0))
    assert weighted == WeightedJudge(shipped, JudgeSettings(candidates=7, satisfies_weight=3.0))
    monkeypatch.setattr(onnx, "default_judge", lambda: None)
    assert resolved("auto") is None
    with pytest.raises(ConfigurationError, match="name no judge"):
        resolved(JudgeSettings(satisfies_weight=3.0))


@pytest.mark.parametrize("judge", ["nli", "", 3, True, [forbidden_judge], {"candidates": 3}])
def test_what_is_no_judge(judge):
    with pytest.raises(ConfigurationError, match="judge"):
        check_any_judge(judge)
    with pytest.raises(ConfigurationError, match="judge"):
        JudgeSettings(judge)
