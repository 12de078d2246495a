"""Two passages, and the measures of them that several rules use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from logic_retrievers.cleaning.differences import Change, Comparison, compare
from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan, annotate
from logic_retrievers.cleaning.result import Side
from logic_retrievers.types import Passage

T = TypeVar("T")

# different content words of a text of this length
_FEW_SENTENCES = 25
_PAGE = 70

# most different content words of two brief texts, added up
_MAX_BRIEF_TOPICS = 36

# least different content words for the vectors to decide alone: two or three sentences
_MIN_VECTOR_TOPIC = 20

_MIN_OVERLAP = 0.16
_MIN_OVERLAP_PAGE = 0.14


@dataclass(frozen=True)
class PassagePair:
    """Two passages and what is known of them; :func:`classify_pair` explains the fields."""

    left: Passage
    right: Passage
    probability: float
    cosine: float
    threshold: float
    date_key: str
    source_key: str
    scope_keys: Sequence[str]

    @cached_property
    def comparison(self) -> Comparison:
        """The two texts, aligned; computed when the first rule needs it."""
        return compare(self.left.text, self.right.text)

    @cached_property
    def texts(self) -> tuple[AnnotatedText, AnnotatedText]:
        return annotate(self.left.text), annotate(self.right.text)

    @cached_property
    def smaller_topic(self) -> int:
        return min(len(text.topic) for text in self.texts)

    @property
    def are_brief(self) -> bool:
        """Whether both texts are so short that all of their words are about one thing."""
        return sum(len(text.topic) for text in self.texts) <= _MAX_BRIEF_TOPICS

    @cached_property
    def value_changes(self) -> tuple[Change, ...]:
        """Numbers, dates, names and antonyms that differ, and negations in only one text."""
        return tuple(
            change
            for change in self.comparison.changes
            if change.type != "wording" and (change.in_both or change.type == "polarity")
        )

    @cached_property
    def opposed_values(self) -> list[Change]:
        return [change for change in self.value_changes if change.in_both]

    @cached_property
    def relative_length(self) -> float:
        """From 0 for a few sentences to 1 for a page; pages share words by chance."""
        return min(1.0, max(0.0, (self.smaller_topic - _FEW_SENTENCES) / (_PAGE - _FEW_SENTENCES)))

    @property
    def is_decided_by_vectors(self) -> bool:
        """Whether the vectors find a contradiction, for texts of several sentences.

        In such texts names, years and numbers differ by chance, so they are no scopes.
        """
        return self.probability >= self.threshold and self.smaller_topic >= _MIN_VECTOR_TOPIC

    @cached_property
    def overlap(self) -> float:
        """Jaccard similarity of the topics."""
        left, right = self.texts
        return _jaccard(left.topic, right.topic)

    @cached_property
    def overlap_without_values(self) -> float:
        """``overlap`` without the words of values that differ."""
        left, right = self.texts
        return _jaccard(
            _topic_without(left, [change.left for change in self.opposed_values]),
            _topic_without(right, [change.right for change in self.opposed_values]),
        )

    @cached_property
    def is_related(self) -> bool:
        """Whether two texts share more words than texts do by chance."""
        return self.overlap >= _MIN_OVERLAP + _MIN_OVERLAP_PAGE * self.relative_length

    def sides_of(self, change: Change) -> tuple[tuple[AnnotatedText, TokenSpan], ...]:
        return (self.texts[0], change.left), (self.texts[1], change.right)

    def words_of(self, change: Change) -> list[str]:
        return [text.excerpt(*span) for text, span in self.sides_of(change)]

    def contrast(self, change: Change) -> str:
        left, right = (f'"{shortened(words)}"' for words in self.words_of(change))
        return f"one says {left}, the other {right}"

    def is_in_subjects(self, change: Change) -> bool:
        """Whether a change stands before the verb of its sentence in both texts."""
        return all(text.is_in_subject(span) for text, span in self.sides_of(change))

    @cached_property
    def own_subjects(self) -> tuple[frozenset[str], frozenset[str]]:
        """The stems of each text's first subject that are nowhere in the other text."""
        left, right = self.texts
        return _own_subject(left, right), _own_subject(right, left)


def shortened(words: str, max_characters: int = 60) -> str:
    """Put words for a reason on one line, cut with an ellipsis."""
    line = " ".join(words.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}\u2026"


def scope_reason(left: str, right: str) -> str:
    """Return the reason of most rules: what each text is about."""
    return f'one is about "{shortened(left)}", the other about "{shortened(right)}"'


def values_of(change: Change, kind: type[T]) -> tuple[T, T] | None:
    """Return both values of a change; None if one is of another type."""
    if change.left_mention is None or change.right_mention is None:
        return None
    left, right = change.left_mention.value, change.right_mention.value
    return (left, right) if isinstance(left, kind) and isinstance(right, kind) else None


def later_side(left: T, right: T, is_later: Callable[[T, T], bool]) -> Side | None:
    """Return which of two dates or versions is certainly later; None if neither is."""
    if is_later(left, right):
        return "one"
    return "other" if is_later(right, left) else None


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))


def _topic_without(text: AnnotatedText, spans: list[TokenSpan]) -> frozenset[str]:
    excluded = {index for start, end in spans for index in range(start, end)}
    return frozenset(stem for index, stem in text.stems.items() if index not in excluded)


def _own_subject(text: AnnotatedText, other: AnnotatedText) -> frozenset[str]:
    start, end = text.sentence_at(0)
    subject = set(range(start, text.subject_end(start, end)))
    for mention in text.mentions:
        if mention.type != "entity":  # a number or a date is no subject
            subject -= set(range(*mention.span))
    return frozenset(text.stems[index] for index in subject & text.stems.keys()) - other.topic
