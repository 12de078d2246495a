"""The same said otherwise, by rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from logic_retrievers.evaluation.sentences import sentences

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
_NO_CLAUSE = re.compile(r"\d|(?:and|or)\b|(?:\S+ ){0,3}\S+,")
"""What stands behind "In Rome, " or "On May 3, " if that comma does not end the opening."""

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
    **{"written": "wrote", "sung": "sang", "taken": "took", "given": "gave", "known": "knew"},
}
_OBJECTS = {"He": "him", "She": "her", "They": "them", "We": "us", "It": "it"}
_ARTICLES = frozenset(re.findall(r"\w+", "The A An This These Those His Her Its Their Both All"))
_NO_NOUNS = frozenset(
    re.findall(
        r"\w+",
        "is are was were be been has have had do does did that which who whose and or but if when "
        "while because although also later not never",
    )
)
WORD = re.compile(r"(?<![\w'-])[a-z]{4,}(?![\w'-])")


def paraphrase(text: str, random: Random, synonyms: Mapping[str, str] | None = None) -> str:
    """The text with its sentences in another order, and said otherwise where a rule is safe.

    The same coins do the same to two texts whose sentences differ in a word: how many coins fall
    does not depend on which rules fit.

    Brackets and asides are dropped, openings ("In 1990, ...") moved behind, passives with an agent
    made active, connectives exchanged, and words replaced by ``synonyms``; each where a coin says
    so. What is dropped is said by the original alone: a paraphrase may say less, not the contrary.

    Args:
        text: one sentence or several.
        random: decides.
        synonyms: word in lower case -> one that means the same.
    """
    drops, mixes = random.random() < 0.4, random.random() < 0.5
    said = [_restated(sentence, random, synonyms or {}) for sentence in sentences(text)]
    if len(said) > 2 and drops:
        del said[random.randrange(len(said))]
    if len(said) > 1 and mixes:
        random.shuffle(said)
    return " ".join(said)


def _restated(sentence: str, random: Random, synonyms: Mapping[str, str]) -> str:
    coins = iter([random.random() for _ in range(6)])
    for pattern in (_BRACKETS, _ASIDE, _PARTICIPLE):
        shorter = pattern.sub("", sentence).strip()
        if next(coins) < 0.5 and len(shorter.split()) > 2:  # some sentences are one bracket
            sentence = shorter
    if next(coins) < 0.6:
        sentence = _active(sentence)
    if next(coins) < 0.6:
        sentence = _reopened(sentence)
    if next(coins) < 0.5:
        for old, new in _OPENINGS.items():
            if sentence.startswith(f"{old}, "):
                sentence = f"{new}, {sentence[len(old) + 2 :]}"
    seed = random.getrandbits(64)

    def other(found: re.Match[str]) -> str:
        word = found[0]
        replaced = word in synonyms and Random(f"{seed} {word}").random() < 0.6
        return synonyms[word] if replaced else word

    return WORD.sub(other, sentence)


def _reopened(sentence: str) -> str:
    """An opening moved behind: "In 1990, the mill burnt." becomes "The mill burnt in 1990."."""
    opening = _OPENING.match(sentence)
    if opening is None or _NO_CLAUSE.match(opening[3]):
        return sentence
    word, rest, clause = opening.groups()
    return f"{clause[0].upper()}{clause[1:]} {word[0].lower()}{word[1:]} {rest}."


def _active(sentence: str) -> str:
    """A passive with its agent: "A was made by B in 1990." becomes "B made A in 1990."."""
    found = _PASSIVE.match(sentence)
    what = None if found is None or " and " in found["rest"] else _object(found["what"])
    if found is None or what is None:
        return sentence
    verb = _SIMPLE_PAST.get(found["verb"], found["verb"])
    return f"{found['who']} {verb} {what}{found['rest']}."


def _object(subject: str) -> str | None:
    """A subject as it stands behind a verb; None for what may be more than a noun or a name."""
    first, *others = subject.split()
    if _NO_NOUNS & {word.lower() for word in others}:
        return None
    if first in _OBJECTS:
        return None if others else _OBJECTS[first]
    if first in _ARTICLES and others:
        return " ".join([first.lower(), *others])
    return subject if all(word[0].isupper() or word in ("of", "the") for word in others) else None
