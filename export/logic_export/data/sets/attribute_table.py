"""Tables of items and their attributes (atoms), with three-valued truth of every expression."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from logic_retrievers.queries.expressions import And, Atom, Expression, Not


@dataclass(frozen=True, slots=True)
class TruthMasks:
    """Kleene's strong three-valued logic over numbered items, as bit masks: bit n is item n.

    Masks of tens of thousands of items combine in a microsecond or two. No item is in both masks.
    """

    true: int
    unknown: int

    def __and__(self, other: TruthMasks) -> TruthMasks:
        true = self.true & other.true
        return TruthMasks(true, self.possible & other.possible & ~true)

    def __or__(self, other: TruthMasks) -> TruthMasks:
        true = self.true | other.true
        return TruthMasks(true, (self.unknown | other.unknown) & ~true)

    def negate(self, everything: int) -> TruthMasks:
        """Apply NOT within the mask of all items; unknown items stay unknown."""
        return TruthMasks(everything & ~self.possible, self.unknown)

    @property
    def possible(self) -> int:
        return self.true | self.unknown


@dataclass(frozen=True, slots=True)
class Item:
    """A document that a query can find."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AtomTruth:
    """Ids of the items for which an atom is true or unknown; it is false for all others."""

    true: frozenset[str]
    unknown: frozenset[str]  # conflicting or missing evidence: items neither satisfy nor violate
    kind: str  # ``director``, ``genre``, ...; OR joins atoms of one kind, AND atoms of several
    # the name in the atom (``Raoul Walsh``), or the atom itself if it has none; all atoms of a
    # value are in one part of the data
    value: str = ""


class AttributeTable:
    """Items and atoms, and the truth of every expression over them.

    ``items`` maps ids to title and text, ``atoms`` the text of an atom (``films directed by Raoul
    Walsh``) to its truth. ``noun`` is the plural noun for the items, as the atoms write it
    (``films``). A text may omit facts of the ``open_kinds``, such as a film's distributor. No query
    excludes an atom of such a kind, since the atom may hold for films whose texts omit it.
    """

    def __init__(
        self,
        items: Mapping[str, Item],
        atoms: Mapping[str, AtomTruth],
        *,
        noun: str,
        open_kinds: Collection[str] = (),
    ) -> None:
        self.items, self.atoms, self.noun, self.open_kinds = items, atoms, noun, open_kinds
        self._ids = tuple(items)
        self._numbers = {name: number for number, name in enumerate(self._ids)}
        self._everything = (1 << len(self._ids)) - 1
        self._masks = {
            text: TruthMasks(self._mask(truth.true), self._mask(truth.unknown))
            for text, truth in atoms.items()
        }

    def masks(self, expression: Expression) -> TruthMasks:
        """Return an expression's truth as bit masks, which are fast to count and combine."""
        if isinstance(expression, Atom):
            return self._masks[expression.text]
        if isinstance(expression, Not):
            return self.masks(expression.part).negate(self._everything)
        parts = (self.masks(part) for part in expression.args)
        return reduce(and_ if isinstance(expression, And) else or_, parts)

    def ids_of(self, bits: int) -> frozenset[str]:
        return frozenset(self._ids[digit.start()] for digit in re.finditer("1", f"{bits:b}"[::-1]))

    def atoms_by_item(self, chosen: Iterable[str]) -> dict[str, list[str]]:
        """Map each item to the chosen atoms that hold for it, in the given order."""
        by_item: dict[str, list[str]] = {}
        for text in chosen:
            for name in sorted(self.atoms[text].true):
                by_item.setdefault(name, []).append(text)
        return by_item

    def _mask(self, names: Collection[str]) -> int:
        return sum(1 << self._numbers[name] for name in names)
