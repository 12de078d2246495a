"""Questions on films: which film with an actor is left once a title, year or person is excluded?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.probe_questions.film_facts import Film, Films
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.datasets import existing_folder, required_file
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.probe import ProbeQuestion, ProbeSet
from logic_retrievers.probe.grading import answer_tokens, find_spans

# Number of films per question with further actors of the right film.
RELATED_FILMS = 3

# Kind of question -> a plain and a natural form, which take turns.
WORDINGS: Mapping[str, tuple[str, ...]] = {
    "title": (
        "Which film starring {person} is not {ruled_out}?",
        "Apart from {ruled_out}, which film has {person} in it?",
        "Which film other than {ruled_out} does {person} star in?",
        "I don't want to see {ruled_out} again. What else is there with {person}?",
    ),
    "year": (
        "Which film starring {person} is not from {ruled_out}?",
        "I want a film with {person}, but nothing from {ruled_out}. Which one is there?",
        "Excluding films of {ruled_out}, which film stars {person}?",
        "What film did {person} make in any year except {ruled_out}?",
    ),
    "not_released": (
        "Which film starring {person} was not released in the {ruled_out}?",
        "Which of the films with {person} didn't come out in the {ruled_out}?",
        "Which film starring {person} does not date from the {ruled_out}?",
        "Is there a film with {person} that wasn't made in the {ruled_out}? What is it called?",
    ),
    "fellow_actor": (
        "Which film stars {person} but not {ruled_out}?",
        "I'm looking for a film with {person} that {ruled_out} isn't in. What is it called?",
        "Which film starring {person} does not star {ruled_out}?",
        "What did {person} star in without {ruled_out}?",
    ),
    "director": (
        "Which film starring {person} was not directed by {ruled_out}?",
        "I'd like a film with {person}, just not one that {ruled_out} directed. Which is there?",
        "Which film starring {person} has a director other than {ruled_out}?",
        "What did {person} star in when someone other than {ruled_out} was directing?",
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A person, that person's only film that is not excluded, and the excluded films.

    ``ruled_out`` holds the question's words that exclude films.
    """

    person: str
    right: Film
    wrong: tuple[Film, ...]
    ruled_out: str


def film_questions(
    folder: str | os.PathLike[str],
    split: str = "test",  # noqa: ARG001 - builders share a signature
    seed: int = 0,
    *,
    count: int = 400,
    films: int = 3000,
) -> ProbeSet:
    """Make questions over ``wikipedia_movies`` with exactly one right answer, a title.

    Each question names an actor and excludes all but one of the set's films with that actor. A
    passage holds a film's first whole sentences, up to 90 words. Passages state the cast, year and
    director that a question uses, in agreement with the table's fields. Any further film whose cast
    or whole text could mean the actor is left out, so that no second answer is right.

    The excluded films are the wrong answers. The set also holds films with the right films' other
    actors, and random films.

    Args:
        folder: ``wikipedia_movies``: a path, or a name inside the benchmark folder.
        split: ignored; the films have no parts.
        seed: seeds the draw of actors and films.
        count: number of questions, spread evenly over the kinds of :data:`WORDINGS`.
        films: number of passages.
    """
    root = existing_folder(Path(folder))
    known, random = Films(json_rows(required_file(root, "corpus.jsonl"))), Random(seed)
    cases, banned = _draw_cases(known, count, random)
    passages = _select_passages(known, [case for _, case in cases], banned, films, random)
    questions = []
    for number, (kind, case) in enumerate(cases):
        forms = WORDINGS[kind]
        wording = forms[number // len(WORDINGS) % len(forms)]
        questions.append(
            ProbeQuestion(
                id=f"film_{number}",
                text=wording.format(person=case.person, ruled_out=case.ruled_out),
                gold=(case.right.title,),
                wrong=tuple(dict.fromkeys(film.title for film in case.wrong)),
                kind=kind,
                satisfying=(case.right.id,),
                violating=tuple(film.id for film in case.wrong),
            )
        )
    return ProbeSet("films", tuple(questions), passages)


def draw_case(kind: str, person: str, known: Films, random: Random) -> Case | None:
    """Draw a case for an actor; return None if none has an unambiguous answer."""
    count = random.randint(1, 2) if kind == "title" else random.randint(2, 4)
    splits = [split for split in _splits(kind, person, known) if split[0]]
    random.shuffle(splits)
    for rights, wrongs, name in splits:
        right = random.choice(rights)
        others = [film for film in wrongs if film.id != right.id]
        if len(others) < count:
            continue
        wrong = tuple(sorted(random.sample(others, count), key=lambda film: film.id))
        ruled_out = name or " or ".join(f'"{film.title}"' for film in wrong)
        if _is_unambiguous(right, wrong, f"{person} {name}"):
            return Case(person, right, wrong, ruled_out)
    return None


def _splits(kind: str, person: str, known: Films) -> Iterator[tuple[list[Film], list[Film], str]]:
    """Yield films that may be right, films to exclude, and the excluding words ("" for titles)."""
    films = known.starring[person]
    years = {film.id: film.year for film in films if film.year is not None}
    dated = [film for film in films if film.id in years]
    if kind == "title":
        yield films, films, ""
    elif kind == "year":
        for year in sorted(set(years.values())):
            rights = [film for film in dated if year not in film.years]
            yield rights, [film for film in dated if film.year == year], str(year)
    elif kind == "not_released":
        for decade in sorted({year // 10 for year in years.values()}):
            rights = [film for film in dated if all(year // 10 != decade for year in film.years)]
            wrongs = [film for film in dated if years[film.id] // 10 == decade]
            yield rights, wrongs, f"{decade}0s"
    elif kind == "fellow_actor":
        for fellow in sorted({star for film in films for star in film.stars} - {person}):
            elsewhere = known.possible_films(fellow)
            rights = [film for film in films if film.id not in elsewhere]
            yield rights, [film for film in films if fellow in film.stars], fellow
    else:
        directed = [film for film in films if film.director is not None]
        for director in sorted({film.director for film in directed if film.director is not None}):
            elsewhere = known.possible_films(director)
            rights = [film for film in directed if film.id not in elsewhere]
            yield rights, [film for film in directed if film.director == director], director


def _is_unambiguous(right: Film, wrong: Sequence[Film], question: str) -> bool:
    """Whether the right title has at least two tokens and stands apart from all other texts.

    The title must not contain the question or a wrong title, nor be contained in one.
    """
    own = answer_tokens(right.title)
    others = [answer_tokens(question), *(answer_tokens(film.title) for film in wrong)]
    return len(own) > 1 and not any(
        find_spans(own, other) or find_spans(other, own) for other in others
    )


def _draw_cases(
    known: Films, count: int, random: Random
) -> tuple[list[tuple[str, Case]], set[str]]:
    """Draw pairs (kind, case); also return the films that must stay out of the set."""
    people = sorted(known.starring)
    random.shuffle(people)
    candidates = {kind: iter(people) for kind in WORDINGS}
    used: set[str] = set()
    banned: set[str] = set()
    used_people: set[str] = set()
    cases: list[tuple[str, Case]] = []
    while len(cases) < count and candidates:
        for kind in list(candidates)[: count - len(cases)]:
            for person in candidates[kind]:
                case = None if person in used_people else draw_case(kind, person, known, random)
                if case is None:
                    continue
                own = {film.id for film in (case.right, *case.wrong)}
                others = known.possible_films(person) - own
                if own.isdisjoint(banned | used) and others.isdisjoint(used):
                    used_people.add(person)
                    used |= own
                    banned |= others
                    cases.append((kind, case))
                    break
            else:
                del candidates[kind]
    if not 0 < count == len(cases):
        raise ConfigurationError(f"the films give {len(cases)} questions; count is {count}")
    return cases, banned


def _select_passages(
    known: Films, cases: Sequence[Case], banned: set[str], count: int, random: Random
) -> dict[str, str]:
    """Select films of the cases, related films and random films; return id -> text."""
    chosen = {film.id for case in cases for film in (case.right, *case.wrong)}
    for case in cases:
        sharing = {film.id for star in case.right.stars for film in known.starring[star]}
        related = sorted(sharing - banned - chosen)
        chosen.update(random.sample(related, min(RELATED_FILMS, len(related))))
    rest = sorted(known.films.keys() - banned - chosen)
    if not 0 <= count - len(chosen) <= len(rest):
        raise ConfigurationError(
            f"the set may have {len(chosen)} to {len(chosen) + len(rest)} films, not {count}"
        )
    chosen.update(random.sample(rest, count - len(chosen)))
    return {name: known.films[name].text for name in sorted(chosen)}
