"""Align two texts, and find where they differ and in which type of value."""

from __future__ import annotations

from collections.abc import Sequence
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
from logic_retrievers.cleaning.differences.tokens import LEXICON, Token
from logic_retrievers.cleaning.result import Difference, Type
from logic_retrievers.text import stem

# tokens of a text that are aligned; alignment takes more than linear time
MAX_ALIGNED_TOKENS = 1500
# mentions of a text in differing regions that are compared with those of the other text
MAX_MENTIONS = 100

# start and end of tokens on the left, then of the tokens in their place on the right
Region: TypeAlias = tuple[int, int, int, int]
# mention -> the indexes of the regions that it overlaps
RegionsByMention: TypeAlias = dict[Mention, set[int]]


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the left text, and the words of the right text that differ from them.

    The mentions are the values that the words state, such as numbers, dates and names.
    """

    type: Type
    left: TokenSpan
    right: TokenSpan
    left_mention: Mention | None = None
    right_mention: Mention | None = None

    @property
    def in_both(self) -> bool:
        return self.left[0] < self.left[1] and self.right[0] < self.right[1]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two texts that were compared; changes come in the order of the left one."""

    left: AnnotatedText
    right: AnnotatedText
    changes: tuple[Change, ...]

    @property
    def differences(self) -> tuple[Difference, ...]:
        return tuple(
            Difference(c.type, self.left.char_span(*c.left), self.right.char_span(*c.right))
            for c in self.changes
        )


def compare(left: str, right: str) -> Comparison:
    """Find where two texts differ.

    To bound the time, only the first 20,000 characters are read, the first 1,500 words aligned and
    the first 100 mentions in differing regions compared.

    Args:
        left: any text, even an empty one; best the smaller string of the two, because the other
            order may change the alignment.
        right: any text.
    """
    left_text, right_text = annotate(left), annotate(right)
    regions = _differing_regions(left_text.tokens, right_text.tokens)
    changes = _compare_mentions(left_text, right_text, regions)
    changes += _find_opposites(left_text, right_text, regions)
    changes += _remaining_wording(regions, changes)
    changes.sort(key=lambda change: (change.left, change.right))
    return Comparison(left_text, right_text, tuple(changes))


def _differing_regions(left: Sequence[Token], right: Sequence[Token]) -> list[Region]:
    left_keys = [token.key for token in left[:MAX_ALIGNED_TOKENS]]
    right_keys = [token.key for token in right[:MAX_ALIGNED_TOKENS]]
    opcodes = SequenceMatcher(None, left_keys, right_keys).get_opcodes()
    return [(a, b, c, d) for operation, a, b, c, d in opcodes if operation != "equal"]


def _compare_mentions(
    left: AnnotatedText, right: AnnotatedText, regions: list[Region]
) -> list[Change]:
    """Find different values in differing regions, and pair those that are comparable."""
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
    """Remove pairs of equal or comparable values, of the same region or any; return the pairs."""
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
    region_of = {index: number for number, span in enumerate(spans) for index in range(*span)}
    placed: RegionsByMention = {}
    for mention in mentions:
        tokens = range(*mention.span)
        if overlapping := {region_of[index] for index in tokens if index in region_of}:
            placed[mention] = overlapping
        if len(placed) == MAX_MENTIONS:
            break
    return placed


# stem -> the stems of its antonyms
_ANTONYMS: dict[str, set[str]] = {}
for _pair in LEXICON["antonyms"].split():
    _sides = [[stem(word) for word in side.split(",")] for side in _pair.split("/")]
    for _one, _other in product(*_sides):
        _ANTONYMS.setdefault(_one, set()).add(_other)
        _ANTONYMS.setdefault(_other, set()).add(_one)


def _find_opposites(
    left: AnnotatedText, right: AnnotatedText, regions: list[Region]
) -> list[Change]:
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
    """Find in each region the longest run of words on both sides that is in no other change."""
    left_known = {index for change in changes for index in range(*change.left)}
    right_known = {index for change in changes for index in range(*change.right)}
    wording: list[Change] = []
    for a, b, c, d in regions:
        left, right = _longest_run(a, b, left_known), _longest_run(c, d, right_known)
        if left[0] < left[1] or right[0] < right[1]:
            wording.append(Change("wording", left, right))
    return wording


def _longest_run(start: int, end: int, known: set[int]) -> TokenSpan:
    by_known = groupby(range(start, end), known.__contains__)
    longest = max(([*run] for is_known, run in by_known if not is_known), key=len, default=[])
    return (longest[0], longest[-1] + 1) if longest else (start, start)
