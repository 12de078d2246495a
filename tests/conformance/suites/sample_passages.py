"""Sample passages and queries, and the form in which the suites compare results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from logic_retrievers.types import Passage


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One result of a framework's retriever or reranker.

    Args:
        id: the passage's id, as stored.
        text: the passage's text, without metadata.
        score: the framework's score.
        metadata: the *very* mapping of the framework's result, no copy: the suites change it to see
            what else changes.
    """

    id: str
    text: str
    score: float | None
    metadata: Mapping[str, Any]


PLAIN = "a quiet hotel with a garden"
EXCLUDING = "hotels near the harbour without a nightclub"
NEGATIVE = "which metals do not rust"
QUERIES = (PLAIN, EXCLUDING, NEGATIVE)


def hotel_passages() -> list[Passage]:
    """A small collection: odd ids, nested metadata, and two passages that differ only by id."""
    twin = ("A quiet hostel with a shared garden.", {"city": "Oslo", "stars": 1, "tags": ["cheap"]})
    return [
        Passage("inn", "A quiet hotel by the harbour with a garden.", _about("Bergen", 3, "quiet")),
        Passage("7", "Hotel rooms above the nightclub, music until four.", _about("Oslo", 2)),
        Passage(
            "bars/night?x#y", "The nightclub near the harbour opens at ten.", _about("Oslo", 1)
        ),
        Passage("ferme é", "A farm stay in the hills, far from any nightclub.", _about("Voss", 4)),
        Passage("twin-a", *twin),
        Passage("twin-b", *twin),
        Passage("grand", "A grand hotel with a pool, a garden and a bar.", _about("Oslo", 5)),
        Passage("pier", "Hotels near the harbour, a walk from the ferry.", _about("Bergen", 4)),
        Passage("copper", "Copper prices rose again this week.", {"nested": {"list": [1, {}]}}),
        Passage("gold", "Gold and platinum are metals that never rust."),
        Passage("iron", "Iron and steel are metals that rust in the rain.", {"stars": 0}),
        Passage("c" * 300, "A campsite by the river, pets are welcome.", _about("Voss", 2, "pets")),
    ]


def without_equal_texts(passages: Sequence[Passage]) -> list[Passage]:
    """Leave out equal texts: engines order them differently."""
    return list({passage.text: passage for passage in passages}.values())


def _about(city: str, stars: int, *tags: str) -> dict[str, Any]:
    return {"city": city, "stars": stars, "tags": list(tags)}
