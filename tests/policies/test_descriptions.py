"""Descriptions of policies: for logs, serialised settings and cache keys."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass, fields
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies import (
    AutoPolicy,
    BooleanSettings,
    ConstraintPolicy,
    ConstraintSettings,
    Policy,
    SequentialPolicy,
    describe_policy,
    policy_from,
)
from logic_retrievers.policies.registry import POLICIES
from logic_retrievers.queries import ConstraintParser, ParsedQuery


def shout(text):
    """A user's function."""
    return text.upper()


class Shouting:
    """A user's parser, with object's repr."""

    def parse(self, text):
        return ParsedQuery(text.upper())


@dataclass(frozen=True)
class Listing(Shouting):
    """A user's parser whose repr lists its settings."""

    words: tuple[str, ...] = ()


class Careful(ConstraintParser):
    """The package's parser, changed by a user."""


QUERY = ParsedQuery.excluding("hotels", ["nightclubs"])


def dumped(policy):
    return json.dumps(describe_policy(policy), sort_keys=True, allow_nan=False)


def test_settings_are_given_as_they_are():
    """A log must allow running the same search again, so nothing is rounded or renamed."""
    assert describe_policy(SequentialPolicy(alpha=0.25, backfill=False)) == {
        "name": "sequential",
        "alpha": 0.25,
        "tau": 0.3,
        "limit": 100,
        "backfill": False,
    }
    auto = describe_policy(AutoPolicy(settings=ConstraintSettings(penalty=0.5)))
    assert auto["settings"] == {"penalty": 0.5}


def settings_of(kind):
    """A settings class with a changed value in every field."""
    return st.builds(kind, **{name: st.none() | st.just(0.65) for name in kind.model_fields})


PARSERS = st.builds(
    ConstraintParser,
    threshold=st.sampled_from([0, 0.7, 2]),
    languages=st.sets(st.sampled_from(["de", "fr", "nl"])),
)
VALUES = st.lists(st.text() | st.integers(-9, 9) | st.booleans(), max_size=3)
PLAIN = {
    "alpha": st.floats(0, 1), "tau": st.floats(-1, 1), "keep": st.floats(0, 1),
    "limit": st.integers(1, 500), "backfill": st.booleans(), "parser": PARSERS,
    "fusion": st.sampled_from(["cosine", "reciprocal_rank"]),
    "base": st.sampled_from(["topical", "hybrid"]),
    "fields": st.dictionaries(st.text(), VALUES | VALUES.map(tuple) | VALUES.map(frozenset)),
}  # fmt: skip
SETTINGS = {"auto": ConstraintSettings, "boolean": BooleanSettings}


@pytest.mark.parametrize("name", POLICIES)
@given(st.data())
def test_a_policy_is_made_again_of_what_it_says_of_itself(name, data):
    """A setting lost from a pipeline's file, or unreadable there, changes the ranking."""
    own = PLAIN | {"settings": st.none() | settings_of(SETTINGS.get(name, ConstraintSettings))}
    values = {field.name: data.draw(own[field.name]) for field in fields(POLICIES[name])}
    policy = POLICIES[name](**values)
    again = policy_from(json.loads(dumped(policy)))
    assert type(again) is type(policy)
    assert again == policy == pickle.loads(pickle.dumps(policy))
    assert dumped(again) == dumped(policy)
    few = {"name": name, **dict(list(describe_policy(policy).items())[-1:])}
    assert policy_from(few).name == name


@pytest.mark.parametrize(
    "policy",
    [
        AutoPolicy(parser=Shouting()),
        AutoPolicy(parser=Listing(("bar",))),
        AutoPolicy(parser=Careful()),
        ConstraintPolicy(QUERY),
        {"name": "auto", "penalty": 0.5},
        {"name": "auto", "settings": {"penalti": 0.5}},
        {"name": "auto", "settings": {"penalty": -1}},
        {"name": "auto", "fields": {"city": "Oslo"}},
        {"name": "onion"},
        {},
    ],
)
def test_what_no_description_can_make_is_refused(policy):
    """Leaving out a user's parser would read queries differently."""
    description = policy if isinstance(policy, dict) else describe_policy(policy)
    with pytest.raises(ConfigurationError):
        policy_from(description)


def test_a_parser_of_ones_own_is_told_without_its_address():
    """With an address in its key a cache never hits."""
    told = describe_policy(AutoPolicy(parser=Shouting()))["parser"]
    assert told == f"{__name__}.Shouting"
    one, two = (describe_policy(AutoPolicy(parser=Listing((word,))))["parser"] for word in "ab")
    assert one != two
    assert "0x" not in f"{one}{two}"


def test_a_policy_of_ones_own_is_told_with_its_attributes():
    """A user's policy is usually not a dataclass."""

    class Mine(Policy):
        name: ClassVar[str] = "mine"

        def __init__(self, weight):
            self.weight = weight

        def plan(self, query, k):
            return ()

        def rank(self, pool, k):
            return []

    told = describe_policy(Mine([0.5, {"a": None}, max, shout]))
    assert told.pop("class") == f"{__name__}.{Mine.__qualname__}"  # two may share a name
    told["weight"].pop(2)  # a built-in's repr, whatever it says
    assert told == {"name": "mine", "weight": [0.5, {"a": None}, f"{__name__}.shout"]}
    assert "class" not in describe_policy("union")


def test_descriptions_are_the_same_in_every_process():
    """Sets are ordered differently in each process, so a shared cache would never hit."""
    code = """
import json
from logic_retrievers.policies import *
fields = {"city": {"Oslo", "Rome", "Bergen", "Voss", 3}, "kind": frozenset({"bar", "club"})}
policies = ["auto", "union", CoderUnionPolicy(), AutoPolicy(fields=fields)]
print(json.dumps([describe_policy(policy) for policy in policies]))
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(said) == 1
    assert json.loads(said.pop())[0] == describe_policy("auto")
