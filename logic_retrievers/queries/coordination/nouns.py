"""Conjuncts: a head with what stands before and behind it, and what shares that head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from logic_retrievers.queries.coordination.segments import Operator, Segment, Word
from logic_retrievers.queries.coordination.vocabulary import (
    BLOCKING_WORDS,
    DETERMINERS,
    is_name,
    is_plural,
    is_time,
    relation_length,
)

Words = tuple[Word, ...]


@dataclass(slots=True)
class Modifier:
    """``directed by A or B``: words behind a head, whose last part may be one of several names.

    Args:
        words: with the first name.
        operator: what joins it to the modifier before.
        names: the other names, which share the beginning of ``words``.
        name_segments: the segments of these names.
        tail: words behind the last name that hold for all of them: *in Rome or Paris with a pool*.
        strong: *both* or *either* stands in it.
    """

    words: Words
    operator: Operator | None = None
    names: list[Words] = field(default_factory=list)
    name_segments: list[Segment] = field(default_factory=list)
    tail: Words = ()
    strong: bool = False


@dataclass(slots=True)
class Noun:
    """A head, the alternatives before it (at least an empty one), and the modifiers behind it.

    ``premodifier_segments`` are those of all alternatives but the first.
    """

    head: Word
    premodifiers: list[Words]
    modifiers: list[Modifier]
    segment: Segment
    premodifier_segments: list[Segment] = field(default_factory=list)


def parse_nouns(segments: Sequence[Segment], head: Word | None = None) -> list[Noun] | None:
    """The nouns of a phrase in their order; None where a segment fits nowhere.

    ``head``: for a phrase that may have none of its own: *that are also* set in Rome.
    """
    if any(_is_blocked(segment.words) for segment in segments):
        return None
    singular = any(segment.strong for segment in segments)
    nouns: list[Noun] = []
    pending: list[Segment] = []  # before the head that they describe
    for segment in segments:
        words = segment.words
        modified = nouns[-1] if nouns and nouns[-1].modifiers else None
        if length := relation_length(segment.forms, 0):
            modifier = Modifier(words, segment.operator, strong=segment.strong)
            if not nouns and head is not None and not pending:
                nouns.append(Noun(head, [()], [modifier], segment))
            elif modified is None or len(words) <= length:
                return None
            else:
                modified.modifiers.append(modifier)
            continue
        place = _head_index(segment.forms, opening=modified is None, singular=singular)
        if place is not None and modified is not None and place + 1 == len(words):
            repeats = words[place].masked.lower() == modified.head.masked.lower()
            place = place if repeats else None
        if place is not None:
            noun = _noun(segment, place)
            if pending:
                noun.premodifiers = _premodifiers(
                    [other.words for other in pending], noun.premodifiers[0]
                )
                noun.premodifier_segments = [*pending[1:], segment]
                noun.segment = pending[0]
                pending = []
            nouns.append(noun)
        elif modified is not None:
            _add_name(modified.modifiers[-1], segment)
        elif not nouns and not _has_relation(segment.forms):
            pending.append(segment)
        else:
            return None
    if pending and head is not None and not nouns:
        return [Noun(head, [segment.words], [], segment) for segment in pending]
    return None if pending else nouns


def shared_beginning(words: Words) -> int:
    """How many of the words other names share: ``set in`` of *set in Libya or Tunisia*."""
    forms = [word.masked for word in words]
    for at in range(len(forms) - 2, -1, -1):
        length = relation_length(forms, at)
        if length and at + length < len(forms):
            return at + length
    return 0


def _head_index(forms: Sequence[str], *, opening: bool, singular: bool) -> int | None:
    """Where the head stands: the plural before the first relation, or at the end.

    ``opening``: the first word opens the phrase, so that its capital means nothing. ``singular``:
    *a hotel* is a head too.
    """
    words = [forms[0].lower(), *forms[1:]] if opening else list(forms)
    indefinite = singular and words[0] in ("a", "an")
    for at in range(1, len(words)):
        is_head = is_plural(words[at - 1]) or (indefinite and at > 1)
        if is_head and relation_length(words, at):
            return at - 1
    last = len(words) - 1
    return last if is_plural(words[last]) or (indefinite and last) else None


def _has_relation(forms: Sequence[str]) -> bool:
    return any(relation_length(forms, at) for at in range(len(forms)))


def _is_blocked(words: Sequence[Word]) -> bool:
    """Whether a word shows that this names no set."""
    plain = [part for word in words for part in _plain_words(word)]
    return any(
        part in BLOCKING_WORDS
        and not (at and plain[at - 1].lower() in ("that", "which", "who", "whose"))
        for at, part in enumerate(plain)
    )


def _plain_words(word: Word) -> list[str]:
    """The words of a word that a mask filled; a quotation is one word."""
    return word.text.split() if word.text[0].isalnum() else [word.text]


def _without_determiners(words: Iterable[Word]) -> Words:
    """The words without *the* and *any* at their beginning."""
    rest = tuple(words)
    while rest and rest[0].masked.lower() in DETERMINERS:
        rest = rest[1:]
    return rest


def _noun(segment: Segment, place: int) -> Noun:
    words = segment.words
    behind = words[place + 1 :]
    has_relation = bool(behind) and relation_length([word.masked for word in behind], 0) > 0
    modifiers = [Modifier(behind, strong=segment.strong)] if has_relation else []
    return Noun(words[place], [_without_determiners(words[:place])], modifiers, segment)


def _premodifiers(first: list[Words], last: Words) -> list[Words]:
    """*1960s or 1970s soul* albums: words behind the last time or nationality hold for all."""
    shared = all(
        len(words) == 1
        and last
        and is_name(words[0].masked)
        and is_name(last[0].masked)
        and is_time(words[0].masked) == is_time(last[0].masked)
        for words in first
    )
    return [*((*words, *last[1:]) if shared else words for words in first), last]


def _add_name(modifier: Modifier, segment: Segment) -> None:
    """Adds one more name; words behind the last name hold for all of them."""
    words = segment.words
    forms = segment.forms
    for at in range(1, len(forms)):
        is_quantity = forms[0][:1].isdigit() and at < 3  # 16 GB or 32 GB *of* memory
        if (is_quantity or forms[at].lower() != "of") and relation_length(forms, at):
            modifier.tail = words[at:]
            words = words[:at]
            break
    modifier.names.append(words)
    modifier.name_segments.append(segment)
