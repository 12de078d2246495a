"""Words and short phrases of opposite polarity: the first stage of CoDeR's training.

Yin et al. 2026, "Local Constraint-Compatible Retrieval Beyond Semantic Similarity", appendix, train
on word triplets (at most 20 per anchor), then on phrase triplets (at most 30 per anchor), both from
WordNet, and only then on sentences.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from logic_export.data.triplets import Triplet
from logic_export.data.wordnet import WordNet

# Words that exclude the next word, in CoDeR's phrases.
EXCLUSION_OPENINGS = ("not", "without", "excluding", "no")

_Combination: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Opposition:
    """Words with a meaning of an anchor, and words with the opposite meaning."""

    alike: tuple[str, ...]
    antonyms: tuple[str, ...]
    opposed: tuple[str, ...]  # the antonyms and their synonyms


def word_triplets(wordnet: WordNet, *, seed: int = 0, most: int = 20) -> list[Triplet]:
    """Make triplets of a word, a satisfying synonym and a violating antonym (CoDeR, stage 1).

    An anchor is a lemma that has both. A word that is both synonym and antonym of an anchor
    ("ravel" of "unravel") is left out. An anchor with more than ``most`` combinations gets a
    sample, which does not depend on other anchors.
    """
    rows = []
    for anchor, oppositions in _anchors(wordnet):
        pairs: set[_Combination] = {
            pair for each in oppositions for pair in product(each.alike, each.antonyms)
        }
        for synonym, antonym in _sample_combinations(pairs, seed, anchor, most):
            rows.append(Triplet(anchor, synonym, antonym, "wordnet-words"))
    return rows


def phrase_triplets(wordnet: WordNet, *, seed: int = 0, most: int = 30) -> list[Triplet]:
    """Make triplets: a phrase that excludes X, an antonym of X (satisfying), and X (violating).

    Synonyms of the antonym satisfy too, and synonyms of X violate too (CoDeR, stage 1). As in the
    paper, the openings precede words of every part of speech: "without hot" is not English, but
    excludes "hot". ``most`` limits the triplets per anchor, over all openings.
    """
    rows = []
    for anchor, oppositions in _anchors(wordnet):
        phrases: set[_Combination] = {
            (f"{opening} {anchor}", *pair)
            for opening in EXCLUSION_OPENINGS
            for each in oppositions
            for pair in product(each.opposed, (anchor, *each.alike))
        }
        for query, satisfying, violating in _sample_combinations(phrases, seed, anchor, most):
            rows.append(Triplet(query, satisfying, violating, "wordnet-phrases"))
    return rows


def _anchors(wordnet: WordNet) -> Iterator[tuple[str, list[_Opposition]]]:
    """Yield lemmas that have an antonym, sorted, with an opposition for each part of speech.

    All senses of a word count together, as in a look-up by word, so some triplets are odd
    ("light", "abstemious", "dark").
    """
    oppositions: dict[str, list[_Opposition]] = {}
    for lemma, part in wordnet.senses:
        if antonyms := wordnet.antonyms(lemma, part):
            synonyms = wordnet.synonyms(lemma, part)
            all_opposed = (
                *antonyms,
                *(word for antonym in antonyms for word in wordnet.synonyms(antonym, part)),
            )
            alike = {word.casefold() for word in (*synonyms, lemma)}
            opposed = {word.casefold() for word in (*all_opposed, lemma)}
            oppositions.setdefault(lemma, []).append(
                _Opposition(
                    tuple(word for word in synonyms if word.casefold() not in opposed),
                    tuple(word for word in antonyms if word.casefold() not in alike),
                    tuple(word for word in all_opposed if word.casefold() not in alike),
                )
            )
    yield from sorted(oppositions.items())


def _sample_combinations(
    combinations: set[_Combination], seed: int, anchor: str, most: int
) -> list[_Combination]:
    ordered = sorted(combinations)
    if len(ordered) <= most:
        return ordered
    return sorted(random.Random(f"{seed}:{anchor}").sample(ordered, most))
