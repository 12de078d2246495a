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


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold(name: str):
    """The examples are what a reader goes by who wants to know what a rule does."""
    for example in EXAMPLES[name]:
        parsed = PARSER.parse(example["text"])
        read = (parsed.kind == "exclusion", list(parsed.excluded))
        assert read == ("excluded" in example, example.get("excluded", [])), example
        assert parsed.wanted == example.get("wanted", parsed.wanted)


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
    around = Rule("zap", r"zap (?P<excluded>\w+) away", scope=Scope.BETWEEN)
    parsed = RuleParser([around]).parse("bikes, zap tandems away")
    assert (parsed.wanted, parsed.excluded, parsed.rule) == ("bikes", ("tandems",), "zap")


def test_a_rule_that_cannot_work_is_refused():
    with pytest.raises(ConfigurationError, match="rule 'x'"):
        Rule("x", "x", not_after="(")
