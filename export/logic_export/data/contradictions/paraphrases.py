"""Paraphrases by rules, and the synonyms that the rules use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from random import Random

from logic_export.data.sentences import split_sentences
from logic_export.data.wordnet import WordNet

_BRACKETS = re.compile(r" ?\([^()]{1,80}\)")
_ASIDE = re.compile(
    r", (?:which|who|where|whose|including|such as|known as) [^,.;]{3,80}"
    r"(?:(?=\.$|;)|,(?= (?:is|are|was|were|has|have|had|will|would|can|could|did|does|\w+ed)\b))"
)
_PARTICIPLE = re.compile(r", [a-z]+ing [^,.;]{3,80}(?=\.$)")
_OPENING = re.compile(
    r"^(In|On|At|After|Before|During|Since|By|From|According to|Because of|Due to) ([^,.;]{3,80}), "
    r"([^.;]+)\.$"
)
# Texts after "In Rome, " or "On May 3, " that show that the opening goes on after the comma.
_NO_CLAUSE = re.compile(r"\d|(?:and|or)\b|(?:\S+ ){0,3}\S+,")

_OPENINGS = {
    "In addition": "Moreover",
    "However": "Yet",
    "Therefore": "For this reason",
    "For example": "For instance",
    "Additionally": "What is more",
    "Furthermore": "Besides",
}
_PASSIVE = re.compile(
    r"^(?P<what>[A-Z][\w'-]*(?: [\w'-]+){0,5}) (?P<be>was|were) "
    r"(?P<verb>(?:\w+ed|written|made|built|won|led|known|sung|held|taken|given|found)) by "
    r"(?P<who>[A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3})"
    r"(?P<rest>(?: (?:in|on|at|for|to|from|during|after|before) [^,;]*)?)\.$"
)
_SIMPLE_PAST = {
    "written": "wrote", "sung": "sang", "taken": "took", "given": "gave", "known": "knew",
}  # fmt: skip
_OBJECTS = {"He": "him", "She": "her", "They": "them", "We": "us", "It": "it"}
_ARTICLES = frozenset(re.findall(r"\w+", "The A An This These Those His Her Its Their Both All"))
_NOT_IN_NOUN_PHRASE = frozenset(
    re.findall(
        r"\w+",
        "is are was were be been has have had do does did that which who whose and or but if when "
        "while because although also later not never",
    )
)
WORD = re.compile(r"(?<![\w'-])[a-z]{4,}(?![\w'-])")


def paraphrase(text: str, random: Random, synonyms: Mapping[str, str] | None = None) -> str:
    """Paraphrase a text by rules: sentences are reordered, and reworded where a rule is safe.

    At random, brackets and asides are dropped, openings ("In 1990, ...") are moved to the end, and
    passives with an agent become active. Connectives are exchanged, and words replaced by
    ``synonyms``. A paraphrase may say less than the original, never the contrary. The number of
    random draws does not depend on which rules apply, so equal ``random`` states change two texts
    that differ in a word in the same way.
    """
    drops, shuffles = random.random() < 0.4, random.random() < 0.5
    paraphrased = [
        _paraphrase_sentence(sentence, random, synonyms or {}) for sentence in split_sentences(text)
    ]
    if len(paraphrased) > 2 and drops:
        del paraphrased[random.randrange(len(paraphrased))]
    if len(paraphrased) > 1 and shuffles:
        random.shuffle(paraphrased)
    return " ".join(paraphrased)


def _paraphrase_sentence(sentence: str, random: Random, synonyms: Mapping[str, str]) -> str:
    chances = iter([random.random() for _ in range(6)])
    for pattern in (_BRACKETS, _ASIDE, _PARTICIPLE):
        shortened = pattern.sub("", sentence).strip()
        if (
            next(chances) < 0.5 and len(shortened.split()) > 2
        ):  # some sentences are a single bracket
            sentence = shortened
    if next(chances) < 0.6:
        sentence = _to_active(sentence)
    if next(chances) < 0.6:
        sentence = _move_opening(sentence)
    if next(chances) < 0.5:
        for old, new in _OPENINGS.items():
            if sentence.startswith(f"{old}, "):
                sentence = f"{new}, {sentence[len(old) + 2 :]}"
    seed = random.getrandbits(64)

    def replace_word(match: re.Match[str]) -> str:
        word = match[0]
        replaced = word in synonyms and Random(f"{seed} {word}").random() < 0.6
        return synonyms[word] if replaced else word

    return WORD.sub(replace_word, sentence)


def _move_opening(sentence: str) -> str:
    """Move an opening to the end: "In 1990, the mill burnt." becomes "The mill burnt in 1990."."""
    opening = _OPENING.match(sentence)
    if opening is None or _NO_CLAUSE.match(opening[3]):
        return sentence
    word, rest, clause = opening.groups()
    return f"{clause[0].upper()}{clause[1:]} {word[0].lower()}{word[1:]} {rest}."


def _to_active(sentence: str) -> str:
    """Make a passive with an agent active: "A was made by B." becomes "B made A."."""
    passive = _PASSIVE.match(sentence)
    if passive is None or " and " in passive["rest"]:
        return sentence
    if (object_phrase := _object_form(passive["what"])) is None:
        return sentence
    verb = _SIMPLE_PAST.get(passive["verb"], passive["verb"])
    return f"{passive['who']} {verb} {object_phrase}{passive['rest']}."


def _object_form(subject: str) -> str | None:
    """Return a subject's form after a verb; None if it may be more than a noun or a name."""
    first, *others = subject.split()
    if _NOT_IN_NOUN_PHRASE & {word.lower() for word in others}:
        return None
    if first in _OBJECTS:
        return None if others else _OBJECTS[first]
    if first in _ARTICLES and others:
        return " ".join([first.lower(), *others])
    return subject if all(word[0].isupper() or word in ("of", "the") for word in others) else None


def find_synonyms(texts: Iterable[str], wordnet: WordNet) -> dict[str, str]:
    """Map words of the texts, in lower case, to a synonym that occurs in the texts.

    To be safe, word and synonym must each have a single sense in WordNet.
    """
    vocabulary = {word for text in texts for word in WORD.findall(text)}
    synonyms = {}
    for word in sorted(vocabulary):
        synonym = _only_synonym(word, wordnet)
        if synonym in vocabulary:
            synonyms[word] = str(synonym)
    return synonyms


def _only_synonym(word: str, wordnet: WordNet) -> str | None:
    parts = wordnet.parts(word)
    if len(parts) != 1:
        return None
    senses = wordnet.senses[word, parts[0]]
    if len(senses) != 1:
        return None
    candidates = [s for s in wordnet.synonyms(word, parts[0]) if WORD.fullmatch(s)]
    if len(candidates) != 1 or len(wordnet.senses.get((candidates[0], parts[0]), ())) != 1:
        return None
    return candidates[0]
