"""The seven templates and how they are said."""

from __future__ import annotations

from itertools import combinations

import pytest
from logic_export.data.sets.query_wordings import (
    PARTS,
    TEMPLATES,
    WORDINGS,
    remove_atom,
    shared_phrase,
)

from logic_retrievers.queries.expressions import Atom, Expression

A, B, C = "films directed by Raoul Walsh", "1940s war films", "films starring Errol Flynn"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a", f'"{A}"'),
        ("a_and_b", f'"{A}" AND "{B}"'),
        ("a_or_b", f'"{A}" OR "{B}"'),
        ("a_not_b", f'"{A}" AND NOT "{B}"'),
        ("a_and_b_and_c", f'"{A}" AND "{B}" AND "{C}"'),
        ("a_and_b_not_c", f'"{A}" AND "{B}" AND NOT "{C}"'),
        ("a_or_b_or_c", f'"{A}" OR "{B}" OR "{C}"'),
    ],
)
def test_templates_mean_what_their_names_say(name: str, written: str) -> None:
    template = TEMPLATES[name]
    expression = template(*(A, B, C)[: template.arity])
    assert str(expression) == written
    assert Expression.parse(written) == expression


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
        (
            "a_or_b",
            ("films set in Libya", "films set in Tunisia"),
            "films set in Libya or Tunisia",
        ),
        ("a_or_b", ("1930s musical films", "silent films"), "1930s musical or silent films"),
        ("a_or_b", ("1930s musical films", "films starring Y"), None),
        ("a_and_b", ("films starring Y", "1930s musical films"), "1930s musical films starring Y"),
        ("a_and_b", ("silent films", "1930s musical films"), None),
        ("a_not_b", ("silent films", "films starring Y"), "silent films but not starring Y"),
        ("a_not_b", ("films starring Y", "silent films"), None),
        (
            "a_or_b_or_c",
            ("films starring Y", "films starring Z", "films starring W"),
            "films starring Y, Z or W",
        ),
        (
            "a_and_b_not_c",
            ("films directed by X", "silent films", "films starring Y"),
            "silent films directed by X but not starring Y",
        ),
        ("a_or_b", ("orchids of Laos", "films starring Y"), None),
        ("a_or_b", ("films", "films starring Y"), None),
    ],
)
def test_shared_heads(name: str, atoms: tuple[str, ...], phrase: str | None) -> None:
    """A head shared where it cannot be changes what a query asks for, and its truth is another."""
    assert shared_phrase(TEMPLATES[name], atoms, "films") == phrase


def test_names_are_never_shared() -> None:
    """Films of John Ford and of John Huston are not *films by John Ford or Huston*."""
    atoms = ("films by John Ford", "films by John Huston")
    assert shared_phrase(TEMPLATES["a_or_b"], atoms, "films") == (
        "films by John Ford or John Huston"
    )


def test_no_wording_is_in_two_parts() -> None:
    """A test in the words of the training measures what was learnt by heart."""
    for one, other in combinations(PARTS, 2):
        for template in TEMPLATES:
            names = [{w.name for w in WORDINGS[part][template]} for part in (one, other)]
            assert names[0].isdisjoint(names[1]), template


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_has_many_wordings(template: str) -> None:
    train, dev, test = (WORDINGS[part][template] for part in PARTS)
    assert len(train) >= 5
    assert len(dev) >= 2
    assert len(test) >= 4
    verbatim = [wording for wording in test if not wording.shared_heads]
    assert len(verbatim) >= len(test) / 2


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_wordings_hold_their_atoms(part: str, template: str) -> None:
    atoms = (A, B, C)[: TEMPLATES[template].arity]
    for wording in WORDINGS[part][template]:
        said = wording.render(atoms, "films")
        if wording.shared_heads:
            continue
        assert said is not None
        assert all(atom.casefold() in said.casefold() for atom in atoms), said
        assert "{" not in said
        assert said[0].isupper() == (said[-1] in ".?!") or said[0].isdigit(), said


def test_a_name_that_ends_in_a_stop_does_not_make_two_or_a_sentence() -> None:
    plain, sentence = WORDINGS["train"]["a"][:2]
    assert plain.render(["films starring Alan Hale Jr."], "films") == "films starring Alan Hale Jr."
    assert sentence.render(["films of Warner Bros."], "films") == "Find films of Warner Bros."
