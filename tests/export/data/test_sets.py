"""Set queries: truth of expressions, their wordings, and data sets generated from a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonl_files import write_rows
from logic_export.cli.app import app
from logic_export.data.sets import films
from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries, write_set_queries
from logic_export.data.sets.query_wordings import (
    PARTS,
    TEMPLATES,
    WORDINGS,
    remove_atom,
    shared_phrase,
)
from logic_export.data.sets.sampling import split_atoms
from typer.testing import CliRunner

from logic_retrievers.errors import ConfigurationError, InputError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.queries.expressions import And, Atom, Expression, Not, Or

COUNTS = {"train": 70, "dev": 21, "test": 50}
SHARES = {"train": 0.4, "dev": 0.3, "test": 0.3}

# --- truth

ITEMS = [f"i{number}" for number in range(12)]
ATOMS = ["red things", "old things", "things of Rome", "things"]
VALUES = (True, None, False)


def expressions() -> st.SearchStrategy[Expression]:
    leaf = st.sampled_from(ATOMS).map(Atom)

    def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return several.map(And) | several.map(Or) | inner.map(Not)

    return st.recursive(leaf, grown, max_leaves=8)


def truth(table: AttributeTable, expression: Expression) -> tuple[frozenset[str], frozenset[str]]:
    """Return the satisfying items and the unknown items."""
    masks = table.masks(expression)
    return table.ids_of(masks.true), table.ids_of(masks.unknown)


def judged(expression: Expression, known: dict[str, bool | None]) -> bool | None:
    """Evaluate an expression for a single item by Kleene's tables, written out in full."""
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
    expression: Expression, known: dict[str, list[bool | None]]
) -> None:
    """Unknown items must stay unknown, also under NOT; otherwise answers are silently wrong."""
    table = AttributeTable(
        {name: Item(name, "") for name in ITEMS},
        {
            atom: AtomTruth(
                frozenset(i for i, value in zip(ITEMS, values, strict=True) if value is True),
                frozenset(i for i, value in zip(ITEMS, values, strict=True) if value is None),
                "kind",
            )
            for atom, values in known.items()
        },
        noun="things",
    )
    wanted = {
        name: judged(expression, {atom: known[atom][number] for atom in ATOMS})
        for number, name in enumerate(ITEMS)
    }
    satisfying, doubtful = truth(table, expression)
    assert satisfying == {name for name, value in wanted.items() if value is True}
    assert doubtful == {name for name, value in wanted.items() if value is None}


# --- wordings

A, B, C = "films directed by Raoul Walsh", "1940s war films", "films starring Errol Flynn"


def test_templates_mean_what_their_names_say() -> None:
    written = {
        "a": f'"{A}"',
        "a_and_b": f'"{A}" AND "{B}"',
        "a_or_b": f'"{A}" OR "{B}"',
        "a_not_b": f'"{A}" AND NOT "{B}"',
        "a_and_b_and_c": f'"{A}" AND "{B}" AND "{C}"',
        "a_and_b_not_c": f'"{A}" AND "{B}" AND NOT "{C}"',
        "a_or_b_or_c": f'"{A}" OR "{B}" OR "{C}"',
    }
    for name, template in TEMPLATES.items():
        assert str(template(*(A, B, C)[: template.arity])) == written[name]


def test_taking_an_atom_out() -> None:
    expression = (Atom("a") & ~Atom("b")) | Atom("c")
    assert remove_atom(expression, "b") == Atom("a") | Atom("c")
    assert remove_atom(expression, "a") == ~Atom("b") | Atom("c")
    assert remove_atom(expression, "c") == Atom("a") & ~Atom("b")
    assert remove_atom(Atom("a"), "a") is None
    assert remove_atom(~Atom("a"), "a") is None


@pytest.mark.parametrize(
    ("name", "atoms", "phrase"),
    [
        ("a_or_b", "films set in Libya/films set in Tunisia", "films set in Libya or Tunisia"),
        ("a_or_b", "1930s musical films/silent films", "1930s musical or silent films"),
        ("a_or_b", "1930s musical films/films starring Y", None),
        ("a_and_b", "films starring Y/1930s musical films", "1930s musical films starring Y"),
        ("a_and_b", "silent films/1930s musical films", None),
        ("a_not_b", "silent films/films starring Y", "silent films but not starring Y"),
        ("a_not_b", "films starring Y/silent films", None),
        ("a_or_b_or_c", "films by Y/films by Z/films by W", "films by Y, Z or W"),
        ("a_and_b_not_c", "films by X/silent films/films on Y", "silent films by X but not on Y"),
        # parts of names are never shared: films of John Ford and of John Huston
        ("a_or_b", "films by John Ford/films by John Huston", "films by John Ford or John Huston"),
        ("a_or_b", "orchids of Laos/films starring Y", None),
        ("a_or_b", "films/films starring Y", None),
    ],
)
def test_shared_heads(name: str, atoms: str, phrase: str | None) -> None:
    """A wrongly shared head noun would change the query's meaning, but not its labels."""
    assert shared_phrase(TEMPLATES[name], atoms.split("/"), "films") == phrase


def test_no_wording_is_in_two_parts_and_each_template_has_many() -> None:
    """Testing with training wordings would measure memorisation."""
    for template in TEMPLATES:
        train, dev, test = (WORDINGS[part][template] for part in PARTS)
        assert (len(train) >= 5, len(dev) >= 2, len(test) >= 4) == (True, True, True)
        for one, other in combinations((train, dev, test), 2):
            assert {w.name for w in one}.isdisjoint(w.name for w in other), template
        assert sum(not wording.shared_heads for wording in test) >= len(test) / 2


def test_wordings_hold_their_atoms() -> None:
    for part, template in ((part, name) for part in PARTS for name in TEMPLATES):
        atoms = (A, B, C)[: TEMPLATES[template].arity]
        for wording in WORDINGS[part][template]:
            if not wording.shared_heads:
                said = wording.render(atoms, "films")
                assert all(atom.casefold() in said.casefold() for atom in atoms), said
                assert "{" not in said
                assert said[0].isupper() == (said[-1] in ".?!") or said[0].isdigit(), said


def test_a_name_that_ends_in_a_stop_does_not_make_two_or_a_sentence() -> None:
    plain, sentence = WORDINGS["train"]["a"][:2]
    assert plain.render(["films starring Alan Hale Jr."], "films") == "films starring Alan Hale Jr."
    assert sentence.render(["films of Warner Bros."], "films") == "Find films of Warner Bros."


# --- queries

ORIGINS = 160


def dishes(open_kinds: tuple[str, ...] = ()) -> AttributeTable:
    """Make a table where each origin has few ingredients and courses, so atoms often co-occur."""
    random = Random(0)
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    doubtful: dict[str, set[str]] = defaultdict(set)
    for number in range(2400):
        dish, origin = f"d{number}", random.randrange(ORIGINS)
        holders[f"dishes from origin{origin}", "origin", f"origin{origin}"].add(dish)
        for _ in range(2):
            stuff = f"stuff{(origin + random.randrange(4)) % ORIGINS}"
            holders[f"dishes with {stuff}", "stuff", stuff].add(dish)
        course = f"course{(origin // 2 + random.randrange(2)) % 80}"
        holders[f"{course} dishes", "course", course].add(dish)
        doubtful[f"dishes with stuff{random.randrange(500)}"].add(dish)
    atoms = {
        atom: AtomTruth(frozenset(true - doubtful[atom]), frozenset(doubtful[atom]), kind, value)
        for (atom, kind, value), true in sorted(holders.items())
    }
    items = {f"d{n}": Item(f"Dish {n}", f"It is the dish of number {n}.") for n in range(2400)}
    return AttributeTable(items, atoms, noun="dishes", open_kinds=open_kinds)


@pytest.fixture(scope="module")
def table() -> AttributeTable:
    return dishes()


@pytest.fixture(scope="module")
def parts(table: AttributeTable):
    return generate_queries(table, COUNTS, seed=3, shares=SHARES)


def test_templates_share_the_number_equally(parts) -> None:
    for part, count in COUNTS.items():
        found = Counter(query.template for query in parts[part] if not query.variant)
        assert found.total() == count
        assert set(found) == set(TEMPLATES)
        assert max(found.values()) - min(found.values()) <= 1


def test_labels_are_what_the_table_says(parts, table) -> None:
    for query in (query for queries in parts.values() for query in queries):
        satisfying, doubtful = truth(table, query.expression)
        assert query.satisfying == tuple(sorted(satisfying))
        assert query.neutral == tuple(sorted(doubtful))
        if "not" in query.template:
            denied = query.expression.args[-1].args[0]
            wanted = remove_atom(query.expression, denied.text)
            assert query.violating == tuple(sorted(truth(table, wanted & denied)[0]))
        else:
            assert query.violating == ()


def test_every_query_is_a_fair_one(parts, table) -> None:
    """Too broad or narrow a query, or one with a redundant atom, would measure nothing."""
    for queries in parts.values():
        assert len({query.id for query in queries}) == len(queries)
        meant = [str(query.expression) for query in queries if not query.variant]
        assert len(set(meant)) == len(meant)
    for query in (q for queries in parts.values() for q in queries if not q.variant):
        assert 3 <= len(query.satisfying) <= 50
        assert len(query.neutral) <= 50
        assert len(query.violating) >= 3 or "not" not in query.template
        for atom in query.expression.atoms:
            rest = remove_atom(query.expression, atom)
            assert rest is None or truth(table, rest)[0] != set(query.satisfying)


def test_parts_share_no_atom_and_no_name(parts, table) -> None:
    """A test with names from training would measure memorisation."""
    for one, other in combinations(parts, 2):
        atoms = [{a for q in parts[part] for a in q.expression.atoms} for part in (one, other)]
        assert atoms[0].isdisjoint(atoms[1])
        names = [{table.atoms[atom].value for atom in some} for some in atoms]
        assert names[0].isdisjoint(names[1])


def test_variants_are_the_same_atoms_in_other_forms(parts) -> None:
    groups: dict[str, list] = {}
    for query in (query for queries in parts.values() for query in queries):
        groups.setdefault(query.group, []).append(query)
    for group, queries in groups.items():
        first, *variants = queries
        assert (first.id, first.variant) == (group, False)
        assert len({str(query.expression) for query in queries}) == len(queries)
        for query in variants:
            assert query.variant
            assert query.satisfying
            assert set(query.expression.atoms) <= set(first.expression.atoms)
    forms = {q.template for q in parts["train"] if q.variant}
    assert forms == set(TEMPLATES)


def test_the_same_seed_gives_the_same_queries(parts, table) -> None:
    assert generate_queries(table, COUNTS, seed=3, shares=SHARES) == parts
    other = generate_queries(table, COUNTS, seed=4, shares=SHARES, variants=False)
    assert {part: len(queries) for part, queries in other.items()} == COUNTS
    assert other["dev"] != tuple(query for query in parts["dev"] if not query.variant)


def test_what_silence_says_nothing_of_is_never_ruled_out() -> None:
    """A text that omits the distributor must not count as an answer to *not released by X*."""
    queries = generate_queries(dishes(open_kinds=("stuff", "course")), {"test": 70}, shares=SHARES)[
        "test"
    ]
    denied = [query.expression.args[-1].args[0] for query in queries if "not" in query.template]
    assert denied
    assert all(atom.text.startswith("dishes from") for atom in denied)


def test_an_atom_stays_in_its_part_when_others_come() -> None:
    atoms = [f"atom {number}" for number in range(1000)]
    few, many = (split_atoms({one: one for one in some}, seed=1) for some in (atoms[:500], atoms))
    for part, found in few.items():
        assert set(found) <= set(many[part])
    assert sum(map(len, many.values())) == 1000
    assert 330 < len(many["test"]) < 430
    assert many != split_atoms({one: one for one in atoms}, seed=2)
    roles = {f"{said} {n}": str(n) for said in ("directed by", "starring") for n in range(50)}
    for found in split_atoms(roles).values():
        assert {f"directed by {roles[one]}" for one in found} <= set(found)


def test_a_poor_table_says_what_it_gives(table) -> None:
    with pytest.raises(ConfigurationError, match="test"):
        generate_queries(table, {"test": 6})
    poor = AttributeTable(
        {f"x{n}": Item("", str(n)) for n in range(5)},
        {"things of Rome": AtomTruth(frozenset({"x0", "x1", "x2"}), frozenset(), "place")},
        noun="things",
    )
    with pytest.raises(InputError, match="'a_and_b'"):
        generate_queries(poor, {"train": 7}, shares={"train": 0.9999, "test": 0.0001})


# --- files and the command


def test_the_written_set_is_read_as_any_other(parts, table, tmp_path: Path) -> None:
    for name in ("dishes", "again"):
        write_set_queries(tmp_path / name, table.items, parts)
    files, again = (
        [path.read_bytes() for path in sorted((tmp_path / name).rglob("*.gz"))]
        for name in ("dishes", "again")
    )
    assert files == again
    assert len(files) == 7
    test = load_dataset(tmp_path / "dishes", "test")
    assert test.name == "dishes/test"
    assert load_dataset(tmp_path / "dishes" / "test").name == "dishes/test"
    assert len(test.documents) == len(table.items)
    wanted = [query for query in parts["test"] if not query.variant]
    assert len(test.queries) == len(wanted) == COUNTS["test"]
    for read, query in zip(test.queries, wanted, strict=True):
        assert (read.id, read.text) == (query.id, query.text)
        assert read.satisfying == set(query.satisfying)
        assert read.violating == set(query.violating)
        assert read.neutral == set(query.neutral)
        assert Expression.from_dict(read.extra["expression"]) == query.expression
        assert read.extra["group"] == query.group
    variants = load_dataset(tmp_path / "dishes", "test_variants").queries
    assert {query.extra["group"] for query in variants} <= {query.id for query in wanted}


def test_the_command_writes_a_data_set(table, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(films, "load_films_table", lambda _: table)  # the real table takes minutes
    typed = ["data", "set-queries", str(tmp_path), str(tmp_path / "sets")]
    typed += ["--train", "14", "--dev", "7", "--test", "7"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    assert "test: 7 queries and" in done.output
    assert len(load_dataset(tmp_path / "sets", "train").queries) == 14
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 2
    assert "there already" in done.stderr


# --- the real films


def test_a_corpus_of_something_else_is_refused(tmp_path: Path) -> None:
    """Atoms refer to films by position, so with a different corpus every answer would be wrong."""
    row = {"_id": "f0", "title": "Ash", "text": "Ash is a film."}
    write_rows(tmp_path / "corpus.jsonl.gz", [row])
    with pytest.raises(ReadError, match="wikipedia_movies"):
        load_films_table(tmp_path)
    with pytest.raises(ReadError):
        load_films_table(tmp_path / "none")


@pytest.mark.slow
@pytest.mark.data
def test_the_real_films_give_the_queries_that_were_asked_for() -> None:
    """With too few atoms, a template would get fewer queries than requested."""
    table = load_films_table()
    kinds = [truth.kind for truth in table.atoms.values()]
    assert (len(table.items), len(kinds)) == (34_365, 18_125)
    assert (kinds.count("director"), kinds.count("star")) == (2072, 5640)
    counts = {"train": 1750, "dev": 350, "test": 1050}  # half of what the command makes; all of dev
    parts = generate_queries(table, counts, variants=False)
    assert {part: len(queries) for part, queries in parts.items()} == counts
    both = Atom("films directed by Alfred Hitchcock") & Atom("films starring Cary Grant")
    titles = {table.items[name].title for name in truth(table, both)[0]}
    assert titles >= {"North by Northwest", "Notorious"}
    assert truth(table, Atom("films directed by Alfred Hitchcock"))[1]
