"""Sample passages, some of which contradict each other, for an encoder of hashed words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from logic_retrievers.types import Passage
from suites.hashed_encoder import HashedEncoder
from suites.watched_encoder import WatchedEncoder

NINE = "The pool of the inn opens at nine in the morning."
DOGS = "Dogs are allowed in every room of the house."
COPPER = "Copper prices rose again this week in London."

_OPPOSED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "nine": (NINE, {"date": "2021-05-01", "source": "blog", "vouched": False}),
    "gold": ("Gold and platinum are metals that never rust.", {"date": 2020, "nested": {"l": [1]}}),
    "7": ("The pool of the inn opens at ten in the morning.", {"date": 2024, "source": "inn"}),
    "dogs ok": (DOGS, {"date": 2024, "source": "inn", "vouched": True}),
    "no/dogs?x#y": (DOGS.replace("allowed", "forbidden"), {"date": 2019, "source": "blog"}),
    "never": ("The pool of the inn opens never in the morning.", {"source": "press", "vouched": 1}),
    "copper é": (COPPER, {}),
    "swim": ("At the inn, guests may swim from nine o'clock on.", {"source": "press"}),
    "fell": (COPPER.replace("rose", "fell"), {"date": "last week"}),
    "twin": (NINE, {"date": "2021-05-01", "source": "mirror"}),
}


def contradicting_passages() -> list[Passage]:
    """Three disputed matters, odd ids, two copies of a text, and uncontradicted passages."""
    return [Passage(name, text, dict(about)) for name, (text, about) in _OPPOSED.items()]


def contradiction_encoder() -> WatchedEncoder:
    """Make the vectors by which the passages contradict each other."""
    names = ("topical", "contradiction")
    return WatchedEncoder(HashedEncoder(names, query_prefix="query ", dimension=64))
