"""Set queries out of a table: what a good one is, and what the parts may not share."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item
from logic_export.data.sets.generation import generate_queries, write_set_queries
from logic_export.data.sets.query_wordings import TEMPLATES, remove_atom
from logic_export.data.sets.sampling import split_atoms

from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.queries.expressions import Expression

COUNTS = {"train": 70, "dev": 21, "test": 50}
SHARES = {"train": 0.4, "dev": 0.3, "test": 0.3}


@pytest.fixture(scope="module")
def table() -> AttributeTable:
    from set_tables import dishes

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
        satisfying, doubtful = table.truth(query.expression)
        assert query.satisfying == tuple(sorted(satisfying))
        assert query.neutral == tuple(sorted(doubtful))
        if "not" in query.template:
            denied = query.expression.args[-1].args[0]
            wanted = remove_atom(query.expression, denied.text)
            assert query.violating == tuple(sorted(table.truth(wanted & denied)[0]))
        else:
            assert query.violating == ()


def test_every_query_is_a_fair_one(parts, table) -> None:
    """Too wide or too narrow a query, or an atom that changes nothing, measures nothing."""
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
            assert rest is None or table.truth(rest)[0] != set(query.satisfying)


def test_parts_share_no_atom_no_name_and_no_wording(parts, table) -> None:
    """A name or a phrase of the training in the test would be remembered, not understood."""
    for one, other in combinations(parts, 2):
        atoms = [{a for q in parts[part] for a in q.expression.atoms} for part in (one, other)]
        assert atoms[0].isdisjoint(atoms[1])
        names = [{table.atoms[atom].value for atom in some} for some in atoms]
        assert names[0].isdisjoint(names[1])
        said = [{q.wording for q in parts[part]} for part in (one, other)]
        assert said[0].isdisjoint(said[1])


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
    """A text that names no distributor would count as an answer to *not released by X*."""
    from set_tables import dishes

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
    with pytest.raises(InputError, match="'a'"):
        generate_queries(poor, {"test": 7}, shares={"train": 0.9999, "test": 0.0001})
    with pytest.raises(InputError, match="'a_and_b'"):
        generate_queries(poor, {"train": 7}, shares={"train": 0.9999, "test": 0.0001})


# --- files


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


def test_a_set_is_not_written_over_another(parts, table, tmp_path: Path) -> None:
    write_set_queries(tmp_path, table.items, {"test": parts["test"]})
    with pytest.raises(ConfigurationError, match="there already"):
        write_set_queries(tmp_path, table.items, parts)
    assert not (tmp_path / "train").exists()


# --- the command


def test_the_command_writes_a_data_set(table, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("typer", reason="the extra cli")
    from logic_export.cli.app import app
    from logic_export.data.sets import films
    from typer.testing import CliRunner

    monkeypatch.setattr(films, "load_films_table", lambda _: table)  # the real one takes minutes
    typed = ["data", "set-queries", str(tmp_path), str(tmp_path / "sets")]
    typed += ["--train", "14", "--dev", "7", "--test", "7"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    assert "test: 7 queries and" in done.output
    assert len(load_dataset(tmp_path / "sets", "train").queries) == 14
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 2
    assert "there already" in done.stderr
