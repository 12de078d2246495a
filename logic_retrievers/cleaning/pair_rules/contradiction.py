"""Rules for texts that cannot both be true at the same time of the same thing."""

from __future__ import annotations

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, shortened

_MIN_OVERLAP = 0.35
_MAX_CHANGES = 8
_MIN_SENTENCE_OVERLAP = 0.5
_MAX_NEGATIONS = 20
_REASON_WORDS = 4
_DENIED_REACH = 6
_DENIED_STEMS = 2


def find_conflicting_value(pair: PassagePair) -> str:
    """Nearly the same words about the same thing, and a value that differs.

    "The tower was completed in 1889." / "The tower was completed in 1899."
    """
    for change in pair.opposed_values if _may_conflict(pair) else ():
        if change.type != "entity" or not pair.is_in_subjects(change):
            return pair.contrast(change)
    return ""


def find_denial(pair: PassagePair) -> str:
    """One text denies what the other says.

    "The warranty covers water damage." / "Water damage is not covered by the warranty."
    """
    words = denial_words(pair) if _may_conflict(pair) else ""
    return f'one denies what the other says: "{shortened(words)}"' if words else ""


def find_vector_contradiction(pair: PassagePair) -> str:
    """The vectors state a contradiction, and nothing says that the texts are about two things."""
    if pair.probability < pair.threshold:
        return ""
    if not pair.is_decided_by_vectors and all(pair.own_subjects):
        return ""
    return f"the vectors give {pair.probability:.2f} that they contradict each other"


def denial_words(pair: PassagePair) -> str:
    """The words with which one text denies what a like sentence of the other says; empty: none.

    A negation need not be aligned: it counts that the words behind it stand in a sentence of the
    other text, and are not negated there.
    """
    left, right = pair.texts
    for text, other in ((left, right), (right, left)):
        for index in _negations(text)[:_MAX_NEGATIONS]:
            if _denies(text, index, other):
                end = text.sentence_at(index)[1]
                return text.excerpt(index, min(end, index + _REASON_WORDS))
    return ""


def _may_conflict(pair: PassagePair) -> bool:
    """Whether two texts say the same of the same thing, apart from their values."""
    if pair.overlap_without_values < _MIN_OVERLAP or all(pair.own_subjects):
        return False
    return len(pair.comparison.changes) <= _MAX_CHANGES


def _denies(text: AnnotatedText, index: int, other: AnnotatedText) -> bool:
    """Whether a negation is about what the most similar sentence of the other text affirms."""
    sentence = text.sentence_at(index)
    stems = text.stems_in(*sentence)

    def likeness(candidate: TokenSpan) -> tuple[int, float]:
        """How many stems are common, which a heading has few of, and their share of the shorter."""
        others = other.stems_in(*candidate)
        shared = len(stems & others)
        return shared, shared / max(1, min(len(stems), len(others)))

    counterpart = max(other.sentences, key=likeness, default=(0, 0))
    if likeness(counterpart)[1] < _MIN_SENTENCE_OVERLAP:
        return False
    negated: set[str] = set()
    for start in _negations(other):
        if counterpart[0] <= start < counterpart[1]:
            negated |= _negated_stems(other, start, counterpart)
    affirmed = other.stems_in(*counterpart) - negated
    return not affirmed.isdisjoint(_negated_stems(text, index, sentence))


def _negations(text: AnnotatedText) -> list[int]:
    return [mention.span[0] for mention in text.mentions if mention.type == "polarity"]


def _negated_stems(text: AnnotatedText, index: int, sentence: TokenSpan) -> set[str]:
    """The next content words, which a negation is about."""
    end = min(sentence[1], index + 1 + _DENIED_REACH)
    stems = [text.stems[n] for n in range(index + 1, end) if n in text.stems]
    return set(stems[:_DENIED_STEMS])
