"""Passages and their copies with one assertion flipped, and queries that tell the two apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from logic_export.data.negation import negate
from logic_export.data.subdocuments import claim
from logic_export.data.triplets import Triplet, unique
from logic_retrievers.evaluation.sentences import sentences

WORDS = 90
"""Most words of a passage, so that an encoder that reads 128 tokens sees the flipped sentence."""

STATEMENTS = (
    "{claim}",
    "{claim}",
    "evidence that {claim}",
    "is it true that {claim}?",
    "a text which says that {claim}",
    "find a passage that states that {claim}",
)
_QUESTION = re.compile(
    r"^(?P<subject>(?:\S+ ){0,7}?\S+) (?P<rest>(?:is|was|are|were|has|had|can|could|will|would|did|"
    r"does|do|may|might|must|should)(?: not)? .+)$"
)
_PERSON = re.compile(r"^(?:He|She|[A-Z][a-z]+ [A-Z][a-z]+)$")


def flipped_triplets(
    passages: Iterable[str], *, seed: int = 0, most: int | None = None
) -> list[Triplet]:
    """Two mirrored triplets a passage, in the manner of NevIR, by rules.

    One sentence of the passage is denied (or its denial taken back) and the rest left as it is. One
    query asks for what the passage says, the other for what its copy says; so only the polarity of
    one clause decides. A passage without a sentence that can be flipped safely gives none.

    Args:
        passages: any texts; longer ones are cut around the sentence.
        seed: of the choice of passages, sentences and wordings.
        most: triplets to make, at most.
    """
    random = Random(seed)
    order = sorted(set(passages))
    random.shuffle(order)
    found: list[Triplet] = []
    for passage in order:
        if most is not None and len(found) >= most:
            break
        found += _mirrored(sentences(passage), random)
    return unique(found)[:most]


def _mirrored(said: list[str], random: Random) -> list[Triplet]:
    for place in random.sample(range(len(said)), len(said)):
        denied = negate(said[place])
        claims = [claim(sentence) for sentence in (said[place], denied or "")]
        if denied is None or None in claims:
            continue
        window = _window(said, place)
        left = " ".join(said[i] for i in window)
        right = " ".join(denied if i == place else said[i] for i in window)
        asks = random.random() < 0.7
        return [
            Triplet(_query(str(claims[0]), asks, random), left, right, "flipped"),
            Triplet(_query(str(claims[1]), asks, random), right, left, "flipped"),
        ]
    return []


def _window(said: list[str], place: int) -> range:
    """The sentence with those around it, as many as fit."""
    start, end = place, place + 1
    words = len(said[place].split())
    while start > 0 or end < len(said):
        before = len(said[start - 1].split()) if start > 0 else None
        after = len(said[end].split()) if end < len(said) else None
        if before is not None and words + before <= WORDS:
            start, words = start - 1, words + before
        elif after is not None and words + after <= WORDS:
            end, words = end + 1, words + after
        else:
            break
    return range(start, end)


def _query(claimed: str, asks: bool, random: Random) -> str:
    question = _QUESTION.match(claimed) if asks else None
    if question is not None:
        asked = "Who" if _PERSON.match(question["subject"]) else random.choice(("What", "Which"))
        return f"{asked} {question['rest']}?"
    return random.choice(STATEMENTS).format(claim=claimed)
