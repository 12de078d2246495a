"""Facts that a short text states about a film, and films that may involve a person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from logic_retrievers.evaluation.rows import Row
from logic_retrievers.probe.grading import Tokens, answer_tokens

# Maximum words of a passage.
_MAX_WORDS = 90

_PLAYS = re.compile(r"\b(?:starring|stars|starred|features?|featuring)\b")
_OTHER_CREDIT = re.compile(r"\b(?:directed|written|produced|based|adapted|music|story|version)\b")
_PIECE = r"(?:(?:[A-Z]\.)+|(?![JS]r\b)[A-Z][\w'\-]+)"
_NAME = rf"(?!The\b){_PIECE}(?: {_PIECE}){{1,3}}(?: [JS]r\.)?"
_PERSON = re.compile(_NAME)
_INITIALS = re.compile(r"(?<=\b[A-Z]\.)(?=[A-Z])")
_DIRECTED = re.compile(rf"\bdirected by ({_NAME})")
_YEAR = re.compile(r"\b(?:18[89]|19\d|20[0-2])\d\b")
_SENTENCE_END = re.compile(r"(?<=[a-z\d)\"\u201d][.!?])\s+(?=[A-Z\"\u201c])")
_ABBREVIATION = re.compile(r"\b(?:Jr|Sr|Mr|Mrs|Ms|Dr|St|vs|Wm|Chas|Geo|Co|Inc|Ltd)\.$")
_GENITIVE = re.compile(r"['\u2019]s\b")
_OPENERS = '(["\u201c'
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii"})


@dataclass(frozen=True, slots=True)
class Film:
    """A film, and facts that its passage states unambiguously.

    Args:
        title: the first words of ``text``.
        text: the first whole sentences of the film's text.
        year: year of release; None unless it is the only year in the first sentence.
        years: all years in the text.
        stars: people in the cast according to both text and table.
        director: the director; None if the text does not name exactly one.
    """

    id: str
    title: str
    text: str
    year: int | None
    years: frozenset[int]
    stars: frozenset[str]
    director: str | None


class Films:
    """The films of a table, indexed by the people that they name.

    Of several films with the same text, only the first counts.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.films: dict[str, Film] = {}
        self.starring: dict[str, list[Film]] = {}
        self._films_by_word: dict[str, set[str]] = {}
        self._films_by_last_name: dict[str, set[str]] = {}
        self._films_by_cast: dict[Tokens, set[str]] = {}
        seen: set[str] = set()
        for row in rows:
            name, title, text, year, cast = _validate_row(row)
            if text not in seen:
                seen.add(text)
                self._index(name, text, cast)
                short = _first_sentences(text)
                title_tokens = answer_tokens(title)
                if title_tokens == answer_tokens(short)[: len(title_tokens)]:
                    self._add(_build_film(name, title, short, year, cast))

    def possible_films(self, person: str) -> set[str]:
        """Find films whose cast has a person of this name, or whose text may mean that person.

        A text may give first and last name with anything between them (*Lionel and Ethel
        Barrymore*), or a last name without a first name before it (*Laurel and Hardy*).
        """
        name_tokens = _name_tokens(person)
        first, last = name_tokens[0], name_tokens[-1]
        both = self._films_by_word.get(first, set()) & self._films_by_word.get(last, set())
        in_cast = self._films_by_cast.get(name_tokens, set())
        return in_cast | both | self._films_by_last_name.get(last, set())

    def _index(self, name: str, text: str, cast: Iterable[str]) -> None:
        for person in cast:
            self._films_by_cast.setdefault(_name_tokens(person), set()).add(name)
        for word in set(_text_tokens(text)):
            self._films_by_word.setdefault(word, set()).add(name)
        before = ""
        for piece in text.split():
            bare = piece.lstrip(_OPENERS)
            if bare[:1].isupper() and (bare != piece or not _may_be_first_name(before)):
                self._films_by_last_name.setdefault(_first_token(bare), set()).add(name)
            before = piece

    def _add(self, film: Film) -> None:
        self.films[film.id] = film
        for person in film.stars:
            self.starring.setdefault(person, []).append(film)


def _validate_row(row: Row) -> tuple[str, str, str, int, list[str]]:
    year, cast = row.fields.get("year"), row.fields.get("cast")
    if not isinstance(year, int):
        raise row.error("a film needs a 'year', an integer")
    if not isinstance(cast, list) or not all(isinstance(name, str) for name in cast):
        raise row.error("a film needs a 'cast', a list of names")
    people = [name for name in cast if _PERSON.fullmatch(name)]
    return row.id(), row.text("title"), row.text("text").strip(), year, people


def _build_film(name: str, title: str, text: str, year: int, cast: Iterable[str]) -> Film:
    sentences = _split_sentences(text)
    played = {
        person
        for sentence in sentences
        for after in _PLAYS.split(sentence)[1:]
        for person in _PERSON.findall(_OTHER_CREDIT.split(after)[0])
    }
    opening = {int(match) for match in _YEAR.findall(sentences[0])}
    directors = set(_DIRECTED.findall(text))
    return Film(
        id=name,
        title=title,
        text=text,
        year=year if opening == {year} else None,
        years=frozenset(int(match) for match in _YEAR.findall(text)),
        stars=frozenset(played.intersection(cast)),
        director=directors.pop() if len(directors) == 1 else None,
    )


def _may_be_first_name(piece: str) -> bool:
    """Whether a word may be the first part of a name whose last part is the next word."""
    return (
        piece[:1].isupper()
        and not piece.endswith((",", ";", ":", ")"))
        and (not piece.endswith(".") or len(piece) <= len("Wm."))
    )


def _first_sentences(text: str) -> str:
    """Return as many first sentences as fit in :data:`_MAX_WORDS` words, at least one."""
    chosen: list[str] = []
    for sentence in _split_sentences(text):
        if chosen and len(" ".join([*chosen, sentence]).split()) > _MAX_WORDS:
            break
        chosen.append(sentence)
    return " ".join(chosen)


def _split_sentences(text: str) -> list[str]:
    sentences: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {piece}"
        else:
            sentences.append(piece)
    return sentences


@lru_cache(maxsize=100_000)
def _name_tokens(person: str) -> Tokens:
    """Tokenize a name without suffixes that some texts omit (*Jr.*)."""
    tokens = _text_tokens(person)
    return tuple(word for word in tokens if word not in _SUFFIXES) or tokens


def _text_tokens(text: str) -> Tokens:
    """Tokenize a text with names in one spelling: *W.C. Fields's* is *W. C. Fields*."""
    return answer_tokens(_INITIALS.sub(" ", _GENITIVE.sub("", text)))


@lru_cache(maxsize=100_000)
def _first_token(word: str) -> str:
    return _text_tokens(word)[0]
