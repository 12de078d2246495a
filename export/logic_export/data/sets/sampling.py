"""Samples atoms for set queries, checks the queries they make, and splits atoms into parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from logic_export.data.files import assign_part
from logic_export.data.sets.attribute_table import AttributeTable
from logic_export.data.sets.query_wordings import Template, remove_atom
from logic_retrievers.queries.expressions import Atom

# Bounds of the number of answers; the minimum also holds for violating, the maximum for unknown
# items.
MIN_ANSWERS, MAX_ANSWERS = 3, 50

_USUAL_SHARE = 0.8
_SAMPLED_ITEMS = 100


class AtomSampler:
    """Samples atoms of one part of the data.

    A kind is drawn first, weighted by the square root of its number of atoms, so that small kinds
    occur but their atoms are not in half of all queries.
    """

    def __init__(self, table: AttributeTable, atoms: Sequence[str], random: Random) -> None:
        self._table = table
        self._random = random
        self._by_kind: dict[str, list[str]] = {}
        atoms = [text for text in atoms if table.atoms[text].true]
        for text in atoms:
            self._by_kind.setdefault(table.atoms[text].kind, []).append(text)
        self._kinds = sorted(self._by_kind)
        self._weights = [len(self._by_kind[kind]) ** 0.5 for kind in self._kinds]
        self._items = {text: table.atoms[text].true for text in atoms}
        self._by_item = table.atoms_by_item(atoms)

    def atoms(self, template: Template) -> tuple[str, ...]:
        """Draw atoms for a template; there may be too few, or one may occur twice.

        With OR the atoms are mostly of one kind. Otherwise they have items in common and are mostly
        of different kinds.
        """
        if not self._kinds:
            return ()
        first = self._random_atom()
        if template.by == "or":
            kind = self._table.atoms[first].kind
            return (first, *(self._random_atom(kind) for _ in range(template.arity - 1)))
        chosen = [first]
        while len(chosen) < template.arity and (others := self._cooccurring(chosen)):
            chosen.append(self._random.choice(others))
        return tuple(chosen)

    def _random_atom(self, kind: str | None = None) -> str:
        if kind is None or self._random.random() > _USUAL_SHARE:
            (kind,) = self._random.choices(self._kinds, self._weights)
        return self._random.choice(self._by_kind[kind])

    def _cooccurring(self, chosen: Sequence[str]) -> list[str]:
        """Find atoms that hold for several, but not all, of the chosen atoms' common items."""
        item_sets = [self._items[text] for text in chosen]
        shared = item_sets[0].intersection(*item_sets[1:])
        sampled = self._random.sample(sorted(shared), min(len(shared), _SAMPLED_ITEMS))
        counts = Counter(other for item in sampled for other in self._by_item[item])
        candidates = [
            other for other, count in counts.items() if MIN_ANSWERS <= count < len(sampled)
        ]
        if self._random.random() < _USUAL_SHARE:
            kinds = {self._table.atoms[text].kind for text in chosen}
            candidates = [text for text in candidates if self._table.atoms[text].kind not in kinds]
        return candidates


def is_good_query(table: AttributeTable, template: Template, atoms: Sequence[str]) -> bool:
    """Whether the query has a suitable number of answers and every atom changes the answers.

    With an exclusion, enough items must violate the query.
    """
    if len(atoms) != template.arity or len(set(atoms)) != len(atoms):
        return False
    expression = template(*atoms)
    masks = table.masks(expression)
    if (
        not MIN_ANSWERS <= masks.true.bit_count() <= MAX_ANSWERS
        or masks.unknown.bit_count() > MAX_ANSWERS
        or not can_exclude(table, template, atoms)
        or (template.excludes and violating_mask(table, template, atoms).bit_count() < MIN_ANSWERS)
    ):
        return False
    remainders = [remove_atom(expression, atom) for atom in atoms]
    return all(rest is None or table.masks(rest).true != masks.true for rest in remainders)


def can_exclude(table: AttributeTable, template: Template, atoms: Sequence[str]) -> bool:
    """Whether the excluded atom, if any, is of a kind that may be excluded."""
    return not template.excludes or table.atoms[atoms[-1]].kind not in table.open_kinds


def violating_mask(table: AttributeTable, template: Template, atoms: Sequence[str]) -> int:
    """Return the mask of items that satisfy wanted and excluded atoms; 0 without exclusion."""
    if not template.excludes:
        return 0
    return table.masks(template.wanted(*atoms) & Atom(atoms[-1])).true


SHARES = {"train": 0.45, "dev": 0.17, "test": 0.38}


def split_atoms(
    values: Mapping[str, str], shares: Mapping[str, float] = SHARES, *, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Split atoms into parts, each sorted; ``values`` gives the value of each atom.

    A hash of seed and value decides. So a name is in the same part in all its roles, and an atom
    stays in its part when other atoms are added or removed.
    """
    parts: dict[str, list[str]] = {part: [] for part in shares}
    for atom, value in sorted(values.items()):
        parts[assign_part(f"{seed}:{value}", shares)].append(atom)
    return {part: tuple(atoms) for part, atoms in parts.items()}
