"""A film with an actor, the actor's films that are ruled out, and by what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from logic_retrievers.probe.normalising import places, tokens
from logic_retrievers.probe.sets.film_facts import Film, Films

_Split: TypeAlias = tuple[Sequence[Film], Sequence[Film], str]
"""Films that may be right, films that are ruled out, by what; the latter is empty for a title."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a question is made of.

    Args:
        person: plays in all of the films.
        right: the only one that is not ruled out.
        wrong: those that are, by id.
        ruled_out: by what, as a question says it.
    """

    person: str
    right: Film
    wrong: tuple[Film, ...]
    ruled_out: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of case.

    Args:
        splits: all ways to split an actor's films in two.
        fewest: films that are ruled out, at least.
        most: the same, at most.
    """

    splits: Callable[[str, Films], Iterator[_Split]]
    fewest: int = 2
    most: int = 4

    def draw(self, person: str, known: Films, random: Random) -> Case | None:
        """A case for an actor; None where there is none whose answer is plain."""
        count = random.randint(self.fewest, self.most)
        splits = [one for one in self.splits(person, known) if one[0]]
        random.shuffle(splits)
        for rights, wrongs, named in splits:
            right = random.choice(rights)
            others = [film for film in wrongs if film.id != right.id]
            if len(others) < count:
                continue
            wrong = tuple(sorted(random.sample(others, count), key=lambda film: film.id))
            ruled_out = named or " or ".join(f'"{film.title}"' for film in wrong)
            if _plain(right, wrong, f"{person} {named}"):
                return Case(person, right, wrong, ruled_out)
        return None


def _by_title(person: str, known: Films) -> Iterator[_Split]:
    films = known.starring[person]
    yield films, films, ""


def _by_year(person: str, known: Films) -> Iterator[_Split]:
    films = [film for film in known.starring[person] if film.year is not None]
    for year in sorted({film.year for film in films if film.year is not None}):
        rights = [film for film in films if year not in film.years]
        yield rights, [film for film in films if film.year == year], str(year)


def _by_decade(person: str, known: Films) -> Iterator[_Split]:
    films = [film for film in known.starring[person] if film.year is not None]
    for decade in sorted({film.year // 10 for film in films if film.year is not None}):
        rights = [film for film in films if all(year // 10 != decade for year in film.years)]
        wrongs = [film for film in films if film.year is not None and film.year // 10 == decade]
        yield rights, wrongs, f"{decade}0s"


def _by_fellow(person: str, known: Films) -> Iterator[_Split]:
    films = known.starring[person]
    for fellow in sorted({star for film in films for star in film.stars} - {person}):
        elsewhere = known.naming(fellow)
        rights = [film for film in films if film.id not in elsewhere]
        yield rights, [film for film in films if fellow in film.stars], fellow


def _by_director(person: str, known: Films) -> Iterator[_Split]:
    films = [film for film in known.starring[person] if film.director is not None]
    for director in sorted({film.director for film in films if film.director is not None}):
        elsewhere = known.naming(director)
        rights = [film for film in films if film.id not in elsewhere]
        yield rights, [film for film in films if film.director == director], director


KINDS: Mapping[str, Kind] = {
    "title": Kind(_by_title, fewest=1, most=2),
    "year": Kind(_by_year),
    "not_released": Kind(_by_decade),
    "fellow_actor": Kind(_by_fellow),
    "director": Kind(_by_director),
}
"""Each with the films that it rules out."""


def _plain(right: Film, wrong: Sequence[Film], question: str) -> bool:
    """Whether the right title is long enough to be told from other words, and is in no other."""
    mine = tokens(right.title)
    others = [tokens(question), *(tokens(film.title) for film in wrong)]
    return len(mine) > 1 and not any(places(mine, one) or places(one, mine) for one in others)
