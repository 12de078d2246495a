"""Passages with hostile fields: what is stored comes back equal, is found, and can be removed."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

from logic_retrievers.errors import InputError
from logic_retrievers.search import Engine
from logic_retrievers.text import is_blank
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

from .harness import Target, accepted, expect
from .values import TEXTS, hostile, odd_object, sentence, text, tree
from .workplace import open_index

FIELDS = ("id", "text", "metadata", "source", "span", "embed_text", "extra", "quarantined")
SPANS = (
    None,
    (0, 5),
    [0, 5],
    (5, 0),
    (-1, 2),
    (0, 2**63),
    (0, 2**63 - 1),
    (0.0, 5),
    "05",
    (1, 2, 3),
)


class Passages(Target):
    """``PassageIndex.add``, ``get``, ``scroll``, ``count``, ``delete``, and a search."""

    name = "passages"
    share = 25

    def __init__(self) -> None:
        self._index = open_index()

    def generate(self, random: Random) -> list[Any]:
        """One to three passages; one to all of them hostile in one to three fields."""
        passages = [_passage(random) for _ in range(random.choice((1, 1, 1, 2, 3)))]
        if random.random() < 0.05:
            passages.append(random.choice((passages[0], hostile(random))))
        return passages

    def run(self, value: list[Any]) -> None:
        """Stores them, and checks that all are there that can be stored."""
        try:
            self._check(value)
        finally:
            self._clear()

    def _check(self, value: list[Any]) -> None:
        index = self._index
        try:
            report = index.add(value)
        except InputError:
            storable_ids = {passage.id for passage in value if is_storable(passage)}
            expect({p.id for p in index.scroll()} == storable_ids, "a good one is not stored")
            raise
        with accepted("passages stored"):
            stored = {passage.id: passage for passage in value if is_storable(passage)}
            expect(report.added == len(stored) == index.count(), "their number")
            for passage in stored.values():
                (back,) = index.get([passage.id])
                given, kept = plain(passage), plain(back)
                changed = [name for name in FIELDS if not same(given[name], kept[name])]
                expect(not changed, f"comes back with another {', '.join(changed)}")
            expect({p.id for p in index.scroll()} == stored.keys(), "scroll misses some")
            active = {p.id for p in stored.values() if not p.quarantined}
            hits = Engine(index, "topical", judge=None).search("quiet inn", 10)
            expect({hit.passage.id for hit in hits} == active, "a search misses some")
            json.dumps([hit.to_dict() for hit in hits], allow_nan=False)
            again = index.add(value)
            expect(again.unchanged == len(stored), "stored unchanged, and written again")
            for passage_id in stored:
                expect(index.delete([passage_id]) == 1, "cannot be deleted by its id")
            expect(index.count() == 0, "something is left")

    def _clear(self) -> None:
        if self._index.count():
            self._index.close()
            self._index = open_index()

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def plain(passage: Passage) -> dict[str, Any]:
    """The fields as JSON has them, in which tuples are lists."""
    passage = storable(passage)
    fields = {name: getattr(passage, name) for name in FIELDS}
    fields["metadata"], fields["extra"] = dict(passage.metadata), dict(passage.extra)
    return {name: json.loads(json.dumps(value)) for name, value in fields.items()}


def is_storable(passage: Any) -> bool:
    """Whether it is a passage that can be stored, with a text to search for."""
    try:
        return not is_blank(storable(passage).text_to_embed)
    except InputError:
        return False


def same(one: Any, other: Any) -> bool:
    """Whether two values of JSON are equal in type and value; of floats but for the last bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):  # the engine's parser of JSON is off by so much now and then
        return math.isclose(one, other, rel_tol=4e-16)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def _passage(random: Random) -> Passage:
    fields: dict[str, Any] = {"id": f"p{random.randrange(1000)}", "text": sentence(random)}
    for name in random.sample(FIELDS, random.choice((0, 1, 1, 2, 3))):
        fields[name] = _field(name, random)
    return Passage(**fields)


def _field(name: str, random: Random) -> Any:
    if random.random() < 0.15:
        return hostile(random)
    if name in ("metadata", "extra"):
        if random.random() < 0.3:
            return {random.choice(("logic", "nested", *TEXTS)): hostile(random)}
        if random.random() < 0.1:
            return {"logic": {"quarantined": random.choice((True, False, 1, "yes"))}}
        return {f"k{n}": tree(random) for n in range(random.randint(1, 4))}
    if name == "span":
        return random.choice(SPANS)
    if name == "quarantined":
        return random.choice((True, False, None, 1, "yes"))
    if name == "id" and random.random() < 0.2:
        return random.choice(("7", str(2**64), "0", "-1", "12345678-1234-1234-1234-123456789ABC"))
    return odd_object(random) if random.random() < 0.05 else text(random)
