"""Settings that cannot work are refused on construction."""

from __future__ import annotations

import math
from functools import partial

import pytest

from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError, shown
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    CoderUnionPolicy,
    ConstraintPolicy,
    ConstraintSettings,
    ExpressionPolicy,
    HybridPolicy,
    SequentialPolicy,
    UnionPolicy,
    describe_policy,
    resolve_policy,
)
from logic_retrievers.queries import Atom, ParsedQuery

CYCLE: list = []
CYCLE.append(CYCLE)


POLICIES = [
    *(AutoPolicy, BooleanPolicy, HybridPolicy, SequentialPolicy, UnionPolicy),
    partial(ConstraintPolicy, ParsedQuery.excluding("hotels", ["pool"])),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_limit_is_a_whole_number(policy):
    """A string from a configuration file must not fail in the middle of a search."""
    for count in (0, 2.5, True, "5", None, math.nan, 10**5000, CYCLE):
        with pytest.raises(ConfigurationError, match="limit"):
            policy(limit=count)


WRONG = [
    (CoderUnionPolicy, {"backfill": "no"}),
    (AutoPolicy, {"settings": BooleanSettings()}),
    (BooleanPolicy, {"settings": ConstraintSettings()}),
    (AutoPolicy, {"parser": "rules"}),
    (BooleanPolicy, {"parser": None}),
    (AutoPolicy, {"fields": ["genre"]}),
    (AutoPolicy, {"base": "lexical"}),
    (SequentialPolicy, {"alpha": 10**400}),
    (SequentialPolicy, {"tau": CYCLE}),
    (SequentialPolicy, {"tau": math.nan}),
    (UnionPolicy, {"alpha": 1.2}),
    (UnionPolicy, {"keep": -0.1}),
    (UnionPolicy, {"fusion": "mean"}),
]


@pytest.mark.parametrize(
    ("policy", "wrong"),
    WRONG,
    ids=[f"{policy.__name__} {shown(wrong)[:40]}" for policy, wrong in WRONG],
)
def test_wrong_values_are_refused(policy, wrong):
    """``backfill="no"`` would back-fill, and an AttributeError about internals says nothing."""
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        policy(**wrong)


def test_a_policy_that_is_none():
    """The message must not hold 100,000 characters, nor fail over a cycle."""
    for wrong in ("p" * 100_000, CYCLE, 10**5000, "onion", 3):
        for use in (resolve_policy, describe_policy):
            with pytest.raises(ConfigurationError) as caught:
                use(wrong)
            assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "wrong",
    [
        *({"text": 5}, {"wanted": 5}, {"excluded": "ab"}, {"excluded": (5,)}, {"excluded": (" ",)}),
        *(
            {"cue": []},
            {"kind": 1},
            {"kind": "expression"},
            {"expression": "a"},
            {"constraint": -1},
        ),
    ],
    ids=str,
)
def test_the_parts_of_a_query_have_a_form(wrong):
    """A string in place of a tuple would exclude its letters."""
    with pytest.raises((InputError, ConfigurationError)):
        ParsedQuery(**{"text": "hotels", **wrong})


def test_a_query_that_excludes_something_has_a_constraint():
    """Without a constraint it would be plain search."""
    query = ParsedQuery("hotels", excluded=("pool",))
    assert (query.kind, query.constraint) == ("exclusion", 1)
    assert ParsedQuery("hotels", excluded=("pool",), constraint=0.5).constraint == 0.5


@pytest.mark.parametrize("wrong", [5, {1: 2}, {"a": ("field", 1)}, {"a": [(1, 2)]}], ids=str)
@pytest.mark.parametrize("policy", [ConstraintPolicy, ExpressionPolicy])
def test_field_filters_have_a_form(policy, wrong):
    """Otherwise the error comes in the middle of a search."""
    query = ParsedQuery.excluding("hotels", ["pool"])
    with pytest.raises(ConfigurationError, match="field_filters"):
        policy(query, field_filters=wrong)


def test_queries_that_no_policy_can_rank():
    with pytest.raises(ConfigurationError, match="auto"):
        ConstraintPolicy(ParsedQuery("plain"))
    with pytest.raises(ConfigurationError, match="no expression"):
        ExpressionPolicy(ParsedQuery("hotels"))
    for use in (ExpressionPolicy, ParsedQuery.stating):
        with pytest.raises(ConfigurationError, match="type"):
            use("a AND b")
    with pytest.raises(ExpressionError, match="wanted"):
        ExpressionPolicy(ParsedQuery("x", expression=~Atom("a")))
