"""Every rule against the examples beside it, and what a rule may not be."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import RULES, Rule, RuleParser, Scope, rules

PARSER = RuleParser()
EXAMPLES = {
    rule["name"]: rule["examples"]
    for rule in tomllib.loads(Path(rules.__file__).with_name("english.toml").read_text("utf-8"))[
        "rules"
    ]
}
CASES = [(name, example) for name, examples in EXAMPLES.items() for example in examples]


@pytest.mark.parametrize(
    "example", [case for _, case in CASES], ids=[f"{name}: {case['text']}" for name, case in CASES]
)
def test_examples_hold(example: dict):
    """The examples are what somebody reads who wants to know what a rule does."""
    parsed = PARSER.parse(example["text"])
    assert list(parsed.excluded) == example.get("excluded", [])
    assert (parsed.kind == "exclusion") == ("excluded" in example)
    if "wanted" in example:
        assert parsed.wanted == example["wanted"]


def test_every_rule_is_needed_by_one_of_its_examples():
    """A rule whose examples all pass without it is dead weight, or its examples are."""
    for rule in RULES:
        without = RuleParser([r for r in RULES if r is not rule])
        assert any(
            without.parse(example["text"]) != PARSER.parse(example["text"])
            for example in EXAMPLES[rule.name]
            if "excluded" in example
        ), rule.name


def test_names_are_unique_and_each_rule_has_examples():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert EXAMPLES.keys() == {rule.name for rule in RULES}
    for name, examples in EXAMPLES.items():
        assert any("excluded" in example for example in examples), name


def test_a_rule_of_ones_own():
    """Users have words of their own for "not"."""
    nix = Rule("nix", "nix")
    assert PARSER.parse("bikes nix tandems").kind == "none"
    assert RuleParser([nix, *RULES]).parse("bikes nix tandems").excluded == ("tandems",)
    around = Rule(
        "zap",
        r"zap (?P<excluded>\w+) away",
        scope=Scope.BETWEEN,
    )
    parsed = RuleParser([around]).parse("bikes, zap tandems away")
    assert (parsed.wanted, parsed.excluded, parsed.rule) == ("bikes", ("tandems",), "zap")


@pytest.mark.parametrize("wrong", [{"cue": "("}, {"not_after": "("}])
def test_a_rule_that_cannot_work_is_refused(wrong: dict):
    settings = {"name": "x", "cue": "x", **wrong}
    with pytest.raises(ConfigurationError, match="rule 'x'"):
        Rule(**settings)
