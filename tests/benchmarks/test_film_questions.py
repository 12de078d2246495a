"""Film questions: facts of a text, films that could mislead, and truth over the real data."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.probe_questions.film_facts import Films
from benchmarks.probe_questions.films import draw_case
from logic_retrievers.evaluation.rows import Row


def film(title: str, text: str, year: int = 1930, cast: str = "") -> dict[str, Any]:
    """A row; ``text`` follows the title."""
    people = cast.split(", ") if cast else []
    return {"_id": title, "title": title, "text": f"{title} {text}", "year": year, "cast": people}


def films(*rows: dict[str, Any]) -> Films:
    return Films(Row(row, Path("corpus.jsonl"), line) for line, row in enumerate(rows, start=1))


def test_facts_of_a_text() -> None:
    text = (
        "is a 1930 film directed by J. P. McGowan. It was based on a 1925 play by Cy Ott. It stars "
        "Ann Lee and Bo Ray Jr., with music by Di Poe."
    )
    known = films(film("Red Owl", text, cast="Ann Lee, Bo Ray Jr., Cy Ott, Di Poe, kids"))
    (result,) = known.films.values()
    assert (result.year, result.years) == (1930, {1930, 1925})
    assert result.director == "J. P. McGowan"
    assert result.stars == {"Ann Lee", "Bo Ray Jr."}


@pytest.mark.parametrize(
    ("text", "cast", "year"),
    [
        ("is a 1931 film. Starring no one.", "Ann Lee", None),
        ("was directed by Al Fox. It was begun, directed by Bo Ray.", "", None),
        ("is a 1930 film starring Ann Leeds.", "Ann Lee", 1930),
    ],
    ids=["year differs", "two directors", "another star"],
)
def test_facts_that_a_text_leaves_open(text, cast, year) -> None:
    """A single source, or two that disagree, must not make a right answer."""
    (result,) = films(film("Owl", text, cast=cast)).films.values()
    assert (result.year, result.director, result.stars) == (year, None, set())


def test_passages_end_with_a_sentence() -> None:
    """No reader sees a fact beyond the cut."""
    text = f"is a film of Geo. Ames. It is {' '.join(['word'] * 80)}. It stars Ann Lee."
    (result,) = films(film("Red Owl", text, cast="Ann Lee")).films.values()
    assert result.text.startswith("Red Owl is a film of Geo. Ames. It is word")
    assert (result.text[-5:], result.stars) == ("word.", set())


def test_films_that_may_be_of_a_person() -> None:
    """A film that stays in the set may be a second right answer."""
    texts = ["after W.C. Fields's debut.", "stars W. Claude Fields.", "stars Laurel and Fields."]
    rows = [film(f"Owl {number}", text) for number, text in enumerate(texts)]
    rows += [film("Owl 3", "", cast="W. C. Fields"), film("Owl 4", "", cast="W. C. Fields Jr.")]
    known = films(*rows, film("Blue Owl", "stars Sally Fields."))
    assert known.possible_films("W. C. Fields") == {f"Owl {number}" for number in range(5)}


TEXT = "is a 1930 film directed by Al Fox and starring Ann Lee and Bo Ray."
CASES = [
    film("Red Owl", TEXT, 1930, "Ann Lee, Bo Ray"),
    film("Blue Owl", TEXT, 1930, "Ann Lee, Bo Ray"),
    film("Grey Sea", "is a 1941 film directed by Cy Ott and starring Ann Lee.", 1941, "Ann Lee"),
]
KINDS = {"year": "1930", "not_released": "1930s", "fellow_actor": "Bo Ray", "director": "Al Fox"}


@pytest.mark.parametrize("kind", KINDS)
def test_cases_by_hand(kind: str) -> None:
    case = None
    for seed in range(20):  # draws as many excluded films as a case may have
        case = draw_case(kind, "Ann Lee", films(*CASES), Random(seed)) or case
    assert case is not None
    assert case.right.id == "Grey Sea"
    assert [one.id for one in case.wrong] == ["Blue Owl", "Red Owl"]
    assert case.ruled_out == KINDS[kind]


@pytest.mark.parametrize(
    ("kind", "title", "text"),
    [
        ("year", "Grey Sea", "is a 1941 film starring Ann Lee. It was shown in 1930."),
        ("fellow_actor", "Grey Sea", "is a 1941 film starring Ann Lee. Ray sings."),
        ("director", "Grey Sea", "is a 1941 film starring Ann Lee, directed by Cy Ott for Al Fox."),
        ("year", "The Ann Lee", "is a 1941 film starring Ann Lee."),
    ],
)
def test_a_film_that_may_be_excluded_is_not_right(kind: str, title: str, text: str) -> None:
    known = films(*CASES[:2], film(title, text, 1941, "Ann Lee"))
    assert not any(draw_case(kind, "Ann Lee", known, Random(seed)) for seed in range(20))
