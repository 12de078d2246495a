"""Settings that cannot work are refused where they are given, in words, whatever they are."""

from __future__ import annotations

import math

import pytest

from logic_retrievers.cleaning import CorpusCleaner
from logic_retrievers.encoders import CombinedEncoder, default_encoder
from logic_retrievers.errors import ConfigurationError, InputError, shown
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    CoderUnionPolicy,
    ExclusionPolicy,
    ExclusionSettings,
    ExpressionPolicy,
    SequentialPolicy,
    UnionPolicy,
    resolve_policy,
)
from logic_retrievers.queries import ParsedQuery

CYCLE: list = []
CYCLE.append(CYCLE)
NO_COUNTS = [0, -1, 2.5, True, "5", None, math.nan, 10**5000, CYCLE]


@pytest.mark.parametrize("count", NO_COUNTS, ids=lambda count: shown(count)[:20])
@pytest.mark.parametrize("policy", [AutoPolicy, BooleanPolicy, SequentialPolicy, UnionPolicy])
def test_a_limit_is_a_whole_number(policy, count):
    """A string from a configuration file fails in the middle of the first search."""
    with pytest.raises(ConfigurationError, match="limit must be a whole number"):
        policy(limit=count)


@pytest.mark.parametrize("policy", [SequentialPolicy, UnionPolicy, CoderUnionPolicy])
def test_a_flag_is_true_or_false(policy):
    """``backfill="no"`` back-fills."""
    with pytest.raises(ConfigurationError, match="backfill must be of type bool, not 'no'"):
        policy(backfill="no")


@pytest.mark.parametrize(
    ("policy", "wrong"),
    [
        (AutoPolicy, {"settings": {"penalty": 1}}),
        (AutoPolicy, {"settings": BooleanSettings()}),
        (BooleanPolicy, {"settings": ExclusionSettings()}),
        (AutoPolicy, {"parser": "rules"}),
        (BooleanPolicy, {"parser": None}),
        (AutoPolicy, {"fields": ["genre"]}),
        (AutoPolicy, {"fields": {"genre": 5}}),
        (SequentialPolicy, {"alpha": 10**400}),
        (SequentialPolicy, {"tau": CYCLE}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else next(iter(value)),
)
def test_objects_of_another_kind(policy, wrong):
    """An AttributeError about our own internals says nothing to the caller."""
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        policy(**wrong)


def test_a_policy_that_is_none():
    """The message must hold neither 100,000 characters nor fail over a cycle."""
    for wrong in ("p" * 100_000, CYCLE, 10**5000):
        with pytest.raises(ConfigurationError) as caught:
            resolve_policy(wrong)
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "wrong",
    [{"text": 5}, {"wanted": 5}, {"excluded": "ab"}, {"excluded": (5,)}, {"cue": []}, {"kind": 1}],
    ids=str,
)
def test_the_parts_of_a_query_are_texts(wrong):
    """A string in place of a tuple excludes its letters."""
    with pytest.raises(InputError):
        ParsedQuery(**{"text": "hotels", **wrong})


@pytest.mark.parametrize("wrong", [5, [], {1: 2}, {"a": ("field",)}, {"a": (1, 2)}], ids=str)
@pytest.mark.parametrize("policy", [ExclusionPolicy, ExpressionPolicy])
def test_field_filters_have_a_form(policy, wrong):
    """They are read in the middle of a search."""
    query = ParsedQuery.excluding("hotels", ["pool"])
    with pytest.raises(ConfigurationError, match="field_filters is a mapping"):
        policy(query, field_filters=wrong)


@pytest.mark.parametrize("wrong", [{"scope_keys": ["a", 1]}, {"scope_keys": 5}, {"settings": "x"}])
def test_settings_of_a_cleaner(wrong):
    """An error at the first cleaning names a line of ours and not the setting."""
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        CorpusCleaner(encoder=default_encoder(), **wrong)


@pytest.mark.parametrize("wrong", [5, "ab", [], [1], [("a", {})]], ids=str)
def test_parts_of_a_combined_encoder(wrong):
    """The same, for encoders."""
    with pytest.raises(ConfigurationError):
        CombinedEncoder(wrong)
