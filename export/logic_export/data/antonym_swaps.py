"""Words of a corpus that can change places with their antonym."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from logic_export.data.negation.verbs import indefinite
from logic_export.data.wordnet import WordNet

_WORD = re.compile(r"(?<![\w'-])[a-z]{3,}(?![\w'-])")
_RARER = 50
"""How many times rarer than a word its antonym may be."""

# Opposed in WordNet, but no contraries where they stand in a text.
_NEVER = frozenset({"other", "same", "different", "there", "here", "another"})


def swaps_of(texts: Iterable[str], wordnet: WordNet) -> dict[str, str]:
    """Words of the texts, in lower case, and what each is swapped for.

    WordNet knows words, not their context, so a word is taken only where there is little to
    mistake: it has one single antonym, under each part of speech that it is listed with, and is
    more than a noun ("increase", not "analysis": "synthesis"). The antonym must occur in the texts,
    no less than a fiftieth as often. Participles need another one ("increased", "decreased"), and
    none that only has "un-": "improved" may be a verb there, which "unimproved" cannot be.
    Inflected forms count where WordNet lists them, as it does "increased", not "increases".
    """
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    swaps = {}
    for word in sorted(counts):
        antonym = _only_antonym(word, wordnet)
        if antonym is not None and counts[antonym] * _RARER >= counts[word]:
            swaps[word] = antonym
    return swaps


def _only_antonym(word: str, wordnet: WordNet) -> str | None:
    parts = wordnet.parts(word)
    if word in _NEVER or set(parts) <= {"noun"}:
        return None
    antonyms = {wordnet.antonyms(word, part) for part in parts}
    (found, *more) = antonyms
    if more or len(found) != 1 or not _WORD.fullmatch(found[0]) or found[0] in (word, *_NEVER):
        return None
    antonym = found[0]
    for ending in ("ed", "ing"):
        if word.endswith(ending) or antonym.endswith(ending):
            both = word.endswith(ending) and antonym.endswith(ending)
            prefixed = word.endswith(antonym) or antonym.endswith(word)
            return antonym if both and not prefixed else None
    return antonym


def swapped(sentence: str, text: str, swaps: Mapping[str, str]) -> list[str]:
    """The sentence once for each of its words that can be swapped, in their order.

    A word counts where it occurs once in ``text``, the sub-document that the sentence is from, and
    its antonym does not: else the rest of the sub-document would still say the contrary.
    """
    there = Counter(word.lower() for word in re.findall(r"[\w'-]+", text))
    made = []
    for found in _WORD.finditer(sentence):
        antonym = swaps.get(found[0])
        if antonym is None or there[found[0]] != 1 or there[antonym]:
            continue
        before = sentence[: found.start()]
        if article := re.search(r"(?<!\w)([Aa])n? $", before):
            letter = article[1] + indefinite(antonym)[1:]
            before = f"{before[: article.start()]}{letter} "
        made.append(before + antonym + sentence[found.end() :])
    return made
