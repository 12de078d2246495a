"""Cases for questions on films: an actor, the right film, and the films that are excluded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from benchmarks.probe_questions.film_facts import Film, Films
from logic_retrievers.probe.normalization import answer_tokens, find_spans

_Split: TypeAlias = tuple[Sequence[Film], Sequence[Film], str]
"""Films that may be right, excluded films, and what excludes them (empty for titles)."""


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a question.

    Args:
        person: plays in all of the films.
        right: the only film that is not excluded.
        wrong: the excluded films, by id.
        ruled_out: what excludes them, as a question says it.
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
        fewest: least number of excluded films.
        most: greatest number.
    """

    splits: Callable[[str, Films], Iterator[_Split]]
    fewest: int = 2
    most: int = 4

    def draw(self, person: str, known: Films, random: Random) -> Case | None:
        """A case for an actor; None where no case has an unambiguous answer."""
        count = random.randint(self.fewest, self.most)
        splits = [split for split in self.splits(person, known) if split[0]]
        random.shuffle(splits)
        for rights, wrongs, excluded_name in splits:
            right = random.choice(rights)
            others = [film for film in wrongs if film.id != right.id]
            if len(others) < count:
                continue
            wrong = tuple(sorted(random.sample(others, count), key=lambda film: film.id))
            ruled_out = excluded_name or " or ".join(f'"{film.title}"' for film in wrong)
            if _is_unambiguous(right, wrong, f"{person} {excluded_name}"):
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
        elsewhere = known.possible_films(fellow)
        rights = [film for film in films if film.id not in elsewhere]
        yield rights, [film for film in films if fellow in film.stars], fellow


def _by_director(person: str, known: Films) -> Iterator[_Split]:
    films = [film for film in known.starring[person] if film.director is not None]
    for director in sorted({film.director for film in films if film.director is not None}):
        elsewhere = known.possible_films(director)
        rights = [film for film in films if film.id not in elsewhere]
        yield rights, [film for film in films if film.director == director], director


KINDS: Mapping[str, Kind] = {
    "title": Kind(_by_title, fewest=1, most=2),
    "year": Kind(_by_year),
    "not_released": Kind(_by_decade),
    "fellow_actor": Kind(_by_fellow),
    "director": Kind(_by_director),
}
"""Name -> kind of question."""


def _is_unambiguous(right: Film, wrong: Sequence[Film], question: str) -> bool:
    """Whether the right title has two tokens or more, and contains or is contained in no other."""
    own = answer_tokens(right.title)
    others = [answer_tokens(question), *(answer_tokens(film.title) for film in wrong)]
    return len(own) > 1 and not any(
        find_spans(own, other) or find_spans(other, own) for other in others
    )
