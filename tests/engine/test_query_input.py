"""Texts read as words or as expressions: what is read, and what is refused at once."""

from __future__ import annotations

import pytest

from logic_retrievers import Atom, AutoPolicy, BooleanPolicy, UnionPolicy
from logic_retrievers.errors import (
    ConfigurationError,
    ExpressionError,
    InputError,
    UnknownPolicyError,
)
from logic_retrievers.ranking.query_input import check_syntax, read_query


def test_what_is_read():
    """Words that are taken for an expression fail, and the other way round nothing is ruled out."""
    text = "inns AND NOT bars"
    assert read_query(text, "words", "auto") == text
    for policy in ("auto", "boolean", AutoPolicy(), BooleanPolicy(limit=5)):
        assert read_query(text, "expression", policy) == Atom("inns") & ~Atom("bars")
    assert read_query(text, "words", "topical") == text
    with pytest.raises(ExpressionError) as error:
        read_query("inns AND", "expression", "auto")
    assert error.value.text == "inns AND"


@pytest.mark.parametrize("syntax", ["sql", None])
def test_there_are_two_syntaxes(syntax):
    with pytest.raises(ConfigurationError, match="expression"):
        check_syntax(syntax, "auto")
    with pytest.raises(ConfigurationError, match="query_syntax"):
        read_query("inns", syntax, "auto")


@pytest.mark.parametrize("policy", ["topical", UnionPolicy()])
def test_a_policy_that_would_not_see_the_expression_is_refused(policy):
    """It would search for "inns, but not bars" as for any phrase: bars come first."""
    check_syntax("words", policy)
    for call in (check_syntax, lambda *arguments: read_query("inns", *arguments)):
        with pytest.raises(ConfigurationError, match="boolean"):
            call("expression", policy)
    with pytest.raises(UnknownPolicyError):
        check_syntax("expression", "onion")


def test_an_expression_object_is_no_text():
    """A tracer would write it down without its AND, OR and NOT."""
    for syntax in ("words", "expression"):
        with pytest.raises(InputError, match="str"):
            read_query(Atom("inns"), syntax, "auto")
