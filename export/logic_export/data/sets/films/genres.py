"""Genre, country and year of films, and the atoms over them: ``1917 silent Western films``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from logic_export.data.files import read_toml
from logic_export.data.sets.attribute_table import AtomTruth

_FORMS = read_toml(__package__, "names.toml")["genres"]
ADJECTIVES = {
    **{name: name.lower() for name in _FORMS},
    "Biography": "biographical",
    "Romance": "romantic",
    "Satire": "satirical",
    "Western": "Western",
}
"""Genre -> its adjective before ``films``."""

COUNTRIES = read_toml(__package__, "names.toml")["countries"]
_GENRES = tuple(_FORMS)
_GENRE_ALIASES = {"Sport": "Sports"}
_GENRE_WORDS = re.compile(
    r"\b(?:" + "|".join(f"({form})" for form in _FORMS.values()) + r")\b", re.IGNORECASE
)
# "Native American" and "African American" are not about a film's country
_COUNTRY_WORDS = re.compile(
    rf"(?<!Native )(?<!African[- ])(?<!North )(?<!South )\b(?:{'|'.join(COUNTRIES)})\b"
)
_DEFINITION = re.compile(
    r" (?:is|was) (?:an?|the|one of the)\b(.{0,160}?)(?=\b(?:directed|starring|stars|produced|"
    r"written|released|based|about|set|which|that|who|made|from|by|with|co-\w+|distributed|adapted|"
    r"created|featuring|where|loosely|filmed|shot|and (?:the|was))\b|[.;(]|, (?:an?|the)\b|$)"
)
_YEAR = re.compile(r"\b(?:18[89]|19\d|20[0-2])\d\b")


@dataclass(frozen=True, slots=True)
class FilmType:
    """Properties of a film (``Drama``, ``British``, ``1917``) that are true or unknown."""

    true: frozenset[str]
    unknown: frozenset[str]


def read_film_type(text: str, year: int, genres: Iterable[str]) -> FilmType:
    """Genres, countries, year and decade (``1910s``) of a film.

    A genre is true where the metadata and the text's definition (*X is a 1917 American silent drama
    film*) both name it; unknown where only one of them does, or another sentence. A country is true
    where the definition names it. Films without a country are unknown for American, since they come
    from a list of American films. A year is true where the text gives it and its definition gives
    no other year.
    """
    definition = _DEFINITION.search(text)
    defined = definition[1] if definition else ""
    claimed = {_GENRE_ALIASES.get(genre, genre) for genre in genres}
    stated = _mentioned_genres(defined)
    mentioned = _mentioned_genres(text)
    true = claimed & stated
    unknown = (claimed | mentioned) - true

    countries = set(_COUNTRY_WORDS.findall(defined))
    mentioned = set(_COUNTRY_WORDS.findall(text))
    true |= countries
    unknown |= mentioned - countries | (set() if countries else {"American"})

    years, own_year = set(_YEAR.findall(defined)), str(year)
    certain = own_year in text and years <= {own_year}
    possible = {time for each in years | {own_year} for time in (each, _decade(each))}
    if certain:
        true |= possible
    elif years and {_decade(time) for time in years} == {_decade(own_year)}:
        true.add(_decade(own_year))
        unknown |= possible - true
    else:
        unknown |= possible
    return FilmType(frozenset(true), frozenset(unknown - true))


def _mentioned_genres(text: str) -> set[str]:
    return {
        _GENRES[(match.lastindex or 1) - 1]
        for match in _GENRE_WORDS.finditer(text)
        if match.lastindex
    }


def _decade(year: str) -> str:
    return f"{year[:3]}0s"


MIN_FILMS = 3
MAX_FILMS = 1500
"""Bounds of the number of films that an atom holds for."""

_POSITION = {name: place for place, name in enumerate([*COUNTRIES, "Silent", "Animated"])}
_LAST = dict.fromkeys(("Drama", "Comedy", "Western", "Short", "Documentary", "Musical"), 1)


def film_type_atoms(types: Mapping[str, FilmType]) -> dict[str, AtomTruth]:
    """Atoms for every combination of properties that holds for a suitable number of films.

    One to three properties: at most one year or decade, at most one country, at least one genre.
    All are of one kind, ``genre``, since two of them would repeat what they share.
    """
    true: dict[str, set[str]] = {}
    possible: dict[str, set[str]] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for name, film_type in types.items():
        for value in film_type.true:
            true.setdefault(value, set()).add(name)
        for value in film_type.true | film_type.unknown:
            possible.setdefault(value, set()).add(name)
        counts.update(_combinations(film_type))
    atoms = {}
    for parts, count in sorted(counts.items()):
        if MIN_FILMS <= count <= MAX_FILMS:
            true_films = _common(parts, true)
            possible_films = _common(parts, possible)
            atoms[_atom_text(parts)] = AtomTruth(true_films, possible_films - true_films, "genre")
    return atoms


def _combinations(film_type: FilmType) -> Iterator[tuple[str, ...]]:
    times = sorted(value for value in film_type.true if value[0].isdigit())
    countries = sorted(value for value in film_type.true if value in COUNTRIES)
    genres = sorted((value for value in film_type.true if value in ADJECTIVES), key=_genre_order)
    for time in [None, *times]:
        for country in [None, *countries]:
            first = tuple(value for value in (time, country) if value is not None)
            for genre_count in range(1, 4 - len(first)):
                for subset in combinations(genres, genre_count):
                    yield (*first, *subset)


def _genre_order(genre: str) -> tuple[int, int, str]:
    return _LAST.get(genre, 0), _POSITION.get(genre, len(_POSITION)), genre


def _common(parts: tuple[str, ...], by_property: Mapping[str, set[str]]) -> frozenset[str]:
    smallest, *others = sorted((by_property[value] for value in parts), key=len)
    return frozenset(smallest.intersection(*others))


def _atom_text(parts: tuple[str, ...]) -> str:
    return " ".join([*(ADJECTIVES.get(value, value) for value in parts), "films"])
