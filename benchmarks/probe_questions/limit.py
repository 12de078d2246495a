"""Questions on LIMIT: who likes A but not B? Passages are short enough for small readers."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from random import Random

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.probe import ProbeQuestion, ProbeSet
from logic_retrievers.probe.grading import answer_tokens

# Kind of question -> wording.
WORDINGS: Mapping[str, str] = {
    "but_not": "Who likes {a} but not {b}?",
    "does_not": "Who likes {a} and does not like {b}?",
    "without": "Who likes {a} without liking {b}?",
    "except": "Who likes {a}, except for those who also like {b}?",
    "excluding": "Excluding everyone who likes {b}, who likes {a}?",
    "no_fan": "Which person likes {a} and is no fan of {b}?",
    "must_not": "I need somebody who likes {a}, but they must not like {b}. Who is it?",
}

_DOCUMENT = re.compile(r"(?P<person>.+?) likes (?P<things>.+?)(?: and (?P<last>.+?))?\.")


def limit_questions(
    folder: str | os.PathLike[str],
    split: str = "test",
    seed: int = 0,
    *,
    count: int = 280,
    likes: int = 12,
) -> ProbeSet:
    """Make questions over ``limit_small`` with exactly one right answer.

    A reader of half a billion parameters cannot handle 45 likes per person, so the passages are
    shortened. Some things are drawn at random, the same for all people, so that no person likes
    more than ``likes`` of them. Each passage names only the drawn things that its person likes. The
    shortened passages define the labels: the only person who likes A and not B is the answer. Each
    person who likes both is a wrong answer, with a ``violating`` passage.

    A thing is left out if only one person likes it, or if a different thing contains its words
    (*Chess*, *Chess Boxing*), because a passage about one could be taken for the other.

    Args:
        folder: ``limit_small``: a path, or a name inside the benchmark folder.
        split: the part to read, if the folder has parts.
        seed: seeds the draw of things and pairs.
        count: number of questions, spread evenly over the kinds of :data:`WORDINGS`.
        likes: maximum number of things in a passage.
    """
    dataset = load_dataset(folder, split)
    random = Random(seed)
    people = dict(map(_parse_document, dataset.documents.items()))
    kept_things = _draw_things(people, likes, random)
    shortened = {
        name: (person, [thing for thing in things if thing in kept_things])
        for name, (person, things) in people.items()
    }
    liking = _documents_by_thing({name: things for name, (_, things) in shortened.items()})
    pairs = sorted(_find_pairs(liking))
    if not 0 < count <= len(pairs):
        raise ConfigurationError(
            f"{dataset.name} gives {len(pairs)} pairs with one right answer; count is {count}"
        )
    passages = {
        name: f"{person} likes {_join_list(things)}."
        for name, (person, things) in shortened.items()
        if things
    }
    questions = []
    kinds = cycle(WORDINGS.items())
    for number, (a, b) in enumerate(random.sample(pairs, count)):
        kind, wording = next(kinds)
        right, wrong = sorted(liking[a] - liking[b]), sorted(liking[a] & liking[b])
        questions.append(
            ProbeQuestion(
                id=f"limit_{number}",
                text=wording.format(a=a, b=b),
                gold=tuple(shortened[name][0] for name in right),
                wrong=tuple(shortened[name][0] for name in wrong),
                kind=kind,
                satisfying=tuple(right),
                violating=tuple(wrong),
            )
        )
    return ProbeSet("limit", tuple(questions), passages)


def _parse_document(document: tuple[str, str]) -> tuple[str, tuple[str, list[str]]]:
    """Parse a document into its id, the person, and the things that the person likes."""
    name, text = document
    match = _DOCUMENT.fullmatch(text)
    if match is None:
        raise ReadError(f"the document {name!r} is not of the form 'NAME likes X, Y and Z.'")
    things = match["things"].split(", ")
    return name, (match["person"], things + ([match["last"]] if match["last"] else []))


def _draw_things(
    people: Mapping[str, tuple[str, list[str]]], likes: int, random: Random
) -> frozenset[str]:
    """Draw things at random until no further thing fits in all passages."""
    liking = _documents_by_thing({name: things for name, (_, things) in people.items()})
    unambiguous = _unambiguous_things(liking)
    things = sorted(thing for thing in unambiguous if len(liking[thing]) > 1)
    random.shuffle(things)
    free = dict.fromkeys(people, likes)
    chosen = set()
    for thing in things:
        if all(free[name] for name in liking[thing]):
            chosen.add(thing)
            for name in liking[thing]:
                free[name] -= 1
    return frozenset(chosen)


def _unambiguous_things(things: Iterable[str]) -> Iterator[str]:
    """Yield the things whose words are not all part of a different thing."""
    sets = {thing: frozenset(answer_tokens(thing)) for thing in things}
    counts = Counter(word for each in sets.values() for word in each)
    for thing, own in sets.items():
        unique = any(counts[word] == 1 for word in own)
        if own and (unique or not any(own <= other for k, other in sets.items() if k != thing)):
            yield thing


def _documents_by_thing(likes: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    documents: dict[str, set[str]] = {}
    for name, things in likes.items():
        for thing in things:
            documents.setdefault(thing, set()).add(name)
    return {thing: frozenset(names) for thing, names in documents.items()}


def _find_pairs(liking: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Find pairs (A, B) such that exactly one document has A without B, and some have both."""
    for a, wanted in liking.items():
        for b, ruled_out in liking.items():
            if len(wanted - ruled_out) == 1 and wanted & ruled_out and a != b:
                yield a, b


def _join_list(things: list[str]) -> str:
    return f"{', '.join(things[:-1])} and {things[-1]}" if len(things) > 1 else "".join(things)
