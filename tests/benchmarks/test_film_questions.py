"""Questions on films: what a text states, who is in the way, and truth over the real data."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.probe_questions import film_questions
from benchmarks.probe_questions.film_cases import KINDS
from benchmarks.probe_questions.film_facts import Films
from benchmarks.probe_questions.films import WORDINGS
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import data_folder
from logic_retrievers.evaluation.rows import Row
from logic_retrievers.probe.normalization import answer_tokens, find_spans


def film(title: str, text: str, year: int = 1930, cast: str = "", name: str = "") -> dict[str, Any]:
    """A row; ``text`` goes on behind the title."""
    return {
        "_id": name or title,
        "title": title,
        "text": f"{title} {text}",
        "year": year,
        "cast": cast.split(", ") if cast else [],
    }


def films(*rows: dict[str, Any]) -> Films:
    return Films(Row(row, Path("corpus.jsonl"), line) for line, row in enumerate(rows, start=1))


def test_what_a_text_states() -> None:
    text = (
        "is a 1930 film directed by J. P. McGowan. It was based on a 1925 play by Cy Ott. It stars "
        "Ann Lee and Bo Ray Jr., with music by Di Poe."
    )
    known = films(film("Red Owl", text, cast="Ann Lee, Bo Ray Jr., Cy Ott, Di Poe, kids"))
    (result,) = known.films.values()
    assert result.text == f"Red Owl {text}"
    assert (result.year, result.years) == (1930, {1930, 1925})
    assert result.director == "J. P. McGowan"
    assert result.stars == {"Ann Lee", "Bo Ray Jr."}


@pytest.mark.parametrize(
    ("row", "year", "director", "stars"),
    [
        (film("Owl", "is a 1931 film. Starring no one.", cast="Ann Lee"), None, None, set()),
        (film("Owl", "is a film of 1930, remade from 1911."), None, None, set()),
        (
            film("Owl", "was directed by Al Fox. It was begun, directed by Bo Ray."),
            None,
            None,
            set(),
        ),
        (film("Owl", "is a 1930 film with Ann Lee.", cast="Ann Lee"), 1930, None, set()),
        (film("Owl", "is a 1930 film starring Ann Leeds.", cast="Ann Lee"), 1930, None, set()),
        (film("Owl", "is a 1930 film starring Ann Lee."), 1930, None, set()),
    ],
)
def test_what_a_text_leaves_open(
    row: dict[str, Any], year: int | None, director: str | None, stars: set[str]
) -> None:
    """One source alone, or two that disagree, make a right answer that is none."""
    (result,) = films(row).films.values()
    assert (result.year, result.director, result.stars) == (year, director, stars)


def test_passages_end_with_a_sentence() -> None:
    """A fact beyond the cut is one that no reader sees."""
    long = " ".join(["word"] * 80)
    text = f"is a film of Geo. Ames. It is {long}. It stars Ann Lee."
    (result,) = films(film("Red Owl", text, cast="Ann Lee")).films.values()
    assert result.text == f"Red Owl is a film of Geo. Ames. It is {long}."
    assert result.stars == set()


def test_films_that_cannot_be_told_by_their_text() -> None:
    """A title that the passage does not say cannot be read from it; copies are one."""
    known = films(
        film("Red Owl", "is a film."),
        film("Red Owl", "is a film.", name="copy"),
        {**film("Blue Owl", ""), "text": "Another title is a film."},
    )
    assert list(known.films) == ["Red Owl"]


@pytest.mark.parametrize(
    ("text", "cast"),
    [
        ("stars nobody.", "W. C. Fields"),
        ("was made after W.C. Fields's debut.", ""),
        ("stars W. Claude Fields.", ""),
        ("stars Laurel and Fields.", ""),
        ("(Fields) is a film.", ""),
        ("stars nobody.", "W. C. Fields Jr."),
    ],
)
def test_films_that_may_be_of_a_person(text: str, cast: str) -> None:
    """One that stays in the set may be a second right answer."""
    known = films(film("Red Owl", text, cast=cast), film("Blue Owl", "stars Sally Fields."))
    assert known.possible_films("W. C. Fields") == {"Red Owl"}


CAST = "Ann Lee, Bo Ray"
CASES = [
    film(
        "Red Owl", "is a 1930 film directed by Al Fox and starring Ann Lee and Bo Ray.", 1930, CAST
    ),
    film("Blue Owl", "is a 1930 film directed by Al Fox and starring Ann Lee, Bo Ray.", 1930, CAST),
    film("Grey Sea", "is a 1941 film directed by Cy Ott and starring Ann Lee.", 1941, "Ann Lee"),
]


@pytest.mark.parametrize(
    ("kind", "ruled_out"),
    [
        ("year", "1930"),
        ("not_released", "1930s"),
        ("fellow_actor", "Bo Ray"),
        ("director", "Al Fox"),
    ],
)
def test_cases_by_hand(kind: str, ruled_out: str) -> None:
    case = None
    for seed in range(20):  # as many of the ruled out films are drawn as a case may have
        case = KINDS[kind].draw("Ann Lee", films(*CASES), Random(seed)) or case
    assert case is not None
    assert case.right.id == "Grey Sea"
    assert [film_.id for film_ in case.wrong] == ["Blue Owl", "Red Owl"]
    assert case.ruled_out == ruled_out


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("year", "is a 1941 film starring Ann Lee. It was shown in 1930."),
        ("year", "is a film starring Ann Lee."),
        ("not_released", "is a 1941 film starring Ann Lee. It was begun in 1938."),
        ("fellow_actor", "is a 1941 film starring Ann Lee. Ray sings."),
        ("director", "is a 1941 film starring Ann Lee, directed by Cy Ott for Al Fox."),
        ("director", "is a 1941 film starring Ann Lee."),
    ],
)
def test_a_film_that_may_be_ruled_out_is_not_right(kind: str, text: str) -> None:
    known = films(*CASES[:2], film("Grey Sea", text, 1941, "Ann Lee"))
    draws = (KINDS[kind].draw("Ann Lee", known, Random(seed)) for seed in range(20))
    assert not any(draws)


@pytest.mark.parametrize("title", ["Owl", "Red Owl Two", "The Ann Lee"])
def test_titles_that_cannot_be_told_from_other_words(title: str) -> None:
    """Whoever says the one says the other."""
    right = film(title, "is a 1941 film starring Ann Lee.", 1941, "Ann Lee")
    known = films(*CASES[:2], right)
    for seed in range(20):
        case = KINDS["title"].draw("Ann Lee", known, Random(seed))
        assert case is None or case.right.id != title or "Red Owl" not in case.ruled_out
        assert not KINDS["year"].draw("Ann Lee", known, Random(seed))


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "corpus.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_what_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no corpus\.jsonl\[\.gz\] in this folder"):
        film_questions(tmp_path)
    folder = written(tmp_path / "films", CASES)
    with pytest.raises(ConfigurationError, match="the films give 1 questions; count is 2"):
        film_questions(folder, count=2)
    with pytest.raises(ConfigurationError, match="the set may have 3 to 3 films, not 9"):
        film_questions(folder, count=1, films=9)
    for field, value in (("year", "1930"), ("cast", "Ann Lee")):
        written(folder, [CASES[0], {**CASES[1], field: value}])
        with pytest.raises(ReadError, match=rf"corpus\.jsonl:2: a film needs a '{field}'"):
            film_questions(folder)


@pytest.mark.slow
@pytest.mark.data
def test_the_real_set() -> None:
    """No passage of the set but the right one may be an answer; the same seed, the same set."""
    try:
        data_folder()
    except ReadError as error:
        pytest.skip(str(error))
    result = film_questions("wikipedia_movies")
    assert Counter(question.kind for question in result.questions) == dict.fromkeys(WORDINGS, 80)
    assert len(result.passages) == 3000
    forms = {kind: [_pattern(wording) for wording in WORDINGS[kind]] for kind in WORDINGS}
    tokens = {name: answer_tokens(text) for name, text in result.passages.items()}
    for one in result.questions:
        (match,) = filter(None, (form.fullmatch(one.text) for form in forms[one.kind]))
        person = answer_tokens(match["person"])
        mine = {*one.satisfying, *one.violating}
        assert {name for name, text in tokens.items() if find_spans(person, text)} == mine
        (right,) = one.satisfying
        ruled_out = match["ruled_out"]
        if one.kind == "not_released":
            assert not [word for word in tokens[right] if re.fullmatch(rf"{ruled_out[:3]}\d", word)]
        elif one.kind != "title":
            assert not find_spans(answer_tokens(ruled_out), tokens[right])
            assert all(find_spans(answer_tokens(ruled_out), tokens[name]) for name in one.violating)
        assert find_spans(answer_tokens(one.gold[0]), tokens[right])
        assert all(
            any(find_spans(answer_tokens(title), tokens[n]) for n in mine) for title in one.wrong
        )
    assert result == film_questions("wikipedia_movies")


def _pattern(form: str) -> re.Pattern[str]:
    text = re.escape(form)
    for name in ("person", "ruled_out"):
        text = text.replace(rf"\{{{name}\}}", f"(?P<{name}>.+)")
    return re.compile(text)
