"""Attribute tables: three-valued truth of expressions, and tables out of rows."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.sets.attribute_table import (
    AtomTruth,
    AttributeTable,
    Item,
    mask_numbers,
    to_mask,
)
from logic_export.data.sets.table_from_rows import Attribute, table_from_rows

from logic_retrievers.errors import ConfigurationError, DuplicateIdError, InputError
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


@given(st.sets(st.integers(0, 500)))
def test_masks_hold_the_numbers_they_were_made_of(given_numbers: set[int]) -> None:
    assert list(mask_numbers(to_mask(given_numbers, 501))) == sorted(given_numbers)


def test_a_table_from_a_csv_file() -> None:
    file = io.StringIO(
        "code,name,about,origin,with,perhaps\n"
        "0,Lobio,A stew.,Georgia,beans; nuts,\n"
        "1,Satsivi,A sauce.,Georgia,nuts,garlic\n"
        "2,Fabada,A stew.,Spain,beans,nuts\n"
    )
    table = table_from_rows(
        csv.DictReader(file),
        [
            Attribute("origin", "dishes from {}", "origin"),
            Attribute("with", "dishes with {}", "stuff", unknown="perhaps", separator=";"),
        ],
        noun="dishes",
        id_column="code",
        title_column="name",
        text_column="about",
    )
    assert table.items["0"] == Item("Lobio", "A stew.")
    assert table.atoms["dishes with nuts"] == AtomTruth(
        frozenset({"0", "1"}), frozenset({"2"}), "stuff", "nuts"
    )
    without_nuts = Atom("dishes with beans") & ~Atom("dishes with nuts")
    assert table.truth(without_nuts) == (frozenset(), {"2"})
    assert table.truth(Atom("dishes from Spain") | Atom("dishes with nuts"))[0] == {"0", "1", "2"}


def test_numbers_lists_and_empty_cells_are_values_too() -> None:
    rows = [{"_id": 1, "year": 0, "of": ["a", "a", ""]}, {"_id": 2, "year": None, "of": None}]
    table = table_from_rows(
        rows, [Attribute("year", "year {}", "year"), Attribute("of", "{} things", "of")], noun="x"
    )
    assert {text: truth.true for text, truth in table.atoms.items()} == {
        "year 0": {"1"},
        "a things": {"1"},
    }


ORIGIN = Attribute("origin", "dishes from {}", "origin")


@pytest.mark.parametrize(
    ("rows", "attributes", "error", "said"),
    [
        ([{"_id": 1}], [ORIGIN], ConfigurationError, "origin"),
        ([{"origin": "Rome"}], [ORIGIN], InputError, "row 1"),
        ([{"_id": 1, "origin": "Rome"}] * 2, [ORIGIN], DuplicateIdError, "row 2"),
        ([{"_id": 1, "origin": ""}], [ORIGIN], InputError, "items"),
        (
            [{"_id": 1, "origin": "Rome"}],
            [ORIGIN, Attribute("origin", "dishes from {}", "place")],
            ConfigurationError,
            "place",
        ),
    ],
)
def test_rows_that_make_no_table(rows, attributes, error, said) -> None:
    with pytest.raises(error, match=said):
        table_from_rows(rows, attributes, noun="dishes")


@pytest.mark.parametrize("wording", ["dishes", "{} dishes from {}"])
def test_a_wording_needs_one_place_for_the_value(wording: str) -> None:
    with pytest.raises(ConfigurationError, match=r"needs one \{\}"):
        Attribute("origin", wording, "origin")


def test_truth_that_contradicts_itself_is_refused() -> None:
    one = frozenset({"x"})
    with pytest.raises(InputError, match="both"):
        AtomTruth(one, one, "kind")
    with pytest.raises(InputError, match="item"):
        AttributeTable({"y": Item("", "")}, {"a": AtomTruth(one, frozenset(), "k")}, noun="n")
    table = AttributeTable({"x": Item("", "")}, {"a": AtomTruth(one, frozenset(), "k")}, noun="n")
    with pytest.raises(InputError, match="'b'"):
        table.truth(Atom("a") & ~Atom("b"))
    with pytest.raises(InputError, match="white space"):
        AttributeTable({"x": Item("", "")}, {"a ": AtomTruth(one, frozenset(), "k")}, noun="n")
    with pytest.raises(InputError, match="kind"):
        AtomTruth(one, frozenset(), " ")
