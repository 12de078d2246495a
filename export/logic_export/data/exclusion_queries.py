"""Exclusion queries over any passages: one passage is wanted, a neighbouring one excluded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from logic_export.data.files import read_toml
from logic_export.data.triplets import Triplet, unique_triplets
from logic_export.dense_retrieval import Encode


@dataclass(frozen=True, slots=True)
class Topic:
    """A passage and its topic."""

    name: str  # a title or another short phrase
    text: str
    question: str | None = None  # a question that the passage answers


def exclusion_triplets(
    neighbours: Iterable[tuple[Topic, Topic]], *, seed: int = 0
) -> list[Triplet]:
    """Make two queries per pair of topics: each asks for one topic and excludes the other.

    The topics must be similar, or the exclusion is trivial. Pass two passages of one question, or
    nearest neighbours (:func:`neighbouring_topics`).
    """
    random = Random(seed)
    triplets = []
    for left, right in neighbours:
        for wanted, excluded in ((left, right), (right, left)):
            if wanted.text == excluded.text or wanted.name == excluded.name:
                continue
            request_text = wanted.question or random.choice(REQUESTS).format(topic=wanted.name)
            query = word_exclusion(request_text, excluded.name, random)
            triplets.append(Triplet(query, wanted.text, excluded.text, "exclusion"))
    return unique_triplets(triplets)


# Number of topics sampled per pair; neighbours are found among them.
_POOL_PER_PAIR = 16
# The nearest neighbour alone would give only the hardest pairs.
_NEAREST = 5

_KIND = re.compile(r"^.{0,120}?\b(?:is|was|are|were) (?:an?|the) ([^.,;()]{5,60})")


def neighbouring_topics(
    topics: Sequence[Topic], encode: Encode, *, count: int, seed: int = 0
) -> list[tuple[Topic, Topic]]:
    """Pair each of ``count`` random topics with one of the five topics of most similar name.

    ``encode`` gives unit vectors.
    """
    random = Random(seed)
    topics = random.sample(topics, min(len(topics), _POOL_PER_PAIR * count))
    vectors = encode([topic.name for topic in topics])
    pairs = []
    for index in range(min(count, len(topics))):
        cosines = vectors @ vectors[index]
        cosines[index] = -np.inf
        nearest = np.argsort(-cosines, kind="stable")[: min(_NEAREST, len(topics) - 1)]
        pairs.append((topics[index], topics[int(random.choice(nearest))]))
    return pairs


def describe_topic(topic: Topic, random: Random, share: float = 0.4) -> Topic:
    """With probability ``share``, put a topic's kind before its name: "the film Spendthrift".

    The kind is read from a first sentence "X is a ..."; without one, the topic stays unchanged.
    """
    kind = _KIND.match(topic.text)
    if kind is None or random.random() >= share:
        return topic
    return replace(topic, name=f"the {kind.group(1).strip()} {topic.name}")


_WORDINGS = read_toml(__package__, "exclusion_wordings.toml")
EXCLUSION_BEFORE: tuple[str, ...] = tuple(_WORDINGS["before"])
EXCLUSION_FORMS: tuple[str, ...] = (*_WORDINGS["after"], *EXCLUSION_BEFORE)
REQUESTS: tuple[str, ...] = tuple(_WORDINGS["requests"])
FILM_REQUESTS: tuple[str, ...] = tuple(_WORDINGS["films"])


def word_exclusion(wanted: str, excluded: str, random: Random) -> str:
    """Word a query in a random form; a question mark of ``wanted`` moves to the query's end."""
    body = wanted.rstrip(" .?!")
    form = random.choice(EXCLUSION_FORMS)
    if form in EXCLUSION_BEFORE and body:
        body = body if body[:2].isupper() or body[0].isdigit() else body[0].lower() + body[1:]
    query = form.format(wanted=body, excluded=excluded.rstrip(" .?!"))
    question = wanted.rstrip().endswith("?") and not query.endswith(".")
    return query + "?" if question else query
