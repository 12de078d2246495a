"""Attribute tables: three-valued truth of expressions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.sets.attribute_table import (
    AtomTruth,
    AttributeTable,
    Item,
)

from logic_retrievers.queries.expressions import And, Atom, Expression, Not, Or

ITEMS = [f"i{number}" for number in range(12)]
ATOMS = ["red things", "old things", "things of Rome", "things"]
VALUES = (True, None, False)


def expressions() -> st.SearchStrategy[Expression]:
    leaf = st.sampled_from(ATOMS).map(Atom)

    def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return several.map(And) | several.map(Or) | inner.map(Not)

    return st.recursive(leaf, grown, max_leaves=8)


def judged(expression: Expression, known: dict[str, bool | None]) -> bool | None:
    """Kleene's tables for a single item, written as they stand in the books."""
    if isinstance(expression, Atom):
        return known[expression.text]
    values = [judged(part, known) for part in expression.args]
    if isinstance(expression, Not):
        return None if values[0] is None else not values[0]
    if isinstance(expression, And):
        return False if False in values else None if None in values else True
    return True if True in values else None if None in values else False


@given(
    expressions(),
    st.fixed_dictionaries(
        {
            atom: st.lists(st.sampled_from(VALUES), min_size=len(ITEMS), max_size=len(ITEMS))
            for atom in ATOMS
        }
    ),
)
def test_sets_agree_with_kleenes_tables_item_by_item(
    expression: Expression, truth: dict[str, list[bool | None]]
) -> None:
    """A doubtful item that slips into an answer, or out of one by a NOT, spoils both silently."""
    table = AttributeTable(
        {name: Item(name, "") for name in ITEMS},
        {
            atom: AtomTruth(
                frozenset(i for i, value in zip(ITEMS, values, strict=True) if value is True),
                frozenset(i for i, value in zip(ITEMS, values, strict=True) if value is None),
                "kind",
            )
            for atom, values in truth.items()
        },
        noun="things",
    )
    wanted = {
        name: judged(expression, {atom: truth[atom][number] for atom in ATOMS})
        for number, name in enumerate(ITEMS)
    }
    satisfying, doubtful = table.truth(expression)
    assert satisfying == {name for name, value in wanted.items() if value is True}
    assert doubtful == {name for name, value in wanted.items() if value is None}
