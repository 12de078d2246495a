"""Who likes A but not B: LIMIT's people, with so few likes that a small reader can weigh them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from random import Random

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.probe.normalising import tokens
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

WORDINGS: Mapping[str, str] = {
    "but_not": "Who likes {a} but not {b}?",
    "does_not": "Who likes {a} and does not like {b}?",
    "without": "Who likes {a} without liking {b}?",
    "except": "Who likes {a}, except for those who also like {b}?",
    "excluding": "Excluding everyone who likes {b}, who likes {a}?",
    "no_fan": "Which person likes {a} and is no fan of {b}?",
    "must_not": "I need somebody who likes {a}, but they must not like {b}. Who is it?",
}
"""Kind of a question -> how it is asked."""

_LIST = re.compile(r"(?P<person>.+?) likes (?P<things>.+?)(?: and (?P<last>.+?))?\.")


def limit_questions(
    folder: str | os.PathLike[str],
    split: str = "test",
    seed: int = 0,
    *,
    count: int = 280,
    likes: int = 12,
) -> ProbeSet:
    """Questions over ``limit_small`` with exactly one right answer.

    The 45 likes of a person are too long a list for a reader of half a billion parameters, so each
    passage is a cut one: a drawn part of the things, none of them of more than ``likes`` of one
    person, and each of them with everybody who likes it. Truth is read off the cut passages: one
    person likes A and not B, that is the answer; who likes both is wrong, and violates.

    Things of which one person speaks alone are left out, and those whose words stand in another
    thing (*Chess*, *Chess Boxing*), for what a passage says of them could be taken for more.

    Args:
        folder: ``limit_small``: a path, or a name inside the benchmark folder.
        split: which part, where the folder has parts.
        seed: of the things, of the pairs and of their order.
        count: how many questions, every kind of :data:`WORDINGS` as often, as far as that goes.
        likes: how many things a passage names at most.

    Raises:
        ConfigurationError: fewer pairs than asked for.
        ReadError: the folder cannot be read, or a document is no list of likes.
    """
    dataset = load_dataset(folder, split)
    random = Random(seed)
    told = dict(map(_told, dataset.documents.items()))
    kept = _drawn(told, likes, random)
    cut = {
        name: (person, [thing for thing in things if thing in kept])
        for name, (person, things) in told.items()
    }
    liking = _liking({name: things for name, (_, things) in cut.items()})
    pairs = sorted(_pairs(liking))
    if not 0 < count <= len(pairs):
        raise ConfigurationError(
            f"{dataset.name} gives {len(pairs)} pairs with one right answer; count is {count}"
        )
    passages = {
        name: f"{person} likes {_joined(things)}."
        for name, (person, things) in cut.items()
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
                gold=tuple(cut[name][0] for name in right),
                wrong=tuple(cut[name][0] for name in wrong),
                kind=kind,
                satisfying=tuple(right),
                violating=tuple(wrong),
            )
        )
    return ProbeSet("limit", tuple(questions), passages)


def _told(document: tuple[str, str]) -> tuple[str, tuple[str, list[str]]]:
    """Id of a document -> whose it is, and what that person likes."""
    name, text = document
    found = _LIST.fullmatch(text)
    if found is None:
        raise ReadError(f"the document {name!r} is not of the form 'NAME likes X, Y and Z.'")
    things = found["things"].split(", ")
    return name, (found["person"], things + ([found["last"]] if found["last"] else []))


def _drawn(told: Mapping[str, tuple[str, list[str]]], likes: int, random: Random) -> frozenset[str]:
    """Things, drawn until no more fit in without a passage being too long."""
    liking = _liking({name: things for name, (_, things) in told.items()})
    clear = _clear(liking)
    things = sorted(thing for thing in clear if len(liking[thing]) > 1)
    random.shuffle(things)
    room = dict.fromkeys(told, likes)
    kept = set()
    for thing in things:
        if all(room[name] for name in liking[thing]):
            kept.add(thing)
            for name in liking[thing]:
                room[name] -= 1
    return frozenset(kept)


def _clear(things: Iterable[str]) -> Iterator[str]:
    """Those of which no other one holds all words."""
    sets = {thing: frozenset(tokens(thing)) for thing in things}
    together = Counter(word for each in sets.values() for word in each)
    for thing, mine in sets.items():
        alone = any(together[word] == 1 for word in mine)
        if mine and (alone or not any(mine <= other for k, other in sets.items() if k != thing)):
            yield thing


def _liking(likes: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Thing -> the documents that name it."""
    found: dict[str, set[str]] = {}
    for name, things in likes.items():
        for thing in things:
            found.setdefault(thing, set()).add(name)
    return {thing: frozenset(names) for thing, names in found.items()}


def _pairs(liking: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Things (A, B) such that one document has A and not B, and another one has both."""
    for a, wanted in liking.items():
        for b, ruled_out in liking.items():
            if len(wanted - ruled_out) == 1 and wanted & ruled_out and a != b:
                yield a, b


def _joined(things: list[str]) -> str:
    return f"{', '.join(things[:-1])} and {things[-1]}" if len(things) > 1 else "".join(things)
