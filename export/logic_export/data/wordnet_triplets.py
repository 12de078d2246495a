"""Words and short phrases of opposite polarity: the first stage of CoDeR's training.

Yin et al. 2026, "Local Constraint-Compatible Retrieval Beyond Semantic Similarity", appendix: word
triplets (at most 20 per anchor), then phrase triplets (at most 30 per anchor), both from WordNet,
before any sentence is seen.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from logic_export.data.triplets import Triplet
from logic_export.data.wordnet import WordNet
from logic_retrievers.errors import ConfigurationError

# Words that exclude the next one, in CoDeR's phrases.
EXCLUSION_OPENINGS = ("not", "without", "excluding", "no")

_Combination: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Opposition:
    """Words with a meaning of an anchor, and words with the opposite meaning."""

    alike: tuple[str, ...]
    antonyms: tuple[str, ...]
    opposed: tuple[str, ...]  # the antonyms and their synonyms


def word_triplets(wordnet: WordNet, *, seed: int = 0, most: int = 20) -> list[Triplet]:
    """A word, a synonym as satisfying, an antonym as violating (CoDeR, stage 1).

    An anchor is a lemma that has both. A word that is both synonym and antonym of an anchor
    ("ravel" of "unravel") is left out.

    Args:
        wordnet: see :func:`logic_export.data.wordnet.load_wordnet`.
        seed: sample of an anchor's combinations where it has more than ``most``, independent of
            other anchors.
        most: largest number of triplets per anchor.

    Raises:
        ConfigurationError: ``most`` is less than 1.
    """
    rows = []
    for anchor, oppositions in _anchors(wordnet):
        pairs: set[_Combination] = set()
        for opposition in oppositions:
            pairs.update(product(opposition.alike, opposition.antonyms))
        for synonym, antonym in _sample_combinations(pairs, seed, anchor, most):
            rows.append(Triplet(anchor, synonym, antonym, "wordnet-words"))
    return rows


def phrase_triplets(wordnet: WordNet, *, seed: int = 0, most: int = 30) -> list[Triplet]:
    """A phrase that excludes X, with an antonym of X satisfying and X violating (CoDeR, stage 1).

    Synonyms of the antonym satisfy as well, synonyms of X violate as well.

    The openings are "not", "without", "excluding" and "no", for words of every part of speech, as
    in the paper: "without hot" is not English, but excludes what it should.

    Args:
        wordnet: see :func:`logic_export.data.wordnet.load_wordnet`.
        seed: sample of an anchor's combinations where it has more than ``most``.
        most: largest number of triplets per anchor, over all openings.

    Raises:
        ConfigurationError: ``most`` is less than 1.
    """
    rows = []
    for anchor, oppositions in _anchors(wordnet):
        pairs: set[_Combination] = set()
        for opposition in oppositions:
            pairs.update(product(opposition.opposed, (anchor, *opposition.alike)))
        phrases: set[_Combination] = {
            (f"{opening} {anchor}", *pair) for opening, pair in product(EXCLUSION_OPENINGS, pairs)
        }
        for query, satisfying, violating in _sample_combinations(phrases, seed, anchor, most):
            rows.append(Triplet(query, satisfying, violating, "wordnet-phrases"))
    return rows


def _anchors(wordnet: WordNet) -> Iterator[tuple[str, list[_Opposition]]]:
    """Lemmas that have an antonym, sorted, with an opposition for each part of speech.

    All senses of a word count together, as in a look-up by word, so that some triplets are odd
    ("light", "abstemious", "dark").
    """
    oppositions: dict[str, list[_Opposition]] = {}
    for (lemma, part), senses in wordnet.senses.items():
        if any(sense.antonyms for sense in senses):
            antonyms = list(wordnet.antonyms(lemma, part))
            antonym_synonyms = [
                word for antonym in antonyms for word in wordnet.synonyms(antonym, part)
            ]
            synonyms = wordnet.synonyms(lemma, part)
            oppositions.setdefault(lemma, []).append(
                _opposition(lemma, synonyms, antonyms, antonym_synonyms)
            )
    yield from sorted(oppositions.items())


def _opposition(
    lemma: str, synonyms: Iterable[str], antonyms: Iterable[str], antonym_synonyms: Iterable[str]
) -> _Opposition:
    alike = {word.casefold() for word in synonyms} | {lemma.casefold()}
    opposed = {word.casefold() for word in (*antonyms, *antonym_synonyms)}
    return _Opposition(
        tuple(w for w in synonyms if w.casefold() not in opposed | {lemma.casefold()}),
        tuple(w for w in antonyms if w.casefold() not in alike),
        tuple(w for w in (*antonyms, *antonym_synonyms) if w.casefold() not in alike),
    )


def _sample_combinations(
    combinations: set[_Combination], seed: int, anchor: str, most: int
) -> list[_Combination]:
    """At most ``most`` combinations, sorted."""
    if most < 1:
        raise ConfigurationError(f"most={most}: at least 1 triplet an anchor must be allowed")
    ordered = sorted(combinations)
    if len(ordered) <= most:
        return ordered
    return sorted(random.Random(f"{seed}:{anchor}").sample(ordered, most))
