"""Exclusion queries over any passages: one is asked for, its neighbour is ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from logic_export.data.triplets import Triplet, unique
from logic_export.data.wording import exclusion_query, request


@dataclass(frozen=True, slots=True)
class Topic:
    """A passage and what it is about.

    Args:
        name: a title or another short phrase that names what the passage is about.
        text: the passage.
        question: a question that the passage answers, where there is one.
    """

    name: str
    text: str
    question: str | None = None


def exclusion_triplets(
    neighbours: Iterable[tuple[Topic, Topic]], *, seed: int = 0, mirrored: bool = True
) -> list[Triplet]:
    """A query for one topic that rules out the other: its passage satisfies, the other's violates.

    Args:
        neighbours: topics that are near to each other, or the excluded one would be no trap: two
            passages of one question, or nearest neighbours (:func:`near_topics`).
        seed: of the wordings.
        mirrored: also with the roles exchanged.
    """
    random = Random(seed)
    found = []
    for left, right in neighbours:
        for wanted, ruled_out in ((left, right), (right, left))[: 1 + mirrored]:
            if wanted.text == ruled_out.text or wanted.name == ruled_out.name:
                continue
            asked = wanted.question or request(wanted.name, random)
            query = exclusion_query(asked, ruled_out.name, random)
            found.append(Triplet(query, wanted.text, ruled_out.text, "exclusion"))
    return unique(found)


def without_constraint(topics: Sequence[Topic], *, seed: int = 0) -> list[Triplet]:
    """The same topics asked for plainly, so that an encoder keeps finding what is not excluded."""
    random = Random(seed)
    return unique(
        Triplet(topic.question or request(topic.name, random), topic.text, None, "plain")
        for topic in topics
    )
