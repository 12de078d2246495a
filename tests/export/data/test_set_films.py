"""What the rules read in a film: sentences of our own, and the table of the real films."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from logic_export.data.sets.films.credits import (
    KnownNames,
    normalise_names,
    read_credits,
    split_names,
)
from logic_export.data.sets.films.films_table import build_films_table, load_films_table
from logic_export.data.sets.films.genres import read_film_type
from logic_export.data.sets.films.places import read_settings
from logic_export.data.sets.films.studios import is_company, read_companies
from logic_export.data.sets.generation import generate_queries

from logic_retrievers.errors import ReadError
from logic_retrievers.queries.expressions import Atom


@pytest.mark.parametrize(
    ("text", "role", "names"),
    [
        ("Ash is a 1931 drama film directed by Ida Mole.", "director", {"Ida Mole"}),
        ("Ash was directed by J. P. O'Hare and Max Elk.", "director", {"J. P. O'Hare", "Max Elk"}),
        ("Ash is a film written and directed by Ida Mole.", "director", {"Ida Mole"}),
        ("Ash is a film written and directed by Ida Mole.", "writer", {"Ida Mole"}),
        ("Ash is a film directed by and starring Ida Mole.", "director", {"Ida Mole"}),
        ("Ash is a film directed by and starring Ida Mole.", "star", {"Ida Mole"}),
        ("Ash, directed by William A. van Dyke, Jr. It is lost.", "director",
         {"William A. van Dyke Jr."}),
        ("Ash is a film by Ida Mole.", "director", set()),
        ("Ash is a remake of the 1920 film Oak directed by Ida Mole.", "director", set()),
        ("Ash was originally to be directed by Ida Mole.", "director", set()),
        ("Ash is a 1931 film. It was not directed by Ida Mole.", "director", set()),
        ("Ash stars Ida Mole. The film was directed by Mole.", "director", {"Ida Mole"}),
        ("Ash stars Ida Mole and Max Mole. It was directed by Mole.", "director", set()),
        ("Ash was produced and directed by Ida Mole.", "producer", {"Ida Mole"}),
        ("Ash was executive produced by Ida Mole.", "producer", set()),
        ("The film stars Ida Mole, Max Elk and Ann d'Arc.", "star",
         {"Ida Mole", "Max Elk", "Ann d'Arc"}),
        ("The film is based on the 1900 novel Oak by Ida Mole.", "author", {"Ida Mole"}),
        ("It is based on Ida Mole's best-selling novel of the same name.", "author", {"Ida Mole"}),
        ("The film is based on a true story told by Ida Mole.", "author", {"Ida Mole"}),
        ("It is based on a novel and was directed by Ida Mole.", "author", set()),
        ("It is based on a screenplay by Ida Mole.", "author", set()),
    ],
)  # fmt: skip
def test_credits(text: str, role: str, names: set[str]) -> None:
    """What another film or a plan is said to have must not become this one's."""
    assert read_credits(normalise_names(text)).stated[role] == names


def test_a_name_outside_the_credits_leaves_its_role_open() -> None:
    known = KnownNames({"Ida Mole", "Max Elk"})
    text = "Ash is a film directed by Ida Mole. It was a favourite of Max Elk's."
    assert read_credits(text).possible_roles(text, known) == {
        "Ida Mole": {"director"},
        "Max Elk": {"director", "writer", "producer", "star", "author"},
    }
    text = "Ash was directed by Joel and Ida Mole."
    found = read_credits(text).possible_roles(text, KnownNames({"Ida Mole", "Joel Mole"}))
    assert found == {"Ida Mole": {"director"}, "Joel Mole": {"director"}}
    text = "Ash stars Ida Mole and Max Mole. It was directed by Mole."
    found = read_credits(text).possible_roles(text, KnownNames({"Ida Mole", "Max Mole"}))
    assert found == {"Ida Mole": {"star", "director"}, "Max Mole": {"star", "director"}}


def test_names_of_a_list() -> None:
    assert split_names(normalise_names("J. Oak, Max Elk, Jr., and A.B. Mole")) == [
        "J. Oak",
        "Max Elk Jr.",
        "A. B. Mole",
    ]
    assert split_names("Max Elk's and Henry F.") == []
    found = KnownNames(["Max Elk Jr.", "Ida Mole"]).mentions('With "Ida Mole", (Max Elk Jr.).')
    assert [name for _, name in found] == ["Ida Mole", "Max Elk Jr."]


@pytest.mark.parametrize(
    ("text", "genres", "true", "doubtful"),
    [
        (
            "Ash is a 1931 American crime drama film directed by Ida Mole.",
            ["Crime", "Drama"],
            {"Crime", "Drama", "American", "1931", "1930s"},
            set(),
        ),
        (
            "Ash is a 1931 British horror film about a musical.",
            ["Drama"],
            {"British", "1931", "1930s"},
            {"Drama", "Horror", "Musical"},
        ),
        (
            "Ash is a 1932 silent film.",
            ["Silent"],
            {"Silent", "1930s"},
            {"American", "1931", "1932"},
        ),
        ("Ash is a 1929 musical.", ["Musical"], {"Musical"},
         {"American", "1931", "1930s", "1929", "1920s"}),
        ("Ash is a comedy about Native American life.", [], set(),
         {"American", "Comedy", "1931", "1930s"}),
        ("Ash is an American comedy-drama. It opened in 1931.", ["Comedy", "Drama"],
         {"American", "Comedy", "Drama", "1931", "1930s"}, set()),
    ],
)  # fmt: skip
def test_sorts(text: str, genres: list[str], true: set[str], doubtful: set[str]) -> None:
    """Metadata and text must agree before a film counts; where they do not, it must not."""
    found = read_film_type(text, 1931, genres)
    assert (found.true, found.unknown) == (true, doubtful)


@pytest.mark.parametrize(
    ("text", "produced", "released"),
    [
        ("Ash was released on May 1, 1931, by RKO Pictures.", set(), {"RKO Radio Pictures"}),
        ("Ash was produced and distributed by Fox Film Corporation.",
         {"Fox Film Corporation"}, {"Fox Film Corporation"}),
        ("It was produced by Ida Mole and released through United Artists.",
         set(), {"United Artists"}),
        ("It was released on video by Paramount Home Video.", set(), set()),
        ("It was originally released by Republic Pictures.", set(), set()),
        ("The series was released by Columbia Pictures.", set(), set()),
    ],
)  # fmt: skip
def test_companies(text: str, produced: set[str], released: set[str]) -> None:
    found = read_companies(text)
    assert (found["produced"][0], found["released"][0]) == (produced, released)


def test_a_company_named_otherwise_is_doubtful() -> None:
    found = read_companies("A Fox picture with Monogram's star, released by 20th Century Fox.")
    assert found["released"] == ({"20th Century Fox"}, {"Fox Film Corporation",
        "Fox Searchlight Pictures", "Monogram Pictures"})  # fmt: skip
    assert is_company("Oak Productions")
    assert not is_company("Ida Mole")


@pytest.mark.parametrize(
    ("text", "stated", "doubtful"),
    [
        ("The film is set in 1930s Chicago.", {"Chicago"}, set()),
        ("It is set mainly in the slums of Paris, France.", {"Paris", "France"}, set()),
        ("Set in London, it was shot in Rome.", {"London"}, {"Rome", "England", "Italy"}),
        ("It was shot on location in New Mexico.", set(), {"New Mexico"}),
        ("It is based on a novel set in Spain.", set(), {"Spain"}),
    ],
)
def test_settings(text: str, stated: set[str], doubtful: set[str]) -> None:
    assert read_settings(text) == (stated, doubtful)


def film(number: int, text: str, *cast: str, genres: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "_id": f"f{number}",
        "title": f"Film {number}",
        "text": text,
        "year": 1931,
        "genres": list(genres),
        "cast": list(cast),
    }


def test_a_star_is_one_where_cast_and_text_agree() -> None:
    stars = "Ash is a 1931 drama film starring Ida Mole."
    rows = [film(n, stars, "Ida Mole", genres=("Drama",)) for n in range(3)]
    rows += [
        film(3, stars),  # the cast does not name her
        film(4, "Ash is a 1931 film.", "Ida Mole"),  # the text does not
        film(5, "Ash is a 1931 film directed by Ida Mole.", "Ida Mole"),  # in another role only
        film(6, "Ash is a 1931 film directed by Max Elk.", "Max Elk"),
    ]
    rows.append({**rows[0], "_id": "copy"})
    table = build_films_table(rows)
    assert "copy" not in table.items
    assert table.truth(Atom("films starring Ida Mole")) == (
        {"f0", "f1", "f2"},
        {"f3", "f4", "f5"},
    )
    assert table.truth(Atom("1931 drama films")) == ({"f0", "f1", "f2"}, {"f3"})
    assert "films directed by Ida Mole" not in table.atoms


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "2: a film needs a 'year'"),
        ({"year": 1931, "genres": "Drama"}, "2: a film needs 'genres'"),
        ({"year": 1931, "genres": [], "cast": [1]}, "2: a film needs 'cast'"),
    ],
)
def test_a_corpus_of_something_else_is_refused(tmp_path: Path, fields: dict, said: str) -> None:
    """A user who names a wrong folder must learn so from its line, not from a KeyError."""
    rows = [film(0, "Ash is a film."), {"_id": "x", "title": "", "text": "y", **fields}]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    with pytest.raises(ReadError, match=said):
        load_films_table(tmp_path)


@pytest.mark.slow
@pytest.mark.data
def test_the_real_films_give_the_queries_that_were_asked_for() -> None:
    """A rule grown too strict starves a template, where it still passes on toy text."""
    table = load_films_table()
    kinds = [truth.kind for truth in table.atoms.values()]
    assert len(table.items) > 34_000
    assert kinds.count("director") > 1500
    assert kinds.count("star") > 4000
    parts = generate_queries(table, {"train": 3500, "dev": 350, "test": 2100}, variants=False)
    assert {part: len(queries) for part, queries in parts.items()} == {
        "train": 3500,
        "dev": 350,
        "test": 2100,
    }
    psycho = Atom("films directed by Alfred Hitchcock") & Atom("films starring Cary Grant")
    assert {table.items[name].title for name in table.truth(psycho)[0]} >= {
        "North by Northwest",
        "Notorious",
    }
