"""What a short text says of a film, and which films a person may have to do with at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.probe.normalising import Tokens, tokens

_LONGEST = 90
"""Words in a passage."""

_PLAYS = re.compile(r"\b(?:starring|stars|starred|features?|featuring)\b")
_OTHER_CREDIT = re.compile(r"\b(?:directed|written|produced|based|adapted|music|story|version)\b")
_PIECE = r"(?:(?:[A-Z]\.)+|(?![JS]r\b)[A-Z][\w'\-]+)"
_NAME = rf"(?!The\b){_PIECE}(?: {_PIECE}){{1,3}}(?: [JS]r\.)?"
_PERSON = re.compile(_NAME)
_INITIALS = re.compile(r"(?<=\b[A-Z]\.)(?=[A-Z])")
_DIRECTED = re.compile(rf"\bdirected by ({_NAME})")
_YEAR = re.compile(r"\b(?:18[89]|19\d|20[0-2])\d\b")
_BORDER = re.compile(r"(?<=[a-z\d)\"\u201d][.!?])\s+(?=[A-Z\"\u201c])")
_SHORT = re.compile(r"\b(?:Jr|Sr|Mr|Mrs|Ms|Dr|St|vs|Wm|Chas|Geo|Co|Inc|Ltd)\.$")
_GENITIVE = re.compile(r"['\u2019]s\b")
_OPENERS = '(["\u201c'
_YOUNGER = frozenset({"jr", "sr", "ii", "iii"})


@dataclass(frozen=True, slots=True)
class Film:
    """A film, and what its passage states beyond doubt.

    Args:
        id: of the film.
        title: stands in ``text``.
        text: whole sentences, the first of all that is known.
        year: of its release; None where the text gives none, or the table another one.
        years: all that the text names.
        stars: whom the text and the table both name for the cast.
        director: None where the text names none, or speaks of two directors.
    """

    id: str
    title: str
    text: str
    year: int | None
    years: frozenset[int]
    stars: frozenset[str]
    director: str | None


class Films:
    """The films of a table, and where people are named.

    Args:
        rows: of ``_id``, ``title``, ``text``, ``year`` and ``cast``. Of films that share a text the
            first one is kept.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.films: dict[str, Film] = {}
        self.starring: dict[str, list[Film]] = {}
        self._saying: dict[str, set[str]] = {}
        self._alone: dict[str, set[str]] = {}
        self._casting: dict[Tokens, set[str]] = {}
        seen: set[str] = set()
        for row in rows:
            name, title, text, year, cast = _checked(row)
            if text not in seen:
                seen.add(text)
                self._index(name, text, cast)
                short = _cut(text)
                said = tokens(title)
                if said == tokens(short)[: len(said)]:
                    self._add(_read(name, title, short, year, cast))

    def naming(self, person: str) -> set[str]:
        """Films whose cast has a person of this name, or of whom any part of the text may speak.

        A text may do so by first and last name with anything between them (*Lionel and Ethel
        Barrymore*), and by a last name that no first name stands before (*Laurel and Hardy*).
        """
        bare = _bare(person)
        both = self._saying.get(bare[0], set()) & self._saying.get(bare[-1], set())
        return self._casting.get(bare, set()) | both | self._alone.get(bare[-1], set())

    def _index(self, name: str, text: str, cast: Iterable[str]) -> None:
        for person in cast:
            self._casting.setdefault(_bare(person), set()).add(name)
        for word in set(_named(text)):
            self._saying.setdefault(word, set()).add(name)
        before = ""
        for piece in text.split():
            bare = piece.lstrip(_OPENERS)
            if bare[:1].isupper() and (bare != piece or not _first_name(before)):
                self._alone.setdefault(_first_token(bare), set()).add(name)
            before = piece

    def _add(self, film: Film) -> None:
        self.films[film.id] = film
        for person in film.stars:
            self.starring.setdefault(person, []).append(film)


def read_films(path: Path) -> Films:
    """Reads ``corpus.jsonl[.gz]`` of ``wikipedia_movies``.

    Raises:
        ReadError: the file cannot be read, or a row is no film's.
    """
    return Films(json_rows(path))


def _checked(row: Row) -> tuple[str, str, str, int, list[str]]:
    year, cast = row.fields.get("year"), row.fields.get("cast")
    if not isinstance(year, int):
        raise row.error("a film needs a 'year', an integer")
    if not isinstance(cast, list) or not all(isinstance(one, str) for one in cast):
        raise row.error("a film needs a 'cast', a list of names")
    people = [one for one in cast if _PERSON.fullmatch(one)]
    return row.id(), row.text("title"), row.text("text").strip(), year, people


def _read(name: str, title: str, text: str, year: int, cast: Iterable[str]) -> Film:
    sentences = _sentences(text)
    played = {
        person
        for sentence in sentences
        for after in _PLAYS.split(sentence)[1:]
        for person in _PERSON.findall(_OTHER_CREDIT.split(after)[0])
    }
    opening = {int(found) for found in _YEAR.findall(sentences[0])}
    directors = set(_DIRECTED.findall(text))
    return Film(
        id=name,
        title=title,
        text=text,
        year=year if opening == {year} else None,
        years=frozenset(int(found) for found in _YEAR.findall(text)),
        stars=frozenset(played.intersection(cast)),
        director=directors.pop() if len(directors) == 1 else None,
    )


def _first_name(piece: str) -> bool:
    """Whether a word may be the first part of the name that the next word ends."""
    return (
        piece[:1].isupper()
        and not piece.endswith((",", ";", ":", ")"))
        and (not piece.endswith(".") or len(piece) <= len("Wm."))
    )


def _cut(text: str) -> str:
    """The first sentences, as many as :data:`_LONGEST` words hold, and one at least."""
    kept: list[str] = []
    for sentence in _sentences(text):
        if kept and len(" ".join([*kept, sentence]).split()) > _LONGEST:
            break
        kept.append(sentence)
    return " ".join(kept)


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for piece in _BORDER.split(text):
        if found and _SHORT.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


@lru_cache(maxsize=100_000)
def _bare(person: str) -> Tokens:
    """A name without what only some texts write of it."""
    found = _named(person)
    return tuple(word for word in found if word not in _YOUNGER) or found


def _named(text: str) -> Tokens:
    """The tokens of names in one spelling: *W.C. Fields's* is *W. C. Fields*."""
    return tokens(_INITIALS.sub(" ", _GENITIVE.sub("", text)))


@lru_cache(maxsize=100_000)
def _first_token(word: str) -> str:
    return _named(word)[0]
