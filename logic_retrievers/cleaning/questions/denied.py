"""What the one denies and the other says: "cannot be exchanged", "can be exchanged"."""

from __future__ import annotations

from logic_retrievers.cleaning.differences.facts import Fact
from logic_retrievers.cleaning.differences.reading import Reading
from logic_retrievers.cleaning.questions.pair import Pair, Words, sentence_of

_MOST = 20
_LACKING = frozenset({"without", "lack", "lacks", "lacking", "lacked"})
_RELATIVE = frozenset({"who", "whose", "which", "that", "if", "unless"})
_NEAR = 3
_REACH = 2
_TOLD = 4
_FAR = 6
_SHARED = 2
_TWIN = 0.5


def denial(pair: Pair) -> str:
    """The words with which one text denies what the other says in a like sentence; empty: none.

    Not every word with "not" has its place in the other text: what counts is whether the words
    behind it stand in a sentence of the other text, and are not negated there.
    """
    one, other = pair.compared.one, pair.compared.other
    for text, against in ((one, other), (other, one)):
        negations = [fact for fact in text.facts if fact.type == "polarity"]
        for fact in negations[:_MOST]:
            if not _restricts(text, fact.first) and _denies(text, fact.first, against):
                last = sentence_of(text, fact.first)[1]
                return text.said(fact.first, min(last, fact.first + _TOLD))
    return ""


def affirms(text: Reading) -> bool:
    """Whether a sentence denies twice, and so says that it is so: "never without"."""
    return any(_affirms(text, sentence) for sentence in text.sentences)


def _affirms(text: Reading, sentence: Words) -> bool:
    keys = [text.words[one.first].key for one in text.facts if _denied(one, sentence)]
    return len(keys) > 1 and keys[-1] in _LACKING


def twin(text: Reading, sentence: Words, against: Reading) -> tuple[Words, float]:
    """The sentence of the other text that says most of the same, and how much of the shorter."""
    mine = _stems(text, sentence)
    best: tuple[Words, float, int] = ((0, 0), 0.0, 0)
    for there in against.sentences:
        theirs = _stems(against, there)
        shared = len(mine & theirs)
        part = shared / max(1, min(len(mine), len(theirs)))
        if (shared, part) > (best[2], best[1]):
            best = there, part, shared
    return best[0], best[1] if best[2] >= _SHARED else 0.0


def _denies(text: Reading, place: int, against: Reading) -> bool:
    sentence = sentence_of(text, place)
    there, part = twin(text, sentence, against)
    if part < _TWIN or _affirms(text, sentence):
        return False
    turned = {
        stem
        for fact in against.facts
        if _denied(fact, there)
        for stem in _under(against, fact.first, there)
    }
    return bool(_under(text, place, sentence) & _stems(against, there) - turned)


def _restricts(text: Reading, place: int) -> bool:
    """Whether a negation says of which things a sentence is true: "towns that are not resorts"."""
    first = max(sentence_of(text, place)[0], place - _NEAR)
    return any(word.key in _RELATIVE for word in text.words[first:place])


def _denied(fact: Fact, sentence: Words) -> bool:
    """Whether a fact is a negation in a sentence."""
    return fact.type == "polarity" and sentence[0] <= fact.first < sentence[1]


def _under(text: Reading, place: int, sentence: Words) -> set[str]:
    """The next words that a negation is about."""
    last = min(sentence[1], place + 1 + _FAR)
    found = [text.stems[n] for n in range(place + 1, last) if n in text.stems]
    return set(found[:_REACH])


def _stems(text: Reading, sentence: Words) -> set[str]:
    return {text.stems[n] for n in range(*sentence) if n in text.stems}
