"""Every rule against the examples beside it, and what a rule may not be."""

from __future__ import annotations

import pytest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import RULES, Example, Rule, RuleParser, Scope

PARSER = RuleParser()
CASES = [(rule, example) for rule in RULES for example in rule.examples]


@pytest.mark.parametrize(("rule", "example"), CASES, ids=[f"{r.name}: {e.text}" for r, e in CASES])
def test_examples_hold(rule: Rule, example: Example):
    """The examples are what somebody reads who wants to know what a rule does."""
    parsed = PARSER.parse(example.text)
    assert parsed.traps == example.traps
    assert (parsed.kind == "exclusion") == bool(example.traps)
    if example.target:
        assert parsed.target == example.target


def test_every_rule_is_needed_by_one_of_its_examples():
    """A rule whose examples all pass without it is dead weight, or its examples are."""
    for rule in RULES:
        without = RuleParser([r for r in RULES if r is not rule])
        assert any(
            without.parse(e.text) != PARSER.parse(e.text) for e in rule.examples if e.traps
        ), rule.name


def test_names_are_unique_and_each_rule_shows_what_it_leaves_alone():
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert any(example.traps for example in rule.examples), rule.name


def test_a_rule_of_ones_own():
    """Users have words of their own for "not"."""
    nix = Rule("nix", "nix", (Example("bikes nix tandems", ("tandems",)),))
    assert PARSER.parse("bikes nix tandems").kind == "none"
    assert RuleParser([nix, *RULES]).parse("bikes nix tandems").traps == ("tandems",)
    around = Rule(
        "zap",
        r"zap (?P<trap>\w+) away",
        (Example("bikes, zap tandems away", ("tandems",)),),
        scope=Scope.BETWEEN,
    )
    parsed = RuleParser([around]).parse("bikes, zap tandems away")
    assert (parsed.target, parsed.traps, parsed.rule) == ("bikes", ("tandems",), "zap")


@pytest.mark.parametrize("wrong", [{"cue": "("}, {"examples": ()}, {"not_after": "("}])
def test_a_rule_that_cannot_work_is_refused(wrong: dict):
    settings = {"name": "x", "cue": "x", "examples": (Example("x"),), **wrong}
    with pytest.raises(ConfigurationError, match="rule 'x'"):
        Rule(**settings)
