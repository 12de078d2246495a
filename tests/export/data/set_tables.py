"""A table of invented dishes that is rich enough for every template."""

from __future__ import annotations

from random import Random

from logic_export.data.sets.attribute_table import AttributeTable
from logic_export.data.sets.table_from_rows import Attribute, table_from_rows

ORIGINS = 160


def dishes(open_kinds: tuple[str, ...] = ()) -> AttributeTable:
    """Every origin has its own few ingredients and courses, so that atoms meet in many dishes."""
    random = Random(0)
    rows = []
    for number in range(2400):
        origin = random.randrange(ORIGINS)
        near = [(origin + random.randrange(4)) % ORIGINS for _ in range(2)]
        rows.append(
            {
                "_id": f"d{number}",
                "title": f"Dish {number}",
                "text": f"It is the dish of number {number}.",
                "origin": f"origin{origin}",
                "stuff": [f"stuff{one}" for one in near],
                "course": f"course{(origin // 2 + random.randrange(2)) % 80}",
                "perhaps": f"stuff{random.randrange(500)}",
            }
        )
    return table_from_rows(
        rows,
        [
            Attribute("origin", "dishes from {}", "origin"),
            Attribute("stuff", "dishes with {}", "stuff", unknown="perhaps"),
            Attribute("course", "{} dishes", "course"),
        ],
        noun="dishes",
        open_kinds=open_kinds,
    )
