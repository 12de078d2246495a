"""Two texts side by side: where they differ, of what type, and how much they have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from logic_retrievers.cleaning.differences.aligning import Region, regions
from logic_retrievers.cleaning.differences.antonyms import antonyms, forms
from logic_retrievers.cleaning.differences.facts import Fact
from logic_retrievers.cleaning.differences.polarity import turned
from logic_retrievers.cleaning.differences.reading import Reading, read
from logic_retrievers.cleaning.findings import Difference, Type

MOST_FACTS = 100
"""Of a text, in what differs: of each is asked whether it stands against each of the other's."""

Range = tuple[int, int]
"""First word and one past the last; equal where there is none."""

Places = dict[Fact, set[int]]
"""Fact -> the regions that it touches."""


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the one that stand against words of the other.

    Args:
        type: what they are.
        one, other: the words.
        here, there: what they state, for numbers, dates and names.
        equal: both state the same in another form: ``twelve`` and ``12``.
    """

    type: Type
    one: Range
    other: Range
    here: Fact | None = None
    there: Fact | None = None
    equal: bool = False

    @property
    def both(self) -> bool:
        """Whether it stands in both texts."""
        return self.one[0] < self.one[1] and self.other[0] < self.other[1]

    def turned(self) -> Change:
        """As seen from the other text."""
        return replace(self, one=self.other, other=self.one, here=self.there, there=self.here)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two texts that were compared.

    Args:
        one, other: the texts as they were read.
        changes: where they differ, in the order of the one.
        common: share of the words that stand in both in the same order, in [0, 1].
        regions: words that do not stand in both, side by side.
    """

    one: Reading
    other: Reading
    changes: tuple[Change, ...]
    common: float
    regions: tuple[Region, ...]

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The changes as characters of the texts."""
        return tuple(
            Difference(change.type, self.one.span(*change.one), self.other.span(*change.other))
            for change in self.changes
        )

    def turned(self) -> Comparison:
        """As seen from the other text."""
        changes = tuple(change.turned() for change in self.changes)
        turned = tuple((c, d, a, b) for a, b, c, d in self.regions)
        return Comparison(self.other, self.one, changes, self.common, turned)


def compare(one: str, other: str) -> Comparison:
    """Where two texts differ.

    Only the first 20,000 characters are read, the first 1,500 words aligned and the first 100 facts
    in what differs compared, so that long texts take no longer than these.

    Args:
        one: any text, the empty one too.
        other: likewise. The two in the other order give the same, turned round.
    """
    if one > other:
        return compare(other, one).turned()
    here, there = read(one), read(other)
    differing, common = regions(here.words, there.words)
    facts = _facts(here, there, differing)
    words = _opposites(here, there, differing)
    rest = _wording(differing, [*facts, *words])
    changes = sorted([*facts, *words, *rest], key=lambda change: (change.one, change.other))
    return Comparison(here, there, tuple(changes), common, tuple(differing))


def _facts(one: Reading, other: Reading, differing: list[Region]) -> list[Change]:
    """Facts in what differs: the equal, those that stand against each other, the rest."""
    mine = _placed(one.facts, [region[:2] for region in differing])
    theirs = _placed(other.facts, [region[2:] for region in differing])
    found: list[Change] = []
    for near in (True, False):
        for equal in (True, False):
            _pair(mine, theirs, found, near=near, equal=equal)
    found = [change for change in found if not _moved(change, one, other)]
    for fact in _missing(mine, other):
        place = _across(fact.first, differing, one_side=True)
        found.append(Change(fact.type, (fact.first, fact.last), (place, place), fact))
    for fact in _missing(theirs, one):
        place = _across(fact.first, differing, one_side=False)
        found.append(Change(fact.type, (place, place), (fact.first, fact.last), None, fact))
    return found


def _pair(
    mine: Places,
    theirs: Places,
    found: list[Change],
    *,
    near: bool,
    equal: bool,
) -> None:
    """Takes pairs out of the two lists: of one region or of any, equal or only comparable."""
    for fact, here in list(mine.items()):
        for against, there in theirs.items():
            if fact.type != against.type:
                continue
            # a negation elsewhere denies something else
            if (near or fact.type == "polarity") and here.isdisjoint(there):
                continue
            same = fact.equals(against)
            if same is equal and (same or fact.comparable(against)):
                del mine[fact], theirs[against]
                mine_at, theirs_at = (fact.first, fact.last), (against.first, against.last)
                found.append(Change(fact.type, mine_at, theirs_at, fact, against, same))
                break


def _missing(facts: Iterable[Fact], against: Reading) -> list[Fact]:
    """Those that are not in the other text: a name may begin a sentence there."""
    known = {word.key.removesuffix("'s") for word in against.words}
    return [
        fact
        for fact in facts
        if not (isinstance(fact.value, str) and fact.type == "entity")
        or not known.issuperset(fact.value.split())
    ]


def _moved(change: Change, one: Reading, other: Reading) -> bool:
    """Whether only the place of a fact is another one; a name is the same in its short form too."""
    if not change.equal:
        return False
    keys = [word.key for word in one.words[slice(*change.one)]]
    return change.type in ("entity", "polarity") or keys == [
        word.key for word in other.words[slice(*change.other)]
    ]


def _placed(facts: Sequence[Fact], ranges: list[Range]) -> Places:
    """The facts in what differs, each with the regions that it touches."""
    found: Places = {}
    region = 0
    for fact in facts:
        while region < len(ranges) and ranges[region][1] <= fact.first:
            region += 1
        near = region
        touched = set()
        while near < len(ranges) and ranges[near][0] < fact.last:
            if ranges[near][0] < ranges[near][1]:
                touched.add(near)
            near += 1
        if touched:
            found[fact] = touched
        if len(found) == MOST_FACTS:
            break
    return found


def _across(place: int, differing: list[Region], *, one_side: bool) -> int:
    """Where in the other text a word would stand."""
    shift = 0
    for a, b, c, d in differing:
        first, last, there = (a, b, c) if one_side else (c, d, a)
        if place < first:
            break
        if place < last:
            return there
        shift = (d - b) if one_side else (b - d)
    return max(0, place + shift)


def _opposites(one: Reading, other: Reading, differing: list[Region]) -> list[Change]:
    """Words of one region that are opposites of each other, by sense or by a prefix."""
    found: list[Change] = []
    for a, b, c, d in differing:
        free: dict[str, int] = {}
        for place in range(c, d):
            for form in forms(other.words[place].key):
                free.setdefault(form, place)
        for here in range(a, b):
            word = one.words[here].key
            for kind, opposites in _kinds(word):
                against = [free[form] for form in opposites if form in free]
                if against:
                    there = min(against)
                    found.append(Change(kind, (here, here + 1), (there, there + 1)))
                    free = {form: place for form, place in free.items() if place != there}
                    break
    return found


def _kinds(word: str) -> tuple[tuple[Type, frozenset[str]], ...]:
    return ("polarity", turned(word)), ("antonym", antonyms(word))


def _wording(differing: list[Region], known: list[Change]) -> list[Change]:
    """What is left of every region."""
    mine = {n for change in known for n in range(*change.one)}
    theirs = {n for change in known for n in range(*change.other)}
    found: list[Change] = []
    for a, b, c, d in differing:
        here = _longest(a, b, mine)
        there = _longest(c, d, theirs)
        if here[0] < here[1] or there[0] < there[1]:
            found.append(Change("wording", here, there))
    return found


def _longest(first: int, last: int, known: set[int]) -> Range:
    """The longest run of words that nothing else is said about."""
    best, start = (first, first), first
    for place in range(first, last + 1):
        if place == last or place in known:
            if place - start > best[1] - best[0]:
                best = (start, place)
            start = place + 1
    return best
