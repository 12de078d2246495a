"""``ParsedQuery.also_excluding``: a caller's exclusions added to the query's own."""

from __future__ import annotations

import pytest

from logic_retrievers import (
    Atom,
    AutoPolicy,
    BooleanPolicy,
    ConstraintParser,
    Expression,
    ParsedQuery,
)
from logic_retrievers.errors import EmptyTextError, ExpressionError, InputError
from logic_retrievers.queries.parsed_query import MAX_EXCLUDED


def test_a_query_without_exclusion_becomes_one():
    for text in ("a cake recipe", "metals that do not rust"):
        parsed = ConstraintParser().parse(text).also_excluding(["nuts", "milk"])
        assert (parsed.kind, parsed.text, parsed.wanted) == ("exclusion", text, text)
        assert parsed.excluded == ("nuts", "milk")
        assert parsed.with_expression().expression == Atom(text) & ~Atom("nuts") & ~Atom("milk")
        assert (parsed.rule, parsed.cue) == ("caller", "")
        assert parsed.constraint == 1  # the caller's list needs no reading


def test_an_exclusion_gets_more():
    own = ConstraintParser().parse("a cake without Nuts")
    assert own.also_excluding([]) is own
    parsed = own.also_excluding(["nuts", "milk", "MILK ", "milk"])
    assert parsed.excluded == ("Nuts", "milk")
    assert (parsed.text, parsed.wanted, parsed.rule) == (own.text, own.wanted, own.rule)
    assert own.constraint <= parsed.constraint == 1
    german = ConstraintParser().parse("eine Suppe ohne Sellerie")
    more = german.also_excluding(["Lauch"])
    assert more.cue == german.cue == "ohne"


def test_an_expression_gets_and_not_each():
    stated = ParsedQuery.stating(Expression.parse("(cake OR bread) AND NOT nuts"))
    parsed = stated.also_excluding(["Nuts", "milk"])
    assert parsed.kind == "expression"
    assert parsed.expression == Expression.parse("(cake OR bread) AND NOT nuts AND NOT milk")
    assert parsed.wanted == stated.wanted
    bare = ParsedQuery.stating(Atom("cake")).also_excluding(["milk"])
    assert bare.expression == Atom("cake") & ~Atom("milk")


def test_too_many():
    """Beyond an expression's 32 atoms, `boolean` would ignore every exclusion."""
    many = [str(n) for n in range(MAX_EXCLUDED)]
    assert ParsedQuery("cake").also_excluding(many).with_expression().expression is not None
    with pytest.raises(InputError, match="at most 31"):
        ParsedQuery("cake").also_excluding([*many, "nuts"])
    with pytest.raises(InputError, match="excludes 32 texts"):
        ParsedQuery.excluding("cake", ["nuts"]).also_excluding(many)
    two = ParsedQuery.stating(Atom("cake") & Atom("bread"))
    with pytest.raises(ExpressionError, match="32"):
        two.also_excluding(many)


def test_a_query_longer_than_an_expression_may_be():
    """Only ``boolean`` needs an expression; others take a document as query."""
    query = ParsedQuery("x " * 6000).also_excluding(["nuts"])
    assert AutoPolicy().route(query).query is query
    with pytest.raises(ExpressionError, match="10,000"):
        BooleanPolicy().route(query)


@pytest.mark.parametrize(
    ("texts", "error"),
    [("nuts", InputError), (None, InputError), ([1], InputError), ([""], EmptyTextError)],
)
def test_what_is_no_list_of_texts(texts, error):
    with pytest.raises(error):
        ParsedQuery("cake").also_excluding(texts)
