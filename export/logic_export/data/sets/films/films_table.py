"""The attribute table of the films: its atoms, and the films that each holds for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any

from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item
from logic_export.data.sets.films.credits import KnownNames, normalise_names, read_credits
from logic_export.data.sets.films.genres import (
    MAX_FILMS,
    MIN_FILMS,
    film_type_atoms,
    read_film_type,
)
from logic_export.data.sets.films.places import read_settings
from logic_export.data.sets.films.studios import is_company, read_companies
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import Row, json_rows

_PEOPLE = {
    "director": "films directed by {}",
    "writer": "films written by {}",
    "producer": "films produced by {}",
    "star": "films starring {}",
    "author": "films based on works by {}",
}
_OPEN_KINDS = ("director", "writer", "producer", "author", "produced", "released", "setting")
"""Kinds that a text may omit: one in seven names no director, two in three no writer."""

_COMPANIES = {"produced": "films produced by {}", "released": "films released by {}"}


def load_films_table(folder: Path | None = None) -> AttributeTable:
    """The table of ``wikipedia_movies``.

    Args:
        folder: holds ``corpus.jsonl.gz`` with rows of ``_id``, ``title``, ``text``, ``year``,
            ``genres`` and ``cast``; None: that of the benchmark data.

    Raises:
        ReadError: no such folder or file, or a bad row.
    """
    directory = data_folder() / "wikipedia_movies" if folder is None else folder
    return build_films_table(_read_film(row) for row in json_rows(directory / "corpus.jsonl.gz"))


def _read_film(row: Row) -> dict[str, Any]:
    """The validated fields of a film's row."""
    if not isinstance(row.fields.get("year"), int):
        raise row.error("a film needs a 'year', an integer")
    for name in ("genres", "cast"):
        values = row.fields.get(name)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise row.error(f"a film needs {name!r}, a list of names")
    return {**row.fields, "_id": row.id(), "title": row.text("title"), "text": row.text("text")}


def build_films_table(rows: Iterable[Mapping[str, Any]]) -> AttributeTable:
    """A table over such rows; films with equal title and text are merged into the first.

    Raises:
        InputError: no film, or no atom that holds for one.
    """
    films: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        films.setdefault((row["title"], row["text"]), row)
    films_by_id = {str(row["_id"]): row for row in films.values()}
    atoms = {
        **film_type_atoms(
            {
                name: read_film_type(row["text"], row["year"], row["genres"])
                for name, row in films_by_id.items()
            }
        ),
        **_people_atoms(films_by_id),
        **_company_atoms(films_by_id),
        **_setting_atoms(films_by_id),
    }
    items = {name: Item(row["title"], row["text"]) for name, row in films_by_id.items()}
    return AttributeTable(items, atoms, noun="films", open_kinds=_OPEN_KINDS)


class _AtomCollector:
    """Collects atoms that hold for a suitable number of films."""

    def __init__(self) -> None:
        self.found: dict[str, AtomTruth] = {}

    def add(self, wording: str, value: str, true: Set[str], unknown: Set[str], kind: str) -> None:
        if MIN_FILMS <= len(true) <= MAX_FILMS:
            truth = AtomTruth(frozenset(true), frozenset(unknown), kind, value)
            self.found[wording.format(value)] = truth


def _invert(
    values_of_film: Mapping[str, tuple[Set[str], Set[str]]],
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Value -> the films that have it, and those that may have it."""
    sides: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
    for film, values_by_side in values_of_film.items():
        for side, values in zip(sides, values_by_side, strict=True):
            for value in values:
                side.setdefault(value, set()).add(film)
    return sides


def _people_atoms(films: Mapping[str, Mapping[str, Any]]) -> dict[str, AtomTruth]:
    """A star is true where both the cast and the text name it, and the text not only in another
    role.
    """
    texts = {film: normalise_names(row["text"]) for film, row in films.items()}
    casts = {film: {normalise_names(name) for name in row["cast"]} for film, row in films.items()}
    credits_of = {film: read_credits(text) for film, text in texts.items()}
    claims: dict[tuple[str, str], set[str]] = {}
    for film, film_credits in credits_of.items():
        for role, names in film_credits.stated.items():
            for name in names:
                if not is_company(name):
                    claims.setdefault((role, name), set()).add(film)
        for name in casts[film]:
            if " " in name:
                claims.setdefault(("star", name), set()).add(film)
    frequent = {key: claimed for key, claimed in claims.items() if len(claimed) >= MIN_FILMS}
    known_names = KnownNames({name for _, name in frequent})
    possible: dict[tuple[str, str], set[str]] = {}
    for film, film_credits in credits_of.items():
        for name, roles in film_credits.possible_roles(texts[film], known_names).items():
            for role in roles:
                possible.setdefault((role, name), set()).add(film)
    atoms = _AtomCollector()
    for (role, name), claimed in sorted(frequent.items()):
        possible_films = possible.get((role, name), set())
        true = claimed
        if role == "star":
            true = {film for film in claimed & possible_films if name in casts[film]}
        atoms.add(_PEOPLE[role], name, true, (claimed | possible_films) - true, role)
    return atoms.found


def _company_atoms(films: Mapping[str, Mapping[str, Any]]) -> dict[str, AtomTruth]:
    atoms = _AtomCollector()
    read = {film: read_companies(row["text"]) for film, row in films.items()}
    for verb, wording in _COMPANIES.items():
        true, unknown = _invert(
            {film: companies_by_verb[verb] for film, companies_by_verb in read.items()}
        )
        for name in sorted(true):
            atoms.add(wording, name, true[name], unknown.get(name, set()), verb)
    return atoms.found


def _setting_atoms(films: Mapping[str, Mapping[str, Any]]) -> dict[str, AtomTruth]:
    atoms = _AtomCollector()
    true, unknown = _invert({film: read_settings(row["text"]) for film, row in films.items()})
    for place in sorted(true):
        atoms.add("films set in {}", place, true[place], unknown.get(place, set()), "setting")
    return atoms.found
