"""The optional sparse vector ``lexical``: counts of hashed words, weighed by Qdrant's IDF modifier.

It scores shared words beside the dense vectors (Qdrant computes idf per collection at query time).
Counts are damped as in BM25, without its length term, so that a stored vector depends on its own
text alone.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b

from qdrant_client import models

NAME = "lexical"
FINGERPRINT = "lexical-1"
SATURATION = 1.2

_WORD = re.compile(r"\w+")


def terms(text: str) -> list[str]:
    """The case-folded words of a text; no stemming and no stop words, since idf weighs them."""
    return _WORD.findall(text.casefold())


def term_vector(text: str, *, query: bool = False) -> models.SparseVector:
    """The sparse vector of a text: one dimension per word, ascending.

    Args:
        text: any text; one without words gives a vector without entries.
        query: every word once (weight 1) instead of damped counts ``tf (k + 1) / (tf + k)``.
    """
    weights: dict[int, float] = {}
    for word, count in Counter(terms(text)).items():
        weight = 1.0 if query else count * (SATURATION + 1) / (count + SATURATION)
        index = _hash_word(word)
        weights[index] = weights.get(index, 0.0) + weight
    indices = sorted(weights)
    return models.SparseVector(indices=indices, values=[weights[index] for index in indices])


def _hash_word(word: str) -> int:
    # 32 bits are what Qdrant takes; blake2b is the same on every machine, hash() is not
    return int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "little")
