"""Can both be true at the same time of the same thing?"""

from __future__ import annotations

from difflib import SequenceMatcher

from logic_retrievers.cleaning.differences import Change
from logic_retrievers.cleaning.differences.reading import Reading
from logic_retrievers.cleaning.differences.words import vocabulary
from logic_retrievers.cleaning.questions.denied import affirms, denial
from logic_retrievers.cleaning.questions.pair import Pair, quantities_of, sentence_of, shortened
from logic_retrievers.cleaning.questions.scope import defines

_ALIKE = 0.35
_ALIKE_LONG = 0.25
_CHANGES = 8
_TWIN = 0.5
_COPY = 0.8
_TOPICAL = 0.5
_MANY = 3
_SIMILAR = 0.75
_LONGEST = 4
_SLOTS = vocabulary("is are was were by from in into at inside under on called named of")


def by_value(pair: Pair) -> str:
    """Nearly the same words about the same thing, and a value that differs."""
    if not _near(pair):
        return ""
    if all(pair.subjects) or len(pair.values) > _MANY or _even(pair):
        return ""
    if len(pair.compared.changes) > _CHANGES:
        return ""
    for change in pair.values:
        if _answers(pair, change):
            return pair.told(change)
    return ""


def _near(pair: Pair) -> bool:
    """Whether the two say the same but for what differs; the words of values aside."""
    if pair.cosine < _TOPICAL or pair.alike < _ALIKE / 2:
        return False
    return pair.beside >= _ALIKE + _ALIKE_LONG * pair.long


def by_denial(pair: Pair) -> str:
    """The one denies what the other says."""
    if not _near(pair):
        return ""
    if all(pair.subjects) or _even(pair) or len(pair.compared.changes) > _CHANGES:
        return ""
    words = denial(pair)
    return f'one denies what the other says: "{shortened(words)}"' if words else ""


def _answers(pair: Pair, change: Change) -> bool:
    """Whether both sides of a change answer one question: of like sentences about one thing."""
    if not change.both:
        return False
    if change.type == "entity" and pair.leads(change) and not defines(pair, change):
        return False
    numbers = quantities_of(change)
    if numbers and not pair.side_by_side(change) and not (numbers[0].kind or numbers[0].counted):
        return False
    one, other = pair.compared.one, pair.compared.other
    here, there = sentence_of(one, change.one[0]), sentence_of(other, change.other[0])
    mine, theirs = _stems(one, here, change.one), _stems(other, there, change.other)
    return len(mine & theirs) >= _TWIN * min(len(mine), len(theirs))


def by_slot(pair: Pair) -> str:
    """A near-copy with another word in the one place that answers: is X, by X, in X."""
    changes = [change for change in pair.compared.changes if not change.equal]
    if len(changes) != 1 or pair.compared.common < _COPY or pair.cosine < _TOPICAL:
        return ""
    change = changes[0]
    one, other = pair.compared.one, pair.compared.other
    if not change.both or max(_length(change.one), _length(change.other)) > _LONGEST:
        return ""
    slots = _slot(one, change.one) and _slot(other, change.other)
    if not (slots or (pair.leads(change) and defines(pair, change))) or _spelling(pair, change):
        return ""
    return pair.told(change)


def by_vectors(pair: Pair) -> str:
    """The vectors are sure enough, and nothing says that the two speak of different things."""
    if pair.probability < pair.threshold or pair.cosine < _TOPICAL:
        return ""
    if not pair.sure and (all(pair.subjects) or _alike_in_sense(pair)):
        return ""
    return f"the vectors give {pair.probability:.2f} that they contradict each other"


def _alike_in_sense(pair: Pair) -> bool:
    """Whether a short text says by two negations what the other says without."""
    # "nobody without" says what "everybody with" says, and the vectors miss that
    return not pair.differs or affirms(pair.compared.one) is not affirms(pair.compared.other)


def _even(pair: Pair) -> bool:
    """Whether the negations of both make up for each other, or for an opposite word."""
    turned = sum(change.type in ("polarity", "antonym") for change in pair.values)
    return turned % 2 == 0 and any(change.type == "antonym" for change in pair.values)


def _slot(text: Reading, words: tuple[int, int]) -> bool:
    before = [word.key for word in text.words[max(0, words[0] - 2) : words[0]]]
    return bool(before) and (
        before[-1] in _SLOTS or (before[-1] in ("the", "a", "an") and before[0] in _SLOTS)
    )


def _spelling(pair: Pair, change: Change) -> bool:
    """Whether the words are two forms or spellings of one."""
    here, there = sorted(said.casefold() for said in pair.said(change))
    return SequenceMatcher(None, here, there).ratio() >= _SIMILAR


def _stems(text: Reading, sentence: tuple[int, int], but: tuple[int, int]) -> set[str]:
    return {text.stems[n] for n in range(*sentence) if n in text.stems and not but[0] <= n < but[1]}


def _length(words: tuple[int, int]) -> int:
    return words[1] - words[0]
