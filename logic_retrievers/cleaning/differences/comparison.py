"""Two texts, aligned: where they differ, in what type of value, and how much they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, product
from typing import TypeAlias

from logic_retrievers.cleaning.differences.annotation import (
    AnnotatedText,
    Mention,
    TokenSpan,
    annotate,
)
from logic_retrievers.cleaning.differences.lexicon import LEXICON
from logic_retrievers.cleaning.differences.tokens import Token
from logic_retrievers.cleaning.result import Difference, Type
from logic_retrievers.text import stem

MAX_ALIGNED_TOKENS = 1500
"""Tokens of a text that are aligned; alignment takes more than linear time."""

MAX_MENTIONS = 100
"""Mentions of a text in differing regions that are compared, each with all of the other text."""

Region: TypeAlias = tuple[int, int, int, int]
"""Start and end of tokens on the left, and of those that stand in their place on the right."""

RegionsByMention: TypeAlias = dict[Mention, set[int]]
"""Mention -> the indexes of the regions that it overlaps."""


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the left text that stand against words of the right one.

    The mentions are what the words state, for numbers, dates and names.
    """

    type: Type
    left: TokenSpan
    right: TokenSpan
    left_mention: Mention | None = None
    right_mention: Mention | None = None

    @property
    def in_both(self) -> bool:
        """Whether both texts have words for it."""
        return self.left[0] < self.left[1] and self.right[0] < self.right[1]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two texts that were compared; changes come in the order of the left one."""

    left: AnnotatedText
    right: AnnotatedText
    changes: tuple[Change, ...]

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The changes as characters of the texts."""
        return tuple(
            Difference(c.type, self.left.char_span(*c.left), self.right.char_span(*c.right))
            for c in self.changes
        )


def compare(left: str, right: str) -> Comparison:
    """Where two texts differ.

    To bound the time, only the first 20,000 characters are read, the first 1,500 words aligned and
    the first 100 mentions in differing regions compared.

    Args:
        left: any text, the empty one too.
        right: likewise; the smaller string should be the left one, since the alignment of the same
            two texts in the other order may differ.
    """
    left_text, right_text = annotate(left), annotate(right)
    regions = _differing_regions(left_text.tokens, right_text.tokens)
    changes = _compare_mentions(left_text, right_text, regions)
    changes += _find_opposites(left_text, right_text, regions)
    changes += _remaining_wording(regions, changes)
    changes.sort(key=lambda change: (change.left, change.right))
    return Comparison(left_text, right_text, tuple(changes))


def _differing_regions(left: Sequence[Token], right: Sequence[Token]) -> list[Region]:
    """Where the first :data:`MAX_ALIGNED_TOKENS` differ."""
    left_keys = [token.key for token in left[:MAX_ALIGNED_TOKENS]]
    right_keys = [token.key for token in right[:MAX_ALIGNED_TOKENS]]
    opcodes = SequenceMatcher(None, left_keys, right_keys).get_opcodes()
    return [(a, b, c, d) for operation, a, b, c, d in opcodes if operation != "equal"]


def _compare_mentions(
    left: AnnotatedText, right: AnnotatedText, regions: list[Region]
) -> list[Change]:
    """Different values in differing regions, in pairs where they are comparable."""
    left_mentions = _mentions_in_regions(left.mentions, [region[:2] for region in regions])
    right_mentions = _mentions_in_regions(right.mentions, [region[2:] for region in regions])
    changes: list[Change] = []
    for same_region in (True, False):
        _pair_mentions(left_mentions, right_mentions, same_region=same_region, equal=True)
        changes += _pair_mentions(
            left_mentions, right_mentions, same_region=same_region, equal=False
        )
    for mention, numbers in left_mentions.items():
        place = regions[min(numbers)][2]
        changes.append(Change(mention.type, mention.span, (place, place), mention))
    for mention, numbers in right_mentions.items():
        place = regions[min(numbers)][0]
        changes.append(Change(mention.type, (place, place), mention.span, None, mention))
    return changes


def _pair_mentions(
    left_mentions: RegionsByMention,
    right_mentions: RegionsByMention,
    *,
    same_region: bool,
    equal: bool,
) -> list[Change]:
    """Remove pairs from both: of one region or of any, with equal or comparable values."""
    changes: list[Change] = []
    for left, left_regions in list(left_mentions.items()):
        for right, right_regions in right_mentions.items():
            if left.type != right.type or (same_region and left_regions.isdisjoint(right_regions)):
                continue
            if left.equals(right) if equal else left.is_comparable(right):
                del left_mentions[left], right_mentions[right]
                changes.append(Change(left.type, left.span, right.span, left, right))
                break
    return changes


def _mentions_in_regions(mentions: Sequence[Mention], spans: list[TokenSpan]) -> RegionsByMention:
    """The mentions in differing regions, each with the regions that it overlaps."""
    region_of = {index: number for number, span in enumerate(spans) for index in range(*span)}
    placed: RegionsByMention = {}
    for mention in mentions:
        tokens = range(*mention.span)
        if overlapping := {region_of[index] for index in tokens if index in region_of}:
            placed[mention] = overlapping
        if len(placed) == MAX_MENTIONS:
            break
    return placed


def _read_antonyms(table: str) -> Mapping[str, set[str]]:
    antonyms: dict[str, set[str]] = {}
    for pair in table.split():
        left, right = ([stem(word) for word in side.split(",")] for side in pair.split("/"))
        for word, opposite in product(left, right):
            antonyms.setdefault(word, set()).add(opposite)
            antonyms.setdefault(opposite, set()).add(word)
    return antonyms


_ANTONYMS = _read_antonyms(LEXICON["antonyms"])
"""Stem -> the stems of its antonyms."""


def _find_opposites(
    left: AnnotatedText, right: AnnotatedText, regions: list[Region]
) -> list[Change]:
    """Words of one region that are antonyms."""
    changes: list[Change] = []
    for a, b, c, d in regions:
        unpaired = {stem(right.tokens[index].key): index for index in reversed(range(c, d))}
        for index in range(a, b):
            antonyms = _ANTONYMS.get(stem(left.tokens[index].key), set())
            if matches := [unpaired[word] for word in antonyms if word in unpaired]:
                match = min(matches)
                changes.append(Change("antonym", (index, index + 1), (match, match + 1)))
                del unpaired[stem(right.tokens[match].key)]
    return changes


def _remaining_wording(regions: list[Region], changes: list[Change]) -> list[Change]:
    """For each region, the longest run of words on both sides that is in no other change."""
    left_known = {index for change in changes for index in range(*change.left)}
    right_known = {index for change in changes for index in range(*change.right)}
    wording: list[Change] = []
    for a, b, c, d in regions:
        left, right = _longest_run(a, b, left_known), _longest_run(c, d, right_known)
        if left[0] < left[1] or right[0] < right[1]:
            wording.append(Change("wording", left, right))
    return wording


def _longest_run(start: int, end: int, known: set[int]) -> TokenSpan:
    """The longest run of tokens that are not known."""
    by_known = groupby(range(start, end), known.__contains__)
    longest = max(([*run] for is_known, run in by_known if not is_known), key=len, default=[])
    return (longest[0], longest[-1] + 1) if longest else (start, start)
