"""Boolean expressions: composed, written, read again, and refused if meaningless."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import ExpressionError
from logic_retrievers.queries.expressions import (
    MAX_DEPTH,
    And,
    Atom,
    Expression,
    Not,
    Or,
    check_searchable,
)

A, B, C = Atom("orchids of Malaysia"), Atom("orchids of Thailand"), Atom("orchids of Laos")

atoms = st.builds(Atom, st.text(min_size=1, max_size=12).filter(str.strip))


def trees_over(atoms):
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
            st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
        ),
        max_leaves=8,
    )


trees = trees_over(atoms)


@given(trees)
def test_what_is_written_reads_back_as_the_same_tree(tree):
    """In the text syntax and in JSON, whatever characters an atom holds."""
    assert Expression.parse(str(tree)) == tree
    assert Expression.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def is_true(node, atoms):
    """Whether an expression is true for a passage that satisfies these atoms."""
    match node:
        case Atom():
            return node.text in atoms
        case Not():
            return not is_true(node.part, atoms)
        case And():
            return all(is_true(part, atoms) for part in node.parts)
    return any(is_true(part, atoms) for part in node.parts)


@given(trees)
def test_only_what_is_anchored_can_be_searched_for(tree):
    """Anchored: false for a passage that satisfies no atom, so the answer is not the corpus."""
    if is_true(tree, ()):
        with pytest.raises(ExpressionError, match="wanted"):
            check_searchable(tree)
    else:
        check_searchable(tree)


@settings(max_examples=500)
@given(trees_over(st.sampled_from("abc").map(Atom)), st.sets(st.sampled_from("abc")))
def test_simplified_it_means_the_same_and_every_not_has_a_score(tree, atoms):
    """A NOT under a NOT or an OR has no score, so its siblings would not count."""
    simple = tree.simplified()
    assert is_true(simple, atoms) == is_true(tree, atoms)
    assert simple.simplified() == simple
    if is_true(tree, ()):  # nothing is wanted
        return
    assert not isinstance(simple, Not)
    for node in simple.walk():
        denied = [arg for arg in node.args if isinstance(arg, Not)]
        assert len(denied) < len(node.args) if isinstance(node, And) else not denied


def test_composed_with_operators():
    """A chain of one operator is one node; the original stays unchanged."""
    both = A & B
    assert both & C == And((A, B, C))
    assert Or((A, B, C)) == A | B | C
    assert And((A, Not(B))) == A & ~B
    assert ~~A == A
    assert both == And([A, B])
    with pytest.raises(AttributeError):
        both.parts = ()
    assert ((A & B) | ~C).atoms == (A.text, B.text, C.text)
    assert (A & B | A).atoms == (A.text, B.text)
    assert (~(A | B) & C).depth == 4
    assert len({A & B, A & B, B & A}) == 2


def test_a_text_is_no_expression_and_python_has_no_operators_for_it():
    """``a and b`` would silently be ``b``."""
    with pytest.raises(ExpressionError, match="compose"):
        bool(A and B)
    with pytest.raises(TypeError):
        A & "orchids"
    with pytest.raises(ExpressionError, match="Atom"):
        Not("orchids")
    with pytest.raises(ExpressionError, match="Atom"):
        And((A, "orchids"))
    with pytest.raises(ExpressionError, match="at least two"):
        Or((A,))
    for nothing in ("", " \n", None, 3):
        with pytest.raises(ExpressionError, match="not empty"):
            Atom(nothing)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('"orchids of Malaysia" AND NOT "orchids of Thailand"', A & ~B),
        ("  orchids   of\nMalaysia ", A),
        ("NOT a OR b AND c", Or((Not(Atom("a")), And((Atom("b"), Atom("c")))))),
        ("(NOT (a OR b)) AND c", And((Not(Or((Atom("a"), Atom("b")))), Atom("c")))),
        ("a AND (b AND c)", And((Atom("a"), And((Atom("b"), Atom("c")))))),
        ("salt and pepper OR mustard", Atom("salt and pepper") | Atom("mustard")),
        (
            "rock & roll OR Yahoo! OR -5 degrees",
            Or((Atom("rock & roll"), Atom("Yahoo!"), Atom("-5 degrees"))),
        ),
        ("“Romeo AND Juliet” OR «Tosca»", Atom("Romeo AND Juliet") | Atom("Tosca")),
        (r'"the \"best\" \\ worst \n"', Atom(r'the "best" \ worst \n')),
    ],
)
def test_the_text_syntax(text, tree):
    """Quoted or bare atoms, with the usual precedence."""
    assert Expression.parse(text) == tree


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "empty"),
        ("a AND", 5, "ends"),
        ("a NOT b", 2, "missing"),
        ("a OR (b AND c", 5, "never closed"),
        ("a) AND b", 1, "closes"),
        ('a AND "b', 6, "never closed"),
        ("a AND b” c", 7, "never began"),
        ("NOT " * 1000 + "a", 256, "too many levels"),
        ("wool and silk", 5, "operator"),
        ("wool AND not silk", 9, "quotation"),
        ("wool AND (moss && silk)", 15, "operator"),
    ],
)
def test_a_syntax_error_points_at_its_place(text, position, problem):
    """A caret marks the first wrong character."""
    with pytest.raises(ExpressionError) as caught:
        Expression.parse(text)
    assert problem in str(caught.value)
    assert caught.value.position == position
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) < 140
    if position < len(text):
        assert shown[caret.index("^")] == text[position]
    else:
        assert caret.index("^") == len(shown)


def test_too_large():
    """200 searches for one query would overload a server."""
    names = [f"atom {n}" for n in range(200)]
    for make in (
        lambda: Expression.parse(" OR ".join(names)),
        lambda: Or(tuple(map(Atom, names))),
        lambda: Expression.from_dict(
            {"op": "or", "args": [{"op": "atom", "text": name} for name in names]}
        ),
    ):
        with pytest.raises(ExpressionError, match="200 atoms"):
            make()
    deep = {"op": "atom", "text": "a"}
    for _ in range(2000):
        deep = {"op": "not", "args": [deep]}
    with pytest.raises(ExpressionError, match="levels"):
        Expression.from_dict(deep)
    with pytest.raises(ExpressionError, match="10,000"):
        Expression.parse("a" * 10_001)
    tall = Atom("a")
    for _ in range(MAX_DEPTH - 1):
        tall = Not(tall)
    with pytest.raises(ExpressionError, match="levels"):
        Not(tall)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "object"),
        ({"op": "xor", "args": []}, "the op 'xor'"),
        ({"op": "atom"}, "not empty"),
        ({"op": "and", "args": "ab"}, "list"),
        ({"op": "not", "args": []}, "NOT"),
        ({"op": "or", "args": [{"op": "atom", "text": "a"}, 3]}, "args[1]"),
    ],
)
def test_an_answer_that_is_no_expression(value, problem):
    """Answers in a language model's forms."""
    with pytest.raises(ExpressionError) as caught:
        Expression.from_dict(value)
    assert problem in str(caught.value)
