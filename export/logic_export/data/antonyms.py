"""Words of a corpus that can be replaced by their antonym."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from logic_export.data.negation.lexicon import indefinite_article
from logic_export.data.wordnet import WordNet

_WORD = re.compile(r"(?<![\w'-])[a-z]{3,}(?![\w'-])")
# Largest ratio of a word's frequency to its antonym's.
_MAX_FREQUENCY_RATIO = 50

# Words with an antonym in WordNet that are seldom its contrary in running text.
_NO_CONTRARIES = frozenset({"other", "same", "different", "there", "here", "another"})


def find_antonyms(texts: Iterable[str], wordnet: WordNet) -> dict[str, str]:
    """Map words of the texts, in lower case, to their antonyms.

    WordNet knows no context, so only safe words are taken. A word must have a single antonym, the
    same for all its parts of speech, and must not be only a noun (as "analysis" is). The antonym
    must occur in the texts, at least a fiftieth as often as the word. A participle's antonym must
    be a participle too ("increased", "decreased") and not the word with a prefix, since "improved"
    may be a verb but "unimproved" cannot.
    """
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    antonyms = {}
    for word in sorted(counts):
        antonym = _only_antonym(word, wordnet)
        if antonym is not None and counts[antonym] * _MAX_FREQUENCY_RATIO >= counts[word]:
            antonyms[word] = antonym
    return antonyms


def _only_antonym(word: str, wordnet: WordNet) -> str | None:
    parts = wordnet.parts(word)
    if word in _NO_CONTRARIES or set(parts) <= {"noun"}:
        return None
    antonyms = {wordnet.antonyms(word, part) for part in parts}
    (candidates, *others) = antonyms
    if (
        others
        or len(candidates) != 1
        or not _WORD.fullmatch(candidates[0])
        or candidates[0] in (word, *_NO_CONTRARIES)
    ):
        return None
    antonym = candidates[0]
    for ending in ("ed", "ing"):
        if word.endswith(ending) or antonym.endswith(ending):
            both = word.endswith(ending) and antonym.endswith(ending)
            prefixed = word.endswith(antonym) or antonym.endswith(word)
            return antonym if both and not prefixed else None
    return antonym


def swap_antonyms(sentence: str, text: str, antonyms: Mapping[str, str]) -> list[str]:
    """Make a copy of the sentence for each word that can be replaced, in the order of the words.

    A word can be replaced if it occurs once in ``text``, which holds the sentence, and its antonym
    does not occur there. Otherwise the rest of the text would contradict the copy.
    """
    counts = Counter(word.lower() for word in re.findall(r"[\w'-]+", text))
    sentences = []
    for match in _WORD.finditer(sentence):
        antonym = antonyms.get(match[0])
        if antonym is None or counts[match[0]] != 1 or counts[antonym]:
            continue
        before = sentence[: match.start()]
        if article := re.search(r"(?<!\w)([Aa])n? $", before):
            letter = article[1] + indefinite_article(antonym)[1:]
            before = f"{before[: article.start()]}{letter} "
        sentences.append(before + antonym + sentence[match.end() :])
    return sentences
