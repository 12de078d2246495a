"""A table of invented dishes that is rich enough for every template."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item

ORIGINS = 160


def dishes(open_kinds: tuple[str, ...] = ()) -> AttributeTable:
    """Every origin has its own few ingredients and courses, so that atoms meet in many dishes."""
    random = Random(0)
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    doubtful: dict[str, set[str]] = defaultdict(set)
    for number in range(2400):
        dish, origin = f"d{number}", random.randrange(ORIGINS)
        holders[f"dishes from origin{origin}", "origin", f"origin{origin}"].add(dish)
        for _ in range(2):
            stuff = f"stuff{(origin + random.randrange(4)) % ORIGINS}"
            holders[f"dishes with {stuff}", "stuff", stuff].add(dish)
        course = f"course{(origin // 2 + random.randrange(2)) % 80}"
        holders[f"{course} dishes", "course", course].add(dish)
        doubtful[f"dishes with stuff{random.randrange(500)}"].add(dish)
    atoms = {
        atom: AtomTruth(frozenset(true - doubtful[atom]), frozenset(doubtful[atom]), kind, value)
        for (atom, kind, value), true in sorted(holders.items())
    }
    items = {f"d{n}": Item(f"Dish {n}", f"It is the dish of number {n}.") for n in range(2400)}
    return AttributeTable(items, atoms, noun="dishes", open_kinds=open_kinds)
