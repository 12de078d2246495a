"""Topics and the topics beside them: what an exclusion has to keep apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_export.data.exclusions import Topic

Encode: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float32]]

_POOL = 16
"""Topics to choose neighbours from, for each pair wanted."""

_KIND = re.compile(r"^.{0,120}?\b(?:is|was|are|were) (?:an?|the) ([^.,;()]{5,60})")


def near_topics(
    topics: Sequence[Topic], encode: Encode, *, count: int, among: int = 5, seed: int = 0
) -> list[tuple[Topic, Topic]]:
    """Topics drawn at random, each with one of the ``among`` topics whose names are nearest.

    Args:
        topics: at least two.
        encode: vectors of length 1 for the names.
        count: how many pairs, at most one a topic.
        among: the nearest alone would teach only the hardest.
        seed: of the draw.
    """
    random = Random(seed)
    topics = random.sample(topics, min(len(topics), _POOL * count))
    vectors = encode([topic.name for topic in topics])
    pairs = []
    for index in range(min(count, len(topics))):
        cosines = vectors @ vectors[index]
        cosines[index] = -np.inf
        nearest = np.argsort(-cosines, kind="stable")[: min(among, len(topics) - 1)]
        pairs.append((topics[index], topics[int(random.choice(nearest))]))
    return pairs


def described(topic: Topic, random: Random, share: float = 0.4) -> Topic:
    """The topic with what it is before its name, for a share of the topics: "the film Spendthrift".

    Read from a first sentence of the form "X is a ..."; other topics stay as they are.
    """
    kind = _KIND.match(topic.text)
    if kind is None or random.random() >= share:
        return topic
    return replace(topic, name=f"the {kind.group(1).strip()} {topic.name}")
