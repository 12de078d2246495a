"""Which film with an actor is not ruled out: by title, year, decade, fellow actor or director."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation.folders import data_file, existing_folder
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.sets.film_cases import KINDS, Case
from logic_retrievers.probe.sets.film_facts import Film, Films, read_films
from logic_retrievers.probe.sets.film_wordings import WORDINGS

_NEAR = 3
"""Films beside those of a question that are like its right one."""


def film_questions(
    folder: str | os.PathLike[str],
    split: str = "test",  # noqa: ARG001 - builders share a form
    seed: int = 0,
    *,
    count: int = 400,
    films: int = 3000,
) -> ProbeSet:
    """Questions over ``wikipedia_movies`` with exactly one right answer, a title.

    Each names an actor, and rules out all films with him or her in the set but one. That an actor
    plays, the year and the director are stated by the passages, which are the first whole sentences
    of up to 90 words, and agree with the table's fields. A film that may be another one with the
    actor (its cast or any part of its whole text could mean him or her) is left out of the set, so
    that nothing of the set is a second right answer.

    The ruled out films are the wrong answers. Beside them the set holds films with the right ones'
    other actors, and any others.

    Args:
        folder: ``wikipedia_movies``: a path, or a name inside the benchmark folder.
        split: not used; the films have no parts.
        seed: of actors, films and wordings.
        count: how many questions, every kind of :data:`WORDINGS` as often, as far as that goes.
        films: how many passages.

    Raises:
        ConfigurationError: the films do not give so many questions or passages.
        ReadError: the folder cannot be read.
    """
    place = existing_folder(Path(folder))
    file = data_file(place, "corpus.jsonl")
    if file is None:
        raise ReadError("no corpus.jsonl[.gz] in this folder", file=str(place))
    known = read_films(file)
    random = Random(seed)
    cases, banned = _drawn(known, count, random)
    texts = _passages(known, [case for _, case in cases], banned, films, random)
    questions = tuple(_asked(number, *one) for number, one in enumerate(cases))
    return ProbeSet("films", questions, texts)


def _drawn(known: Films, count: int, random: Random) -> tuple[list[tuple[str, Case]], set[str]]:
    """Kinds and cases, and the films that stay out of the set for their sake."""
    people = sorted(known.starring)
    random.shuffle(people)
    waiting = {kind: iter(people) for kind in KINDS}
    used: set[str] = set()
    banned: set[str] = set()
    asked: set[str] = set()
    cases: list[tuple[str, Case]] = []
    while len(cases) < count and waiting:
        for kind in list(waiting)[: count - len(cases)]:
            for person in waiting[kind]:
                case = None if person in asked else KINDS[kind].draw(person, known, random)
                if case is None:
                    continue
                mine = {film.id for film in (case.right, *case.wrong)}
                others = known.naming(person) - mine
                if mine.isdisjoint(banned | used) and others.isdisjoint(used):
                    asked.add(person)
                    used |= mine
                    banned |= others
                    cases.append((kind, case))
                    break
            else:
                del waiting[kind]
    if not 0 < count == len(cases):
        raise ConfigurationError(f"the films give {len(cases)} questions; count is {count}")
    return cases, banned


def _passages(
    known: Films, cases: Sequence[Case], banned: set[str], count: int, random: Random
) -> dict[str, str]:
    """The films of the cases, films that are near them, and any others, by id."""
    chosen = {film.id for case in cases for film in (case.right, *case.wrong)}
    for case in cases:
        near = sorted(_near(case.right, known) - banned - chosen)
        chosen.update(random.sample(near, min(_NEAR, len(near))))
    rest = sorted(known.films.keys() - banned - chosen)
    if not 0 <= count - len(chosen) <= len(rest):
        raise ConfigurationError(
            f"the set may have {len(chosen)} to {len(chosen) + len(rest)} films, not {count}"
        )
    chosen.update(random.sample(rest, count - len(chosen)))
    return {name: known.films[name].text for name in sorted(chosen)}


def _near(film: Film, known: Films) -> set[str]:
    """Films with a fellow actor of a film."""
    return {other.id for star in film.stars for other in known.starring[star]}


def _asked(number: int, kind: str, case: Case) -> ProbeQuestion:
    forms = WORDINGS[kind]
    return ProbeQuestion(
        id=f"film_{number}",
        text=forms[number // len(WORDINGS) % len(forms)].format(
            person=case.person, ruled_out=case.ruled_out
        ),
        gold=(case.right.title,),
        wrong=tuple(dict.fromkeys(film.title for film in case.wrong)),
        kind=kind,
        satisfying=(case.right.id,),
        violating=tuple(film.id for film in case.wrong),
    )
