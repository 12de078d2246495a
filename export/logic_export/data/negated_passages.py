"""Passages, their copies with one sentence negated, and a query for each of the two."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from logic_export.data.negation import negate
from logic_export.data.sentences import split_sentences, to_claim
from logic_export.data.triplets import Triplet, unique_triplets

# Maximum words of a passage, so that an encoder of 128 tokens sees the negated sentence.
MAX_WORDS = 90

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


def negated_passage_triplets(passages: Iterable[str], *, most: int, seed: int = 0) -> list[Triplet]:
    """Make two mirrored triplets per passage by rules, like NevIR's.

    In a copy of the passage, one sentence is negated or loses its negation. One query asks for the
    passage and one for the copy, so only one clause's polarity decides. Long passages are cropped
    around the sentence. A passage without a sentence that can be negated safely gives no triplet.
    """
    random = Random(seed)
    order = sorted(set(passages))
    random.shuffle(order)
    triplets: list[Triplet] = []
    for passage in order:
        if len(triplets) >= most:
            break
        triplets += _mirrored_triplets(split_sentences(passage), random)
    return unique_triplets(triplets)[:most]


def _mirrored_triplets(sentences: list[str], random: Random) -> list[Triplet]:
    for position in random.sample(range(len(sentences)), len(sentences)):
        negated = negate(sentences[position])
        claims = [to_claim(sentence) for sentence in (sentences[position], negated or "")]
        if negated is None or None in claims:
            continue
        window = _window(sentences, position)
        left = " ".join(sentences[i] for i in window)
        right = " ".join(negated if i == position else sentences[i] for i in window)
        as_question = random.random() < 0.7
        return [
            Triplet(_query(str(claims[0]), as_question, random), left, right, "negated"),
            Triplet(_query(str(claims[1]), as_question, random), right, left, "negated"),
        ]
    return []


def _window(sentences: list[str], position: int) -> range:
    start, end = position, position + 1
    words = len(sentences[position].split())
    while start > 0 or end < len(sentences):
        before = len(sentences[start - 1].split()) if start > 0 else None
        after = len(sentences[end].split()) if end < len(sentences) else None
        if before is not None and words + before <= MAX_WORDS:
            start, words = start - 1, words + before
        elif after is not None and words + after <= MAX_WORDS:
            end, words = end + 1, words + after
        else:
            break
    return range(start, end)


def _query(claim: str, as_question: bool, random: Random) -> str:
    question = _QUESTION.match(claim) if as_question else None
    if question is not None:
        interrogative = (
            "Who" if _PERSON.match(question["subject"]) else random.choice(("What", "Which"))
        )
        return f"{interrogative} {question['rest']}?"
    return random.choice(STATEMENTS).format(claim=claim)
