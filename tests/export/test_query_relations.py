"""Relations that follow from the operators of two queries alone."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from logic_export.training.logicol import (
    MOST_ATOMS,
    Relation,
    find_relation,
    find_relations,
)

from logic_retrievers.queries.expressions import And, Atom, Expression, Not, Or

ATOMS = "abcd"


def trees():
    return st.recursive(
        st.sampled_from(ATOMS).map(Atom),
        lambda part: (
            part.map(Not)
            | st.lists(part, min_size=2, max_size=3).map(lambda some: And(tuple(some)))
            | st.lists(part, min_size=2, max_size=3).map(lambda some: Or(tuple(some)))
        ),
        max_leaves=6,
    )


def holds(expression: Expression, world: dict[str, bool]) -> bool:
    if isinstance(expression, Atom):
        return world[expression.text]
    found = [holds(arg, world) for arg in expression.args]
    return not found[0] if isinstance(expression, Not) else (
        all(found) if isinstance(expression, And) else any(found)
    )  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(trees(), trees())
def test_relations_are_those_of_all_worlds(one: Expression, other: Expression):
    """Equivalent queries are not subsets; always-true or never-true queries have no relation."""
    worlds = [dict(zip(ATOMS, row, strict=True)) for row in product([False, True], repeat=4)]
    left, right = ({n for n, w in enumerate(worlds) if holds(e, w)} for e in (one, other))
    trivial = any(len(side) in (0, len(worlds)) for side in (left, right))
    found = find_relation(one, other)
    assert (found is Relation.SUBSET) == (not trivial and left < right)
    assert (found is Relation.SUPERSET) == (not trivial and left > right)
    assert (found is Relation.EXCLUSIVE) == (not trivial and not left & right)


def test_too_many_atoms_are_left_alone():
    """A truth table doubles with every atom, so one long query must not stall a run."""
    atoms = [Atom(f"atom {n}") for n in range(MOST_ATOMS)]
    assert find_relation(And(tuple(atoms)), atoms[0]) is Relation.SUBSET
    assert find_relation(And((*atoms, Atom("one more"))), atoms[0]) is None


def test_the_pairs_of_a_batch():
    """A reversed pair would teach that the wide query is the narrow one."""
    texts = ["a OR b", "a AND NOT b", "c", "b", "a AND b", "a", "a OR b"]
    subsets, exclusive = find_relations([Expression.parse(text) for text in texts])
    assert sorted(subsets) == [
        (1, 0), (1, 5), (1, 6), (3, 0), (3, 6), (4, 0), (4, 3), (4, 5), (4, 6), (5, 0), (5, 6),
    ]  # fmt: skip
    assert exclusive == [(1, 3), (1, 4)]
    assert find_relations([]) == ([], [])
